"""Classes of the program that derive from a number, a text or a tuple: `class Celsius(float)`.

An object stands on the heap with the value below it in front of its fields, `Celsius(20.5, place='attic')`. What its
class does not write is Python's, as the value's own class does it. Knows only syntax.
"""

from collections import defaultdict
from collections.abc import Collection

VALUE_BASES = ("int", "float", "str", "tuple")
"""Immutable classes of Python that a class may derive from; no rule makes such an object, since `__new__` does."""
_WRITABLE = frozenset(
    "__str__ __repr__ __eq__ __hash__ __lt__ __le__ __gt__ __ge__ __neg__ __call__ __doc__ __module__ "
    "__add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __radd__ __rsub__ __rmul__".split()
)
"""Special methods that rules find for every line that runs them."""
_OF_DEFAULTS = frozenset(dir(defaultdict)) - {"__init__", "__str__", "__repr__", "__doc__", "__module__"}


def value_doubt(container: str, members: Collection[str]) -> str:
    """Why rules do not know what a class that derives from such a class writes; empty where they do."""
    special = {name for name in members if name.startswith("__") and name.endswith("__")}
    if container == "defaultdict" and _OF_DEFAULTS.intersection(members):
        return "a class that derives from defaultdict and writes a method of it"
    if container not in VALUE_BASES:
        return ""
    if strange := sorted(special - _WRITABLE):
        return f"a class that derives from {container} and has {strange[0]}"
    if container == "str" and "__repr__" in members and "__str__" not in members:
        return "a class that derives from str and has __repr__ alone"  # `str(x)` does not ask it
    return ""
