"""What a class of the program has from outside it: attributes of a container or an exception that it derives from."""

import builtins
from collections import Counter, OrderedDict, defaultdict

from envs.execution.syntax.classes.own_classes import OwnClass, OwnClasses

_OF_COLLECTIONS: dict[str, type] = {"OrderedDict": OrderedDict, "Counter": Counter, "defaultdict": defaultdict}


def lookup_order(classes: OwnClasses, owner: str) -> str | None:
    """The text of `__mro__`, where nothing but classes of the program and `object` is in it; None for any other."""
    mine = classes[owner]
    bases = {base for each in mine.lineage for base in classes[each].bases}
    if mine.odd or not bases <= {*mine.lineage, "object"}:
        return None
    return f"({', '.join([*mine.lineage, 'object'])})"


def base_type(mine: OwnClass) -> type:
    """The class outside the program that objects of a class have attributes of: a container, an exception, or none."""
    if mine.container in _OF_COLLECTIONS:
        return _OF_COLLECTIONS[mine.container]
    known = getattr(builtins, mine.container or mine.exception or "object", object)
    return known if isinstance(known, type) else object
