"""What a class of the program has from outside it: attributes of a container or an exception that it derives from."""

import builtins
from collections import OrderedDict

from envs.execution.syntax.classes.own_classes import OwnClass


def base_type(mine: OwnClass) -> type:
    """The class outside the program that objects of a class have attributes of: a container, an exception, or none."""
    if mine.container == "OrderedDict":
        return OrderedDict
    known = getattr(builtins, mine.container or mine.exception or "object", object)
    return known if isinstance(known, type) else object
