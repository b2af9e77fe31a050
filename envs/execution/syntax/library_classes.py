"""Classes of the program whose objects are library values: named tuples and enums.

Their objects are written out where they stand (`text/library_values.py`), so they are none of the program's own
objects. What syntax alone tells of them is found here; nothing is run.
"""

import ast

_NAMED_TUPLES = frozenset({"NamedTuple"})
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


def is_library_class(node: ast.ClassDef) -> bool:
    """Whether a class derives from `NamedTuple` or an enum, directly."""
    return any(ast.unparse(base).rpartition(".")[2] in _NAMED_TUPLES | _ENUMS for base in node.bases)
