"""Edits of boolean logic: `and` for `or`, another grouping, an added or removed `not`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.operator_text import COMPARISONS, OPPOSITES, sign_replacement
from envs.editing.source_text import Replacement, SourceText

_WORDS: dict[type[ast.boolop], tuple[str, str]] = {ast.And: ("and", "or"), ast.Or: ("or", "and")}


def connectives(code: SourceText) -> Iterator[Replacement]:
    """Replaces `and` by `or` and the reverse: in a whole chain, at one place, and at one place in parentheses."""
    for node in code.loads(ast.BoolOp):
        assert isinstance(node, ast.BoolOp)
        word, other = _WORDS[type(node.op)]
        yield from _whole(code, node, other)
        for place in range(len(node.values) - 1):
            left, right = node.values[place : place + 2]
            replacement = sign_replacement(code, "connective", left, right, sign=word, after=other)
            if replacement and len(node.values) > 2:
                yield replacement
            if len(node.values) > 2:
                yield _grouped(code, node, place, other)


def _whole(code: SourceText, node: ast.BoolOp, other: str) -> Iterator[Replacement]:
    level = precedence.AND if other == "and" else precedence.OR
    text = f" {other} ".join(code.operand(value, level + 1) for value in node.values)
    yield code.replace("connective", node, text, level)


def _grouped(code: SourceText, node: ast.BoolOp, place: int, other: str) -> Replacement:
    """Joins two neighbouring values by the other word, in parentheses."""
    values = [code.operand(value, precedence.of(node) + 1) for value in node.values]
    joined = f"({values[place]} {other} {values[place + 1]})"
    word, _ = _WORDS[type(node.op)]
    text = f" {word} ".join([*values[:place], joined, *values[place + 2 :]])
    return code.replace("grouping", node, text, precedence.of(node))


def regroupings(code: SourceText) -> Iterator[Replacement]:
    """Replaces `a or b and c` by `(a or b) and c`."""
    for node in code.loads(ast.BoolOp):
        match node:
            case ast.BoolOp(op=ast.Or(), values=[*first, ast.BoolOp(op=ast.And(), values=[inner, *rest])]):
                head = " or ".join(code.operand(each, precedence.AND) for each in [*first, inner])
                tail = " and ".join(code.operand(each, precedence.NOT) for each in rest)
                yield code.replace("grouping", node, f"({head}) and {tail}", precedence.AND)


def negations(code: SourceText) -> Iterator[Replacement]:
    """Removes a `not`, or adds one before a condition that is no comparison."""
    for node in code.loads():
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield code.replace("negation", node, code.text(operand), precedence.of(operand))
            case ast.Name() | ast.Call() | ast.Subscript() | ast.BoolOp() | ast.Attribute():
                if is_condition(code, node):
                    text = f"not {code.operand(node, precedence.NOT)}"
                    yield code.replace("negation", node, text, precedence.NOT)


def negated_parts(code: SourceText) -> Iterator[Replacement]:
    """Replaces `a and b` by `a or not b`, and `a or b` by `a and not b`; of a comparison, by its opposite sign."""
    for node in code.loads(ast.BoolOp):
        match node:
            case ast.BoolOp(op=op, values=[left, right]):
                _, other = _WORDS[type(op)]
                level = precedence.AND if other == "and" else precedence.OR
                kept, text = code.operand(left, level + 1), _negated(code, right)
                yield code.replace("negated-part", node, f"{kept} {other} {text}", level)
                kept, text = code.operand(right, level + 1), _negated(code, left)
                yield code.replace("negated-part", node, f"{text} {other} {kept}", level)


def _negated(code: SourceText, node: ast.expr) -> str:
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return code.operand(operand, precedence.NOT)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return f"{code.text(left)} {COMPARISONS[OPPOSITES[type(op)]]} {code.text(right)}"
    return f"not {code.operand(node, precedence.NOT)}"


def toggles(code: SourceText) -> Iterator[Replacement]:
    """Replaces `x = True` and `x = False` by `x = not x`."""
    for statement in code.statements(ast.Assign):
        match statement:
            case ast.Assign(
                targets=[ast.Name() | ast.Attribute() as target], value=ast.Constant(value=bool()) as value
            ):
                if code.function(statement) is not None:
                    yield code.replace("toggle", value, f"not {code.text(target)}", precedence.NOT)


def is_condition(code: SourceText, node: ast.expr) -> bool:
    """Whether the program uses the truth value of an expression."""
    match code.parents[node]:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
            return node is test
        case ast.comprehension(ifs=tests):
            return node in tests
        case ast.BoolOp():
            return True
        case ast.Return():
            return code.types.of(node) == {"bool"} or isinstance(node, ast.BoolOp)
    return False
