"""Edits that extend an expression by one operation: an operand, a call, a subscript or a limit.

The likely families make the same edits only at places where they often repair a program.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.guessed_types import ARGUMENT_TYPES, NUMBERS, ORDERED
from envs.editing.source_text import Replacement, SourceText
from envs.editing.unlikely.place_conditions import constants_of

_MAX_NAMES = 5
_MOST_NEAR, _MAX_LIMITS = 12, 4
"""Variables looked at for limits, and those of them that may be numbers."""
_NODES = (ast.Name, ast.Call, ast.Subscript, ast.BinOp, ast.Attribute, ast.Constant, ast.JoinedStr)
_METHODS = ("strip", "lower", "upper", "rstrip", "lstrip", "split", "title", "capitalize")
_BUILTINS = ("len", "sum", "sorted", "abs", "int", "str", "list", "set", "max", "min")
"""In the order of the edits."""
_SUBSCRIPTS = ("0", "-1", "1:", ":-1", "::-1")


def operands(code: SourceText) -> Iterator[Replacement]:
    """Adds an operand to a number; joins a string or list with another one, before or after it."""
    for node in _editable_expressions(code):
        types = code.types.of(node)
        numbers, texts = constants_of(code, code.statement(node))
        names = code.near_names(node, _MAX_NAMES)
        if types & NUMBERS or not types:
            alike = [name for name in names if code.types.name_may_be(name, NUMBERS)]
            for other in dict.fromkeys(["1", "2", *(each for each in numbers if each not in "012"), *alike]):
                yield from _calculated(code, node, other)
            yield code.replace("grow-operand", node, f"-{code.operand(node, precedence.SIGN)}", precedence.SIGN)
        if types & {"text"}:
            for other in [*texts, *(name for name in names if "text" in code.types.of_name(name))]:
                yield from _joined(code, node, other)
        if types & {"list"}:
            for name in names:
                listed = "list" in code.types.of_name(name)
                yield from _joined(code, node, name if listed else f"[{name}]")


def _calculated(code: SourceText, node: ast.expr, other: str) -> Iterator[Replacement]:
    """Sums, differences, products, quotients and remainders with another operand."""
    text = code.text(node)
    if text == other:
        return
    for sign, level in (("+", precedence.SUM), ("-", precedence.SUM), ("*", precedence.PRODUCT)):
        yield code.replace("grow-operand", node, f"{code.operand(node, level)} {sign} {other}", level)
    if other != "1":
        for sign in ("%", "//"):
            left = code.operand(node, precedence.PRODUCT)
            yield code.replace("grow-operand", node, f"{left} {sign} {other}", precedence.PRODUCT)
    right = code.operand(node, precedence.PRODUCT)
    yield code.replace("grow-operand", node, f"{other} - {right}", precedence.SUM)


def _joined(code: SourceText, node: ast.expr, other: str) -> Iterator[Replacement]:
    text = code.operand(node, precedence.SUM)
    if text != other:
        yield code.replace("grow-operand", node, f"{text} + {other}", precedence.SUM)
        yield code.replace("grow-operand", node, f"{other} + {text}", precedence.SUM)


def limits(code: SourceText) -> Iterator[Replacement]:
    """Limits a number by `max` or `min` with another one."""
    for node in _editable_expressions(code):
        if isinstance(node, ast.Constant) or not code.types.may_be(node, NUMBERS):
            continue
        near = code.near_names(node, _MOST_NEAR)
        names = [name for name in near if name != code.text(node) and code.types.name_may_be(name, NUMBERS)]
        for other in dict.fromkeys(["0", "1", *names[:_MAX_LIMITS]]):
            if other != code.text(node):
                yield code.replace("grow-limit", node, f"max({code.text(node)}, {other})")
                yield code.replace("grow-limit", node, f"min({code.text(node)}, {other})")


def roundings(code: SourceText) -> Iterator[Replacement]:
    """Rounds a division up."""
    for node in code.loads(ast.BinOp):
        match node:
            case ast.BinOp(left=left, op=ast.FloorDiv() | ast.Div(), right=right):
                dividend, divisor = code.operand(left, precedence.SUM), code.operand(right, precedence.PRODUCT + 1)
                text = f"({dividend} + {divisor} - 1) // {divisor}"
                yield code.replace("grow-rounding", node, text, precedence.PRODUCT)


def calls(code: SourceText) -> Iterator[Replacement]:
    """Wraps a value in a builtin or a string method that takes its type."""
    for node in _editable_expressions(code):
        if isinstance(node, ast.Constant):
            continue
        types = code.types.of(node)
        for function in _BUILTINS:
            if types & ARGUMENT_TYPES[function] or not types:
                yield code.replace("grow-call", node, f"{function}({code.text(node)})")
        if "text" in types or not types:
            owner = code.operand(node, precedence.ATOM)
            yield from (code.replace("grow-call", node, f"{owner}.{method}()") for method in _METHODS)


def parts(code: SourceText) -> Iterator[Replacement]:
    """Subscripts a value, or uses the value as an index or key of another variable."""
    for node in _editable_expressions(code):
        if isinstance(node, ast.Constant):
            continue
        types = code.types.of(node)
        owner = code.operand(node, precedence.ATOM)
        if types & ORDERED or not types:
            yield from (code.replace("grow-part", node, f"{owner}[{part}]") for part in _SUBSCRIPTS)
        for name in code.near_names(node, _MAX_NAMES):
            if name == owner:
                continue
            others = code.types.of_name(name)
            if types & NUMBERS and others & ORDERED:
                yield code.replace("grow-part", node, f"{name}[{code.text(node)}]")
            if "dict" in others and not types & {"dict", "list", "set"}:
                yield code.replace("grow-part", node, f"{name}[{code.text(node)}]")
                yield code.replace("grow-part", node, f"{name}.get({code.text(node)}, 0)")
            if types & ORDERED and others & NUMBERS:
                for part in (f"{name}", f"{name}:", f":{name}", f"{name} + 1:", f":{name} + 1"):
                    yield code.replace("grow-part", node, f"{owner}[{part}]")


def without_item(code: SourceText) -> Iterator[Replacement]:
    """Replaces a slice by the sequence without one item: `xs[i + 1:]` by `xs[:i] + xs[i + 1:]`."""
    for node in code.loads(ast.Subscript):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Slice(step=None)):
                for index in code.near_names(node, _MAX_NAMES):
                    if index != name and code.types.name_may_be(index, NUMBERS):
                        text = f"{name}[:{index}] + {name}[{index} + 1:]"
                        yield code.replace("grow-part", node, text, precedence.SUM)


def arguments(code: SourceText) -> Iterator[Replacement]:
    """Adds an argument to a builtin or method: a key, a default, an order, a separator."""
    for node in code.loads(ast.Call):
        assert isinstance(node, ast.Call)
        if any(isinstance(each, ast.Starred) for each in node.args):
            continue
        given = {each.arg for each in node.keywords}
        for text in _arguments(code, node):
            if text.split("=")[0] not in given:
                end = code.span(node)[1] - 1
                comma = ", " if node.args or node.keywords else ""
                yield Replacement("grow-argument", end, end, f"{comma}{text}")


def _arguments(code: SourceText, node: ast.Call) -> Iterator[str]:
    _, texts = constants_of(code, code.statement(node))
    match node:
        case ast.Call(func=ast.Name(id="sorted" | "max" | "min") as function, args=[_]):
            if function.id == "sorted":
                yield "reverse=True"
            else:
                yield "default=0"
            yield from _sort_keys(code, node)
        case ast.Call(func=ast.Attribute(attr="sort"), args=[]):
            yield "reverse=True"
            yield from _sort_keys(code, node)
        case ast.Call(func=ast.Name(id="enumerate" | "sum"), args=[_]):
            yield "1"
        case ast.Call(func=ast.Attribute(attr="split" | "strip" | "lstrip" | "rstrip"), args=[]):
            yield from dict.fromkeys([*texts, '","', '" "'])
        case ast.Call(func=ast.Attribute(attr="split" | "rsplit"), args=[_], keywords=[]):
            yield "1"
        case ast.Call(func=ast.Attribute(attr="get" | "pop"), args=[_]):
            yield from ("0", "[]", '""', "None")
        case ast.Call(func=ast.Name(id="round"), args=[_]):
            yield from ("1", "2")
        case ast.Call(func=ast.Name(id="zip"), args=[_]):
            yield from code.near_names(node, 3)


def _sort_keys(code: SourceText, node: ast.expr) -> Iterator[str]:
    """Sort keys: the length, an item, a value of a dict, a function of the program."""
    yield from ("key=len", "key=lambda each: each[0]", "key=lambda each: each[1]", "key=lambda each: -each[1]")
    yield "key=lambda each: (-each[1], each[0])"
    yield "key=lambda each: (len(each), each)"
    for name in code.near_names(node, _MAX_NAMES):
        if code.types.name_may_be(name, frozenset({"dict"})):
            yield f"key=lambda each: {name}[each]"
    for name, function in code.scopes.functions.items():
        if len(function.args.args) == 1:
            yield f"key={name}"


def _editable_expressions(code: SourceText) -> Iterator[ast.expr]:
    """Expressions in functions that are read and that any other expression may replace."""
    for node in code.loads(*_NODES):
        if code.function(node) is None or isinstance(code.parents[node], ast.JoinedStr | ast.Expr | ast.Attribute):
            continue
        if code.is_callee(node):
            continue
        if isinstance(node, ast.Name) and node.id not in code.names(node):
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, bool | None):
            continue
        yield node
