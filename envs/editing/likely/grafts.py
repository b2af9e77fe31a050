"""Edits that take what they need from the program itself: an expression from elsewhere, from its neighbour, adapted.

What a repair is made of mostly stands in the program already. Names are changed together where a line was copied and
not adapted.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.likely.operands import stepped
from envs.editing.source_text import EditDraft, SourceText

_MOST_GRAFTS = 8
"""Expressions tried in one place: the nearest ones."""
_LONGEST = 30
"""Characters of an expression that is moved as a whole."""
_GRAFTED = (ast.Call, ast.Subscript, ast.BinOp, ast.Attribute)


def grafts(page: SourceText) -> Iterator[EditDraft]:
    """An expression replaced by another one of its function of the same kind."""
    pool = [node for node in page.loads(*_GRAFTED) if len(page.text(node)) <= _LONGEST and not _is_callee(page, node)]
    for node in page.loads(ast.Name, *_GRAFTED):
        if _is_callee(page, node) or page.function(node) is None:
            continue
        names, near = set(page.names(node)), sorted(pool, key=lambda other: abs(other.lineno - node.lineno))
        fitting = (other for other in near if _fits(page, node, other, names))
        texts = {page.text(other): other for other in fitting}
        for text, other in list(texts.items())[:_MOST_GRAFTS]:
            yield page.replace("graft", node, text, precedence.of(other))


def _fits(page: SourceText, node: ast.expr, other: ast.expr, names: set[str]) -> bool:
    """Whether an expression has a meaning in another's place, and is not part of it."""
    if page.function(other) is not page.function(node) or page.text(other) in page.text(node):
        return False
    return _alike(page, node, other) and _variables(page, other) <= names


def _alike(page: SourceText, node: ast.expr, other: ast.expr) -> bool:
    """Whether two expressions are known to be of one kind; where nothing is known, whether they look alike."""
    known, found = page.kinds.of(node), page.kinds.of(other)
    return bool(known & found) if known and found else type(node) is type(other)


def like_the_neighbour(page: SourceText) -> Iterator[EditDraft]:
    """An operand or argument made like the one beside it, with its own variable: `f(a) < b` as `f(a) < f(b)`."""
    for node in page.loads(ast.Compare, ast.BinOp, ast.BoolOp, ast.Call, ast.Tuple):
        operands = _operands(node)
        for operand in operands:
            own = [name for name in _ordered_names(operand) if name in page.names(operand)]
            for other in operands:
                if other is operand or len(page.text(other)) > 2 * _LONGEST:
                    continue
                for name in _ordered_names(other):
                    for mine in own:
                        if mine != name and name in page.names(other):
                            text = _renamed(page.text(other), name, mine)
                            yield page.replace("graft-neighbour", operand, text, precedence.of(other))


def renamed_together(page: SourceText) -> Iterator[EditDraft]:
    """A variable that a line reads several times replaced by another one in all these places."""
    for statement in page.statements(ast.Assign, ast.AugAssign, ast.Return, ast.Expr):
        read = [
            node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        ]
        names = page.names(statement)
        for name in dict.fromkeys(each for each in read if read.count(each) > 1 and each in names):
            for other in names:
                if other != name and page.kinds.alike(ast.Name(name, ast.Load()), other):
                    yield _rewritten(page, statement, name, other)


def _rewritten(page: SourceText, statement: ast.stmt, name: str, other: str) -> EditDraft:
    """All reads of a name in a statement by another one."""
    start, end = page.span(statement)
    text, grown = page.source[start:end], 0
    reads = [node for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id == name]
    for node in sorted((each for each in reads if isinstance(each.ctx, ast.Load)), key=lambda each: page.span(each)):
        first, last = (place - start + grown for place in page.span(node))
        text = text[:first] + other + text[last:]
        grown += len(other) - len(name)
    return EditDraft("variable-together", start, end, text)


def other_item(page: SourceText) -> Iterator[EditDraft]:
    """An item of another list, one place further or less far: `a[i]` as `b[i + 1]`."""
    for node in page.loads(ast.Subscript):
        match node:
            case ast.Subscript(value=ast.Name(id=name) as owner, slice=index) if not isinstance(index, ast.Slice):
                if name not in page.names(node) or page.kinds.of(owner) & {"dict"}:
                    continue
                for other in page.names(node):
                    if other != name and page.kinds.of(ast.Name(other, ast.Load())) & {"list", "text", "tuple"}:
                        yield from (
                            page.replace("other-item", node, f"{other}[{text}]") for text in stepped(page, index)
                        )


def longer_displays(page: SourceText) -> Iterator[EditDraft]:
    """A list, tuple or set that is written out, with one more constant at its end: the program's, or the next one."""
    constants = {page.text(node): page.kinds.of(node) for node in page.loads(ast.Constant) if _is_code(page, node)}
    for node in page.loads(ast.List, ast.Tuple, ast.Set):
        items = node.elts  # type: ignore[attr-defined]
        if not items or not all(isinstance(each, ast.Constant) for each in items):
            continue
        kind, end = page.kinds.of(items[-1]), page.span(items[-1])[1]
        held = {page.text(each) for each in items}
        alike = [text for text, other in constants.items() if other == kind and "\n" not in text]
        for text in dict.fromkeys([*alike, *_following(items[-1].value)]):
            if text not in held:
                yield EditDraft("display-longer", end, end, f", {text}")


def _is_code(page: SourceText, node: ast.expr) -> bool:
    """In a function, and not a piece of an f-string, whose place the parser does not always know."""
    return page.function(node) is not None and not isinstance(page.parents[node], ast.JoinedStr)


def _following(value: object) -> list[str]:
    """The constant that comes next when one counts on, by numbers or by letters."""
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


def _variables(page: SourceText, node: ast.expr) -> set[str]:
    return set(_ordered_names(node)) & set(page.names(node))


def _renamed(text: str, name: str, other: str) -> str:
    return re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w)", other, text)


def _is_callee(page: SourceText, node: ast.expr) -> bool:
    parent = page.parents[node]
    return isinstance(parent, ast.Call) and parent.func is node
