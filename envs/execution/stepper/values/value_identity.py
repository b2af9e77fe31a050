"""Whether a line asks which of several equal values is the same object: no frame says that of a value without a label.

Numbers, texts, tuples, exceptions without fields and values of the library are written out wherever they stand. Knows
a line and the texts of its values.
"""

import ast
import builtins
import re
from collections.abc import Callable, Collection

from envs.execution.state.value_grammar import Unsupported

_WRITTEN_OUT = re.compile(r"\((?!\))|([^\W\d]\w*)\(")
"""A tuple that is not empty, or a kind with its parts; of either there may be several that are equal."""
_MEMBER = re.compile(r"[^\W\d]\w*\((?:'[^']*'|None), ")
"""A member of an enum, which is one object."""


def check_identity(
    node: ast.AST, read: Callable[[ast.expr], str], content: Callable[[str], str], enums: Collection[str]
) -> None:
    """Raise Unsupported where the answer depends on which object a value is.

    `content` gives the text of what an object holds; `enums` are classes whose members are written like other kinds.
    """
    match node:
        case ast.Assign(value=ast.Compare(left=left, ops=[op], comparators=[right])):
            pass
        case _:
            return
    if not all(isinstance(side, ast.Name) for side in (left, right)):
        return
    one, other = read(left), read(right)
    match op:
        case ast.Is() | ast.IsNot():
            member = one.partition("(")[0] in enums and _MEMBER.match(one) is not None
            asked = one == other and not member and (_WRITTEN_OUT.match(one) is not None or _is_copied(one))
        case ast.Eq() | ast.NotEq():
            asked = one == other and _is_exception(one)
        case ast.In() | ast.NotIn():
            asked = _is_exception(one) and one in content(other)
        case _:
            return
    if asked:
        raise Unsupported("whether two equal values are one object, which no frame shows")


def _is_copied(text: str) -> bool:
    """Whether it is a number or text of which there may be several: Python keeps small integers and single letters."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    match value:
        case bool() | None:
            return False
        case int():
            return not -5 <= value <= 256
        case str() | bytes():
            return len(value) > 1 or (isinstance(value, str) and value > "\xff")
    return isinstance(value, float | complex)


def _is_exception(text: str) -> bool:
    match = _WRITTEN_OUT.match(text)
    known = getattr(builtins, match[1], None) if match and match[1] else None
    return isinstance(known, type) and issubclass(known, BaseException)
