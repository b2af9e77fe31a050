"""Edits of operands: one left out, one more or less, a variable added, taken away or multiplied by."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.guessed_types import NUMBERS
from envs.editing.source_text import EditDraft, SourceText

_MOST_VARIABLES = 5


def dropped(page: SourceText) -> Iterator[EditDraft]:
    """An operation without one of its operands, a choice without its condition, a comparison without its end."""
    for node in page.loads():
        for operand in _operands(node):
            yield page.replace("operand-drop", node, page.text(operand), precedence.of(operand))
        match node:
            case ast.BoolOp(values=values) if len(values) > 2:
                yield from _shorter_chains(page, node)
            case ast.Compare(left=left, ops=[_, _, *_], comparators=comparators):
                start, _ = page.span(left)
                last = page.span(comparators[-2])[1]
                yield page.replace("operand-drop", node, page.source[start:last], precedence.COMPARE)
                first = page.span(comparators[0])[0]
                text = page.source[first : page.span(node)[1]]
                yield page.replace("operand-drop", node, text, precedence.COMPARE)


def _operands(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.BoolOp(values=values):
            return values if len(values) == 2 else []
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
    return []


def _shorter_chains(page: SourceText, node: ast.BoolOp) -> Iterator[EditDraft]:
    binds = precedence.of(node)
    word = " and " if isinstance(node.op, ast.And) else " or "
    texts = [page.operand(value, binds + 1) for value in node.values]
    for place in range(len(texts)):
        yield page.replace("operand-drop", node, word.join(texts[:place] + texts[place + 1 :]), binds)


def choices(page: SourceText) -> Iterator[EditDraft]:
    """`a if c else b` as `b if c else a`."""
    for node in page.loads(ast.IfExp):
        assert isinstance(node, ast.IfExp)
        text = (
            f"{page.operand(node.orelse, precedence.OR)} if {page.text(node.test)}"
            f" else {page.operand(node.body, precedence.CONDITIONAL)}"
        )
        yield page.replace("operand-swap", node, text, precedence.CONDITIONAL)


def stepped(page: SourceText, node: ast.expr) -> list[str]:
    """An expression one more and one less; `x + 1` less one is `x`."""
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return [repr(value + 1), repr(value - 1)]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return [repr(1 - value), repr(-value - 1)]
        case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant(value=1)):
            return [f"{page.text(left)} + 2", page.text(left)]
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Constant(value=1)):
            return [page.text(left), f"{page.text(left)} - 2"]
    text = page.operand(node, precedence.SUM)
    return [f"{text} + 1", f"{text} - 1"]


def one_more_or_less(page: SourceText) -> Iterator[EditDraft]:
    """A number that is handed on, compared or counted to, one more and one less."""
    for node in page.loads(ast.Name, ast.Call, ast.Subscript, ast.BinOp, ast.Attribute):
        if _is_whole(page, node) and page.kinds.may(node, NUMBERS):
            for text in stepped(page, node):
                yield page.replace("one-off", node, text, precedence.SUM)


def with_variable(page: SourceText) -> Iterator[EditDraft]:
    """A number that is handed on or added up, plus, minus or times a variable; and a variable minus it."""
    for node in page.loads(ast.Name, ast.Call, ast.Subscript, ast.BinOp, ast.Constant):
        if not (_is_handed_on(page, node) and page.kinds.may(node, NUMBERS)):
            continue
        known = page.kinds.of(node) == {"number"}
        near = [*page.near_names(node, _MOST_VARIABLES), *page.scopes.data[:2]]
        for name in near:
            if name == page.text(node) or not page.kinds.name_may(name, NUMBERS):
                continue
            yield _sum(page, node, f"{{}} + {name}", precedence.SUM)
            yield _sum(page, node, f"{{}} - {name}", precedence.SUM)
            yield _sum(page, node, f"{name} - {{}}", precedence.PRODUCT)
            if known or not isinstance(node, ast.Constant):
                yield _sum(page, node, f"{{}} * {name}", precedence.PRODUCT)


def joined(page: SourceText) -> Iterator[EditDraft]:
    """A list or text with another one of the function put before or behind it."""
    for node in page.loads(ast.Name, ast.Call, ast.Subscript, ast.BinOp):
        kinds = page.kinds.of(node) & {"list", "text"}
        parent = page.parents[node]
        adds = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add)
        if not kinds or not (adds or _is_handed_on(page, node)):
            continue
        for name in page.near_names(node, _MOST_VARIABLES):
            if name != page.text(node) and (page.kinds.of(ast.Name(name, ast.Load())) & kinds or _is_cut(page, name)):
                yield _sum(page, node, f"{{}} + {name}", precedence.SUM)
                yield _sum(page, node, f"{name} + {{}}", precedence.SUM)


def _is_cut(page: SourceText, name: str) -> bool:
    """Whether nothing is known of a variable but that parts of it are taken: a list or a text, then."""
    parts = (node for node in page.loads(ast.Subscript) if isinstance(node, ast.Subscript))
    cut = any(isinstance(node.slice, ast.Slice) and page.text(node.value) == name for node in parts)
    return cut and not page.kinds.of(ast.Name(name, ast.Load()))


def _sum(page: SourceText, node: ast.expr, shape: str, needed: int) -> EditDraft:
    text = shape.format(page.operand(node, needed))
    return page.replace("with-variable", node, text, min(needed, precedence.SUM))


def _is_whole(page: SourceText, node: ast.expr) -> bool:
    """Not the operand of a sum, the owner of an attribute or a callee: there other edits do the same."""
    match page.parents[node]:
        case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.Attribute() | ast.FormattedValue() | ast.Starred():
            return False
        case ast.Call(func=function):
            return node is not function
        case ast.Subscript() | ast.Slice() | ast.BoolOp() | ast.For() | ast.comprehension() | ast.Tuple():
            return False  # subscripts have a family of their own
        case ast.If() | ast.While() | ast.IfExp() | ast.Expr():
            return False
    return not isinstance(node, ast.Name) or node.id in page.names(node)


def _is_handed_on(page: SourceText, node: ast.expr) -> bool:
    """Kept, given back, or handed to a function of the program; for builtins it was tried and never helped."""
    match page.parents[node]:
        case ast.Assign() | ast.AugAssign() | ast.Return():
            return _is_whole(page, node)
        case ast.Call(func=ast.Name(id=name), args=args):
            return name in page.scopes.functions and node in args
    return False
