"""An expression grown by one operation: an operand more, a method, an item or part of it, a limit.

Wider than the families of every day, which offer the same only where it was often meant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.guessed_types import NUMBERS, ORDERED, SIZED
from envs.editing.source_text import EditDraft, SourceText
from envs.editing.unlikely.place_conditions import constants_of

_MOST_NAMES = 5
_NODES = (ast.Name, ast.Call, ast.Subscript, ast.BinOp, ast.Attribute, ast.Constant, ast.JoinedStr)
_METHODS = ("strip", "lower", "upper", "rstrip", "lstrip", "split", "title", "capitalize")
_TAKES: dict[str, frozenset[str]] = {
    "len": SIZED,
    "sum": frozenset({"list", "tuple", "set"}),
    "sorted": SIZED,
    "abs": NUMBERS,
    "int": NUMBERS | {"text"},
    "str": NUMBERS,
    "list": SIZED,
    "set": SIZED - {"dict"},
    "max": frozenset({"list", "tuple", "set"}),
    "min": frozenset({"list", "tuple", "set"}),
}


def operands(page: SourceText) -> Iterator[EditDraft]:
    """A number with one more operand, a text or list with one more part, before or behind it."""
    for node in _places(page):
        kinds = page.kinds.of(node)
        numbers, texts = constants_of(page, page.statement(node))
        names = page.near_names(node, _MOST_NAMES)
        if kinds & NUMBERS or not kinds:
            alike = [name for name in names if page.kinds.name_may(name, NUMBERS)]
            for other in dict.fromkeys(["1", "2", *(each for each in numbers if each not in "012"), *alike]):
                yield from _calculated(page, node, other)
            yield page.replace("grow-operand", node, f"-{page.operand(node, precedence.SIGN)}", precedence.SIGN)
        if kinds & {"text"}:
            for other in [*texts, *(name for name in names if "text" in page.kinds.of(ast.Name(name, ast.Load())))]:
                yield from _joined(page, node, other)
        if kinds & {"list"}:
            for name in names:
                listed = "list" in page.kinds.of(ast.Name(name, ast.Load()))
                yield from _joined(page, node, name if listed else f"[{name}]")


def _calculated(page: SourceText, node: ast.expr, other: str) -> Iterator[EditDraft]:
    """Sums, products and rests with another operand."""
    text = page.text(node)
    if text == other:
        return
    for sign, binds in (("+", precedence.SUM), ("-", precedence.SUM), ("*", precedence.PRODUCT)):
        yield page.replace("grow-operand", node, f"{page.operand(node, binds)} {sign} {other}", binds)
    if other != "1":
        for sign in ("%", "//"):
            left = page.operand(node, precedence.PRODUCT)
            yield page.replace("grow-operand", node, f"{left} {sign} {other}", precedence.PRODUCT)
    right = page.operand(node, precedence.PRODUCT)
    yield page.replace("grow-operand", node, f"{other} - {right}", precedence.SUM)


def _joined(page: SourceText, node: ast.expr, other: str) -> Iterator[EditDraft]:
    text = page.operand(node, precedence.SUM)
    if text != other:
        yield page.replace("grow-operand", node, f"{text} + {other}", precedence.SUM)
        yield page.replace("grow-operand", node, f"{other} + {text}", precedence.SUM)


def limits(page: SourceText) -> Iterator[EditDraft]:
    """A number kept above or below another one."""
    for node in _places(page):
        if isinstance(node, ast.Constant) or not page.kinds.may(node, NUMBERS):
            continue
        names = [name for name in page.near_names(node, 3) if page.kinds.name_may(name, NUMBERS)]
        for other in dict.fromkeys(["0", "1", *names]):
            if other != page.text(node):
                yield page.replace("grow-limit", node, f"max({page.text(node)}, {other})")
                yield page.replace("grow-limit", node, f"min({page.text(node)}, {other})")


def roundings(page: SourceText) -> Iterator[EditDraft]:
    """A division that rounds up instead of down."""
    for node in page.loads(ast.BinOp):
        match node:
            case ast.BinOp(left=left, op=ast.FloorDiv() | ast.Div(), right=right):
                dividend, divisor = page.operand(left, precedence.SUM), page.operand(right, precedence.PRODUCT + 1)
                text = f"({dividend} + {divisor} - 1) // {divisor}"
                yield page.replace("grow-rounding", node, text, precedence.PRODUCT)


def calls(page: SourceText) -> Iterator[EditDraft]:
    """A value put through a builtin or a method that takes its kind."""
    for node in _places(page):
        if isinstance(node, ast.Constant):
            continue
        kinds = page.kinds.of(node)
        for function, taken in _TAKES.items():
            if kinds & taken or not kinds:
                yield page.replace("grow-call", node, f"{function}({page.text(node)})")
        if "text" in kinds or not kinds:
            owner = page.operand(node, precedence.ATOM)
            yield from (page.replace("grow-call", node, f"{owner}.{method}()") for method in _METHODS)


def parts(page: SourceText) -> Iterator[EditDraft]:
    """An item or a part of a value, or the value as a place in another."""
    for node in _places(page):
        if isinstance(node, ast.Constant):
            continue
        kinds = page.kinds.of(node)
        owner = page.operand(node, precedence.ATOM)
        if kinds & ORDERED or not kinds:
            yield from (page.replace("grow-part", node, f"{owner}[{part}]") for part in _PARTS)
        for name in page.near_names(node, _MOST_NAMES):
            if name == owner:
                continue
            others = page.kinds.of(ast.Name(name, ast.Load()))
            if kinds & NUMBERS and others & ORDERED:
                yield page.replace("grow-part", node, f"{name}[{page.text(node)}]")
            if "dict" in others and not kinds & {"dict", "list", "set"}:
                yield page.replace("grow-part", node, f"{name}[{page.text(node)}]")
                yield page.replace("grow-part", node, f"{name}.get({page.text(node)}, 0)")
            if kinds & ORDERED and others & NUMBERS:
                for part in (f"{name}", f"{name}:", f":{name}", f"{name} + 1:", f":{name} + 1"):
                    yield page.replace("grow-part", node, f"{owner}[{part}]")


_PARTS = ("0", "-1", "1:", ":-1", "::-1")


def without_item(page: SourceText) -> Iterator[EditDraft]:
    """A list or text with one item left out: `xs[i + 1:]` as `xs[:i] + xs[i + 1:]`."""
    for node in page.loads(ast.Subscript):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Slice(step=None)):
                for index in page.near_names(node, _MOST_NAMES):
                    if index != name and page.kinds.name_may(index, NUMBERS):
                        text = f"{name}[:{index}] + {name}[{index} + 1:]"
                        yield page.replace("grow-part", node, text, precedence.SUM)


def arguments(page: SourceText) -> Iterator[EditDraft]:
    """One more argument for a builtin or a method that takes one: a key, a default, an order, what to split at."""
    for node in page.loads(ast.Call):
        assert isinstance(node, ast.Call)
        if any(isinstance(each, ast.Starred) for each in node.args):
            continue
        given = {each.arg for each in node.keywords}
        for text in _arguments(page, node):
            if text.split("=")[0] not in given:
                end = page.span(node)[1] - 1
                comma = ", " if node.args or node.keywords else ""
                yield EditDraft("grow-argument", end, end, f"{comma}{text}")


def _arguments(page: SourceText, node: ast.Call) -> Iterator[str]:
    _, texts = constants_of(page, page.statement(node))
    match node:
        case ast.Call(func=ast.Name(id="sorted" | "max" | "min") as function, args=[_]):
            if function.id == "sorted":
                yield "reverse=True"
            else:
                yield "default=0"
            yield from _keys(page, node)
        case ast.Call(func=ast.Attribute(attr="sort"), args=[]):
            yield "reverse=True"
            yield from _keys(page, node)
        case ast.Call(func=ast.Name(id="enumerate" | "sum"), args=[_]):
            yield "1"
        case ast.Call(func=ast.Attribute(attr="split" | "strip" | "lstrip" | "rstrip"), args=[]):
            yield from dict.fromkeys([*texts, '","', '" "'])
        case ast.Call(func=ast.Attribute(attr="get" | "pop"), args=[_]):
            yield from ("0", "[]", '""', "None")
        case ast.Call(func=ast.Name(id="round"), args=[_]):
            yield from ("1", "2")
        case ast.Call(func=ast.Name(id="zip"), args=[_]):
            yield from page.near_names(node, 3)


def _keys(page: SourceText, node: ast.expr) -> Iterator[str]:
    """Keys to compare by: size, an item, a dict's value, and both in either order."""
    yield from ("key=len", "key=lambda each: each[0]", "key=lambda each: each[1]", "key=lambda each: -each[1]")
    yield "key=lambda each: (-each[1], each[0])"
    yield "key=lambda each: (len(each), each)"
    for name in page.near_names(node, _MOST_NAMES):
        if page.kinds.name_may(name, frozenset({"dict"})):
            yield f"key=lambda each: {name}[each]"
    for name, function in page.scopes.functions.items():
        if len(function.args.args) == 1:
            yield f"key={name}"


def _places(page: SourceText) -> Iterator[ast.expr]:
    """Expressions that are read and may be replaced by any other."""
    for node in page.loads(*_NODES):
        if page.function(node) is None or isinstance(page.parents[node], ast.JoinedStr | ast.Expr | ast.Attribute):
            continue
        if isinstance(page.parents[node], ast.Call) and page.parents[node].func is node:  # type: ignore[attr-defined]
            continue
        if isinstance(node, ast.Name) and node.id not in page.names(node):
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, bool | None):
            continue
        yield node
