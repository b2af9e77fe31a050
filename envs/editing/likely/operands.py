"""Edits of operands: remove one, add or subtract one, add, subtract or multiply by a variable."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.guessed_types import NUMBERS
from envs.editing.source_text import Replacement, SourceText

_MAX_VARIABLES = 5
_MOST_NEAR, _MOST_NUMBERS = 12, 7
"""Variables looked at, and those of them that may be numbers."""


def dropped(code: SourceText) -> Iterator[Replacement]:
    """Removes an operand of an operation, a branch of a conditional expression, or one end of a comparison chain."""
    for node in code.loads():
        for operand in _operands(node):
            yield code.replace("operand-drop", node, code.text(operand), precedence.of(operand))
        match node:
            case ast.BoolOp(values=values) if len(values) > 2:
                yield from _shorter_chains(code, node)
            case ast.Compare(left=left, ops=[_, _, *_], comparators=comparators):
                start, _ = code.span(left)
                last = code.span(comparators[-2])[1]
                yield code.replace("operand-drop", node, code.source[start:last], precedence.COMPARE)
                first = code.span(comparators[0])[0]
                text = code.source[first : code.span(node)[1]]
                yield code.replace("operand-drop", node, text, precedence.COMPARE)


def _operands(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.BoolOp(values=values):
            return values if len(values) == 2 else []
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
    return []


def _shorter_chains(code: SourceText, node: ast.BoolOp) -> Iterator[Replacement]:
    level = precedence.of(node)
    word = " and " if isinstance(node.op, ast.And) else " or "
    texts = [code.operand(value, level + 1) for value in node.values]
    for place in range(len(texts)):
        yield code.replace("operand-drop", node, word.join(texts[:place] + texts[place + 1 :]), level)


def swapped_branches(code: SourceText) -> Iterator[Replacement]:
    """Replaces `a if c else b` by `b if c else a`."""
    for node in code.loads(ast.IfExp):
        assert isinstance(node, ast.IfExp)
        text = (
            f"{code.operand(node.orelse, precedence.OR)} if {code.text(node.test)}"
            f" else {code.operand(node.body, precedence.CONDITIONAL)}"
        )
        yield code.replace("operand-swap", node, text, precedence.CONDITIONAL)


def plus_and_minus_one(code: SourceText, node: ast.expr) -> list[str]:
    """The texts of an expression plus one and minus one; `x + 1` minus one is `x`."""
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return [repr(value + 1), repr(value - 1)]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return [repr(1 - value), repr(-value - 1)]
        case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant(value=1)):
            return [f"{code.text(left)} + 2", code.text(left)]
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Constant(value=1)):
            return [code.text(left), f"{code.text(left)} - 2"]
    text = code.operand(node, precedence.SUM)
    return [f"{text} + 1", f"{text} - 1"]


def off_by_one(code: SourceText) -> Iterator[Replacement]:
    """Replaces a number by itself plus one and minus one, where it is a whole expression."""
    for node in code.loads(ast.Name, ast.Call, ast.Subscript, ast.BinOp, ast.Attribute):
        if _is_whole_expression(code, node) and code.types.may_be(node, NUMBERS):
            for text in plus_and_minus_one(code, node):
                yield code.replace("one-off", node, text, precedence.SUM)


def with_variable(code: SourceText) -> Iterator[Replacement]:
    """Adds, subtracts or multiplies a variable where a number is stored, returned or passed on."""
    for node in code.loads(ast.Name, ast.Call, ast.Subscript, ast.BinOp, ast.Constant):
        if not (_is_stored_or_passed(code, node) and code.types.may_be(node, NUMBERS)):
            continue
        known = code.types.of(node) == {"number"}
        near = [*code.near_names(node, _MOST_NEAR), *code.scopes.module_names[:2]]
        others = [each for each in near if each != code.text(node) and code.types.name_may_be(each, NUMBERS)]
        for name in others[:_MOST_NUMBERS]:
            if code.text(node) != "0":  # `0 + name` is `name`, which another family has
                yield _sum(code, node, f"{{}} + {name}", precedence.SUM)
            yield _sum(code, node, f"{{}} - {name}", precedence.SUM)
            yield _sum(code, node, f"{name} - {{}}", precedence.PRODUCT)
            if (known or not isinstance(node, ast.Constant)) and code.text(node) not in ("0", "1"):
                yield _sum(code, node, f"{{}} * {name}", precedence.PRODUCT)


def joined(code: SourceText) -> Iterator[Replacement]:
    """Joins a list or string with another variable of the function, before or after it."""
    for node in code.loads(ast.Name, ast.Call, ast.Subscript, ast.BinOp):
        types = code.types.of(node) & {"list", "text"}
        parent = code.parents[node]
        adds = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add)
        if not types or not (adds or _is_stored_or_passed(code, node)):
            continue
        for name in code.near_names(node, _MAX_VARIABLES):
            if name != code.text(node) and (code.types.of_name(name) & types or _is_only_sliced(code, name)):
                yield _sum(code, node, f"{{}} + {name}", precedence.SUM)
                yield _sum(code, node, f"{name} + {{}}", precedence.SUM)


def _is_only_sliced(code: SourceText, name: str) -> bool:
    """Whether the only fact about a variable is that it is sliced; then it is a list or a string."""
    parts = (node for node in code.loads(ast.Subscript) if isinstance(node, ast.Subscript))
    cut = any(isinstance(node.slice, ast.Slice) and code.text(node.value) == name for node in parts)
    return cut and not code.types.of_name(name)


def _sum(code: SourceText, node: ast.expr, shape: str, needed: int) -> Replacement:
    text = shape.format(code.operand(node, needed))
    return code.replace("with-variable", node, text, min(needed, precedence.SUM))


def _is_whole_expression(code: SourceText, node: ast.expr) -> bool:
    """Whether a node is no operand of a sum, no owner of an attribute and no callee; other edits cover those."""
    match code.parents[node]:
        case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.Attribute() | ast.FormattedValue() | ast.Starred():
            return False
        case ast.Call(func=function):
            return node is not function
        case ast.Subscript() | ast.Slice() | ast.BoolOp() | ast.For() | ast.comprehension() | ast.Tuple():
            return False  # subscripts have a family of their own
        case ast.If() | ast.While() | ast.IfExp() | ast.Expr():
            return False
    return not isinstance(node, ast.Name) or node.id in code.names(node)


def _is_stored_or_passed(code: SourceText, node: ast.expr) -> bool:
    """Whether a value is assigned, returned or passed to a function of the program.

    Arguments of builtins are left out: these edits were tried and repaired nothing.
    """
    match code.parents[node]:
        case ast.Assign() | ast.AugAssign() | ast.Return():
            return _is_whole_expression(code, node)
        case ast.Call(func=ast.Name(id=name), args=args):
            return name in code.scopes.functions and node in args
    return False
