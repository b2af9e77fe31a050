"""Grafts: edits that copy an expression from another place of the program.

Most repairs consist of code that the program already contains. A name is also replaced at several places of a line
at once, for lines that were copied and not adapted.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import combinations

from envs.editing import precedence
from envs.editing.likely.operands import plus_and_minus_one
from envs.editing.source_text import Replacement, SourceText

_MAX_GRAFTS = 8
"""Limit of expressions tried at one place; the nearest ones are taken."""
_MAX_LENGTH = 30
"""Limit of characters of a copied expression."""
_MAX_SWAPPED = 4
_GRAFTED = (ast.Call, ast.Subscript, ast.BinOp, ast.Attribute)


def from_function(code: SourceText) -> Iterator[Replacement]:
    """Replaces an expression by another one of its function that has the same guessed type."""
    pool = [node for node in code.loads(*_GRAFTED) if len(code.text(node)) <= _MAX_LENGTH and not code.is_callee(node)]
    for node in code.loads(ast.Name, *_GRAFTED):
        if code.is_callee(node) or code.function(node) is None:
            continue
        names, near = set(code.names(node)), sorted(pool, key=lambda other: abs(other.lineno - node.lineno))
        fitting = (other for other in near if _fits(code, node, other, names))
        texts = {code.text(other): other for other in fitting}
        for text, other in list(texts.items())[:_MAX_GRAFTS]:
            yield code.replace("graft", node, text, precedence.of(other))


def _fits(code: SourceText, node: ast.expr, other: ast.expr, names: set[str]) -> bool:
    """Whether `other` can replace `node`: same function, compatible type, known variables, and no part of `node`."""
    if code.function(other) is not code.function(node) or code.text(other) in code.text(node):
        return False
    return _alike(code, node, other) and _variables(code, other) <= names


def _alike(code: SourceText, node: ast.expr, other: ast.expr) -> bool:
    """Whether two expressions share a guessed type; without a guess, whether they have the same node type."""
    known, found = code.types.of(node), code.types.of(other)
    return bool(known & found) if known and found else type(node) is type(other)


def from_neighbour(code: SourceText) -> Iterator[Replacement]:
    """Rewrites an operand or argument after its neighbour, with its own variable: `f(a) < b` as `f(a) < f(b)`."""
    for node in code.loads(ast.Compare, ast.BinOp, ast.BoolOp, ast.Call, ast.Tuple):
        operands = _operands(node)
        for operand in operands:
            own = [name for name in _ordered_names(operand) if name in code.names(operand)]
            for other in operands:
                if other is operand or len(code.text(other)) > 2 * _MAX_LENGTH:
                    continue
                for name in _ordered_names(other):
                    for mine in own:
                        if mine != name and name in code.names(other):
                            text = _renamed(code.text(other), name, mine)
                            yield code.replace("graft-neighbour", operand, text, precedence.of(other))


def renamed_together(code: SourceText) -> Iterator[Replacement]:
    """Replaces a variable that a line reads several times by another one, at all these places."""
    for statement in code.statements(ast.Assign, ast.AugAssign, ast.Return, ast.Expr):
        read = [
            node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        ]
        names = code.names(statement)
        for name in dict.fromkeys(each for each in read if read.count(each) > 1 and each in names):
            for other in names:
                if other != name and code.types.compatible(ast.Name(name, ast.Load()), other):
                    yield _rewritten(code, statement, name, other)


def _rewritten(code: SourceText, statement: ast.stmt, name: str, other: str) -> Replacement:
    """Replaces all reads of a name in a statement by another name."""
    start, end = code.span(statement)
    text, shift = code.source[start:end], 0
    reads = [node for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id == name]
    for node in sorted((each for each in reads if isinstance(each.ctx, ast.Load)), key=lambda each: code.span(each)):
        first, last = (place - start + shift for place in code.span(node))
        text = text[:first] + other + text[last:]
        shift += len(other) - len(name)
    return Replacement("variable-together", start, end, text)


def swapped_together(code: SourceText) -> Iterator[Replacement]:
    """Swaps two variables in all places of a value: `x * width + y` as `y * width + x`."""
    for statement in code.statements(ast.Assign, ast.AugAssign, ast.Return, ast.Expr, ast.If, ast.While):
        value = statement.test if isinstance(statement, ast.If | ast.While) else statement.value  # type: ignore[attr-defined]
        if value is None or code.function(statement) is None:
            continue
        names = [name for name in _ordered_names(value) if name in code.names(statement)][:_MAX_SWAPPED]
        for one, other in combinations(names, 2):
            if code.types.compatible(ast.Name(one, ast.Load()), other) and not _binds(value):
                yield code.replace("variable-swap", value, swapped(code.text(value), one, other), precedence.of(value))


def _binds(value: ast.expr) -> bool:
    """Whether an expression binds names of its own, as comprehensions and lambdas do."""
    return any(isinstance(node, ast.comprehension | ast.Lambda | ast.NamedExpr) for node in ast.walk(value))


def other_item(code: SourceText) -> Iterator[Replacement]:
    """Replaces an item by the one before or after it in another list: `a[i]` by `b[i + 1]`."""
    for node in code.loads(ast.Subscript):
        match node:
            case ast.Subscript(value=ast.Name(id=name) as owner, slice=index) if not isinstance(index, ast.Slice):
                if name not in code.names(node) or code.types.of(owner) & {"dict"}:
                    continue
                for other in code.names(node):
                    if other != name and code.types.of_name(other) & {"list", "text", "tuple"}:
                        yield from (
                            code.replace("other-item", node, f"{other}[{text}]")
                            for text in plus_and_minus_one(code, index)
                        )


def longer_displays(code: SourceText) -> Iterator[Replacement]:
    """Appends a constant to a list, tuple or set display: one of the program, or the successor of the last item."""
    constants = {code.text(node): code.types.of(node) for node in code.loads(ast.Constant) if _is_code(code, node)}
    for node in code.loads(ast.List, ast.Tuple, ast.Set):
        items = node.elts  # type: ignore[attr-defined]
        if not items or not all(isinstance(each, ast.Constant) for each in items):
            continue
        last_types, end = code.types.of(items[-1]), code.span(items[-1])[1]
        held = {code.text(each) for each in items}
        alike = [text for text, other in constants.items() if other == last_types and "\n" not in text]
        for text in dict.fromkeys([*alike, *_following(items[-1].value)]):
            if text not in held:
                yield Replacement("display-longer", end, end, f", {text}")


def _is_code(code: SourceText, node: ast.expr) -> bool:
    """Whether a node is in a function and in no f-string; the parser does not always know positions in f-strings."""
    return code.function(node) is not None and not isinstance(code.parents[node], ast.JoinedStr)


def _following(value: object) -> list[str]:
    """The successor of an integer or of a single letter or digit."""
    if isinstance(value, int) and not isinstance(value, bool):
        return [repr(value + 1)]
    return [repr(chr(ord(value) + 1))] if isinstance(value, str) and len(value) == 1 and value.isalnum() else []


def _operands(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.Compare(left=left, comparators=comparators):
            return [left, *comparators]
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.BoolOp(values=values):
            return values
        case ast.Call(args=args):
            return [each for each in args if not isinstance(each, ast.Starred)]
        case ast.Tuple(elts=items):
            return [each for each in items if not isinstance(each, ast.Starred)]
    return []


def _ordered_names(node: ast.expr) -> list[str]:
    return list(dict.fromkeys(each.id for each in ast.walk(node) if isinstance(each, ast.Name)))


def _variables(code: SourceText, node: ast.expr) -> set[str]:
    return set(_ordered_names(node)) & set(code.names(node))


def swapped(text: str, one: str, other: str) -> str:
    """The text of code with two names in each other's place."""
    pattern = rf"(?<![\w.])({re.escape(one)}|{re.escape(other)})(?!\w)"
    return re.sub(pattern, lambda found: other if found[1] == one else one, text)


def _renamed(text: str, name: str, other: str) -> str:
    return re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w)", other, text)
