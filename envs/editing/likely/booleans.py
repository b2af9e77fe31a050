"""Edits of conditions as logic: and for or, other grouping, a `not` more or less."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.operator_text import between
from envs.editing.source_text import EditDraft, SourceText

_WORDS: dict[type[ast.boolop], tuple[str, str]] = {ast.And: ("and", "or"), ast.Or: ("or", "and")}


def connectives(page: SourceText) -> Iterator[EditDraft]:
    """`and` for `or` and the other way round: all of a chain, one of it, and one of it in parentheses."""
    for node in page.loads(ast.BoolOp):
        assert isinstance(node, ast.BoolOp)
        word, other = _WORDS[type(node.op)]
        yield from _whole(page, node, other)
        for place in range(len(node.values) - 1):
            draft = between(page, "connective", node.values[place], node.values[place + 1], word, other)
            if draft and len(node.values) > 2:
                yield draft
            if len(node.values) > 2:
                yield _grouped(page, node, place, word, other)


def _whole(page: SourceText, node: ast.BoolOp, other: str) -> Iterator[EditDraft]:
    binds = precedence.AND if other == "and" else precedence.OR
    text = f" {other} ".join(page.operand(value, binds + 1) for value in node.values)
    yield page.replace("connective", node, text, binds)


def _grouped(page: SourceText, node: ast.BoolOp, place: int, word: str, other: str) -> EditDraft:
    """Two neighbours joined by the other word, in parentheses."""
    values = [page.operand(value, precedence.of(node) + 1) for value in node.values]
    joined = f"({values[place]} {other} {values[place + 1]})"
    text = f" {word} ".join([*values[:place], joined, *values[place + 2 :]])
    return page.replace("grouping", node, text, precedence.of(node))


def regroupings(page: SourceText) -> Iterator[EditDraft]:
    """`a or b and c` as `(a or b) and c`: parentheses where the words alone bind otherwise."""
    for node in page.loads(ast.BoolOp):
        match node:
            case ast.BoolOp(op=ast.Or(), values=[*first, ast.BoolOp(op=ast.And(), values=[inner, *rest])]):
                head = " or ".join(page.operand(each, precedence.AND) for each in [*first, inner])
                tail = " and ".join(page.operand(each, precedence.NOT) for each in rest)
                yield page.replace("grouping", node, f"({head}) and {tail}", precedence.AND)


def negations(page: SourceText) -> Iterator[EditDraft]:
    """A `not` taken away, or put before a condition that is no comparison."""
    for node in page.loads():
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield page.replace("negation", node, page.text(operand), precedence.of(operand))
            case ast.Name() | ast.Call() | ast.Subscript() | ast.BoolOp() | ast.Attribute():
                if is_condition(page, node):
                    text = f"not {page.operand(node, precedence.NOT)}"
                    yield page.replace("negation", node, text, precedence.NOT)


def is_condition(page: SourceText, node: ast.expr) -> bool:
    """Whether an expression is asked for its truth."""
    match page.parents[node]:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
            return node is test
        case ast.comprehension(ifs=tests):
            return node in tests
        case ast.BoolOp():
            return True
        case ast.Return():
            return page.kinds.of(node) == {"bool"} or isinstance(node, ast.BoolOp)
    return False
