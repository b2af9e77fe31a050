"""Whether objects of a class of the program can be keys: Python takes the hash away from a class that writes `__eq__`.

The text of an object does not show it, so rules decide it. Asks about syntax alone.
"""

from envs.execution.syntax.classes.own_classes import OwnClass, OwnClasses
from envs.execution.syntax.classes.value_bases import VALUE_BASES


def is_unhashable(classes: OwnClasses, name: str) -> bool:
    """Whether objects of the class surely have no hash."""
    for owner in classes[name].lineage:
        said = _says(classes[owner])
        if said is not None:
            return not said
    return classes[name].container not in ("", *VALUE_BASES)  # lists and dicts have none


def _says(mine: OwnClass) -> bool | None:
    """Whether the class gives its objects a hash; None where it leaves that to the classes above."""
    if "__hash__" in mine.members:
        return True  # or `__hash__ = None`, which only its value tells
    facts = mine.dataclass
    if facts is not None and facts.eq:
        return facts.frozen or facts.unsafe_hash
    return False if "__eq__" in mine.members else None
