"""Code that no author writes: operations that change nothing, branches that are never reached, a name set to itself.

    x / 1, x + 0, x * 1, x and True        the second operand changes nothing
    x == x, x - x, x or x                  both operands are the same
    x < y and x > y                        two comparisons of the same operands
    x = x                                  nothing is assigned
    if a: ... elif a: ...                  the second branch is never reached
    if a: b else: b                        both branches do the same
    return a; b                            b is never reached

Random edits make such programs; one that passes all tests passes them by accident more often than others. Only what a
patch adds counts: the program may have had such code before. Runs nothing.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from tasks.errors import TaskError
from tasks.reading.program_text import parse

_NEUTRAL = {
    0: (ast.Add, ast.Sub, ast.LShift, ast.RShift, ast.BitOr, ast.BitXor),
    1: (ast.Mult, ast.Div, ast.Pow),
}
"""Operators that change nothing with this number on their right; `% 1` and `// 1` split a float."""
_ALIKE = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.BitAnd, ast.BitOr, ast.BitXor)
"""Operators that nobody uses on two equal operands."""
_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def adds_pointless_code(source: str, patched: str) -> bool:
    """Whether a patched program has more pointless code of some kind than the program had."""
    return bool(_pointless(patched) - _pointless(source))


@lru_cache(256)
def _pointless(source: str) -> Counter[str]:
    """The kinds of pointless code in a program, with how often each occurs."""
    try:
        return Counter(kind for node in ast.walk(parse(source)) for kind in _kinds(node))
    except (TaskError, RecursionError):  # no program, or one that is nested too deep to be compared
        return Counter()


def _kinds(node: ast.AST) -> Iterator[str]:
    """What is pointless about a node itself, its parts left aside."""
    match node:
        case ast.BinOp(left, operator, right):
            if _is_neutral(operator, right) or (isinstance(operator, ast.Mult) and _is_neutral(operator, left)):
                yield "changes nothing"
            if isinstance(operator, _ALIKE) and _same([left, right]):
                yield "same operands"
        case ast.AugAssign(_, operator, value) if _is_neutral(operator, value):
            yield "changes nothing"
        case ast.BoolOp(operator, values):
            if any(isinstance(each, ast.Constant) for each in values[:-1]) or _is_neutral_truth(operator, values[-1]):
                yield "changes nothing"
            if _same(values) or (isinstance(operator, ast.And) and _same_pair(values)):
                yield "same operands"
        case ast.Compare(left, [operator, *_], [right, *_]) if not isinstance(operator, ast.NotEq):
            if _same([left, right]):
                yield "same operands"
        case ast.Assign(targets, value) if any(_is_name(each, value) for each in targets):
            yield "assigned to itself"
        case ast.IfExp(_, one, other) if _same([one, other]):
            yield "same branches"
        case ast.If(_, body, orelse):
            yield from _branch_kinds(node, body, orelse)
    blocks = (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
    if any(_is_left_early(block) for block in blocks if isinstance(block, list)):
        yield "never reached"


def _is_left_early(block: Sequence[ast.stmt]) -> bool:
    """Whether statements stand behind one that leaves; a `yield` there makes a function a generator."""
    first = next((at for at, each in enumerate(block) if isinstance(each, _LEAVES)), len(block))
    after = block[first + 1 :]
    return bool(after) and not any(isinstance(each, ast.Expr) and isinstance(each.value, ast.Yield) for each in after)


def _branch_kinds(node: ast.If, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> Iterator[str]:
    if len(body) == len(orelse) and not isinstance(orelse[0], ast.If) and _text(body) == _text(orelse):
        yield "same branches"
    match orelse:
        case [ast.If(test)] if _same([node.test, test]):
            yield "never reached"


def _is_neutral(operator: ast.operator, operand: ast.expr) -> bool:
    """Whether an operator changes nothing with this operand on its right."""
    number = operand.value if isinstance(operand, ast.Constant) else None
    return type(number) is int and isinstance(operator, _NEUTRAL.get(number, ()))


def _is_neutral_truth(operator: ast.boolop, operand: ast.expr) -> bool:
    """`x and True`, `x or False`."""
    return isinstance(operand, ast.Constant) and operand.value is isinstance(operator, ast.And)


def _is_name(target: ast.expr, value: ast.expr) -> bool:
    return isinstance(target, ast.Name) and isinstance(value, ast.Name) and target.id == value.id


def _same(parts: Sequence[ast.expr]) -> bool:
    """Whether two of the parts are the same and call nothing: a call may return something else each time."""
    quiet = [part for part in parts if not _calls(part)]
    return len(set(map(_meaning, quiet))) < len(quiet)


def _meaning(part: ast.expr) -> str:
    """The expression as text; `a > b` as `b < a`, which is the same."""
    match part:
        case ast.Compare(left, [ast.Gt()], [right]):
            part = ast.Compare(right, [ast.Lt()], [left])
        case ast.Compare(left, [ast.GtE()], [right]):
            part = ast.Compare(right, [ast.LtE()], [left])
    return ast.dump(part)


def _same_pair(parts: Sequence[ast.expr]) -> bool:
    """Whether two of the parts compare the same two operands, which call nothing, in whatever order."""
    pairs = [(part.left, *part.comparators) for part in parts if isinstance(part, ast.Compare)]
    quiet = [tuple(sorted(map(ast.dump, pair))) for pair in pairs if len(pair) == 2 and not any(map(_calls, pair))]
    return len(set(quiet)) < len(quiet)


def _calls(part: ast.expr) -> bool:
    """Whether an expression calls something."""
    return any(isinstance(each, ast.Call | ast.Await) for each in ast.walk(part))


def _text(block: Sequence[ast.stmt]) -> list[str]:
    return [ast.dump(each) for each in block]
