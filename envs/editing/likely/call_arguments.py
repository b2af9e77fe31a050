"""Edits of calls: swap, remove or add arguments; call a similar function or method."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from envs.editing import precedence
from envs.editing.source_text import Replacement, SourceText
from envs.editing.variable_scopes import parameters

_SIMILAR_BUILTINS = (
    ("min", "max", "sum", "len"),
    ("any", "all"),
    ("int", "float", "round", "abs", "str"),
    ("floor", "ceil", "round", "int"),
    ("list", "tuple", "set", "sorted", "reversed"),
    ("range", "enumerate"),
    ("ord", "chr", "int", "str"),
    ("bin", "hex", "oct", "str"),
    ("dict", "set", "list"),
)
_SIMILAR_METHODS = (
    ("append", "extend", "insert", "add"),
    ("append", "remove"),
    ("append", "appendleft"),
    ("pop", "popleft", "remove"),
    ("add", "discard", "remove", "update"),
    ("lower", "upper", "title", "capitalize", "swapcase"),
    ("islower", "isupper"),
    ("isdigit", "isalpha", "isalnum", "isspace", "isnumeric"),
    ("strip", "lstrip", "rstrip"),
    ("find", "rfind", "index", "rindex", "count"),
    ("startswith", "endswith"),
    ("split", "rsplit", "splitlines"),
    ("keys", "values", "items"),
    ("sort", "reverse"),
    ("get", "pop", "setdefault"),
    ("union", "intersection", "difference", "symmetric_difference"),
    ("ljust", "rjust", "center"),
    ("partition", "rpartition"),
    ("removeprefix", "removesuffix", "lstrip", "rstrip"),
)


def _similar(name: str, groups: tuple[tuple[str, ...], ...]) -> list[str]:
    others = (other for group in groups if name in group for other in group)
    return [other for other in dict.fromkeys(others) if other != name]


def names(code: SourceText) -> Iterator[Replacement]:
    """Replaces each builtin and method by the ones that programmers confuse it with."""
    for node in code.loads(ast.Call, ast.Name):
        match node:
            case ast.Call(func=ast.Attribute(attr=method) as function):
                end = code.span(function)[1]
                for other in _similar(method, _SIMILAR_METHODS):
                    yield Replacement("method-name", end - len(method), end, other)
                if isinstance(function.value, ast.Name) and function.value.id == "math":
                    for other in _similar(method, _SIMILAR_BUILTINS[3:4]):
                        text = other if other in ("round", "int") else f"math.{other}"
                        yield code.replace("call-name", function, text)
            case ast.Name(id=name) if name not in code.names(node):
                for other in _similar(name, _SIMILAR_BUILTINS):
                    yield code.replace("call-name", node, other)


def arguments(code: SourceText) -> Iterator[Replacement]:
    """Swaps two arguments; removes one."""
    for node in code.loads(ast.Call):
        assert isinstance(node, ast.Call)
        spans = [code.span(each) for each in node.args]
        spans += [(code.offset(each.lineno, each.col_offset), code.span(each.value)[1]) for each in node.keywords]
        for (start, middle), (then, end) in combinations(spans[: len(node.args)], 2):
            first, second = code.source[start:middle], code.source[then:end]
            if first != second:
                yield Replacement("argument-swap", start, end, f"{second}{code.source[middle:then]}{first}")
        for place in range(len(spans)):
            if len(spans) > 1 or isinstance(node.func, ast.Attribute):
                yield _without(code, spans, place)


def _without(code: SourceText, spans: list[tuple[int, int]], place: int) -> Replacement:
    """Removes an argument together with its comma."""
    start, end = spans[place]
    if place + 1 < len(spans):
        end = spans[place + 1][0]
    elif place:
        start = spans[place - 1][1]
    return Replacement("argument-drop", start, end, "")


def ranges(code: SourceText) -> Iterator[Replacement]:
    """Changes a `range`: start at 1, use another step, or count down."""
    for node in code.loads(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id="range"), args=[stop]):
                end = code.text(stop)
                yield code.replace("range", node, f"range(1, {end})")
                yield code.replace("range", node, f"range(1, {code.operand(stop, precedence.SUM)} + 1)")
                yield code.replace("range", node, f"range({code.operand(stop, precedence.SUM)} - 1, -1, -1)")
            case ast.Call(func=ast.Name(id="range"), args=[start, stop]):
                first, last = code.operand(start, precedence.SUM), code.operand(stop, precedence.SUM)
                yield code.replace("range", node, f"range({last})")
                yield code.replace("range", node, f"range(0, {last})")
                yield code.replace("range", node, f"range({last} - 1, {first} - 1, -1)")
                yield code.replace("range", node, f"range({first}, {last}, 2)")


def keywords(code: SourceText) -> Iterator[Replacement]:
    """Adds `reverse=True` to a sort, a default to `get`, and a variable to a call with too few arguments."""
    functions = {name: len(parameters(node)) for name, node in code.scopes.functions.items()}
    for node in code.loads(ast.Call):
        assert isinstance(node, ast.Call)
        end = code.span(node)[1] - 1
        given = ", " if node.args or node.keywords else ""
        match node:
            case ast.Call(func=ast.Name(id="sorted")) | ast.Call(func=ast.Attribute(attr="sort")):
                if not any(keyword.arg == "reverse" for keyword in node.keywords):
                    yield Replacement("argument-add", end, end, f"{given}reverse=True")
            case ast.Call(func=ast.Attribute(attr="get"), args=[_]):
                yield from (Replacement("argument-add", end, end, f", {text}") for text in ("0", "1", "[]", "''"))
            case ast.Call(func=ast.Attribute(attr="pop"), args=[]):
                yield Replacement("argument-add", end, end, "0")
            case ast.Call(func=ast.Name(id="round"), args=[_]):
                yield Replacement("argument-add", end, end, ", 2")
            case ast.Call(func=ast.Name(id=name), args=args) if functions.get(name, 0) > len(args) > 0:
                yield from (Replacement("argument-add", end, end, f", {other}") for other in code.names(node))
