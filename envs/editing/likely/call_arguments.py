"""Edits of calls: arguments swapped, left out or put in; a similar function or method."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from envs.editing import precedence
from envs.editing.source_text import EditDraft, SourceText
from envs.editing.variable_scopes import parameters

_BUILTINS = (
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
_METHODS = (
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


def names(page: SourceText) -> Iterator[EditDraft]:
    """Each builtin and method replaced by the ones it is mistaken for."""
    for node in page.loads(ast.Call, ast.Name):
        match node:
            case ast.Call(func=ast.Attribute(attr=method) as function):
                end = page.span(function)[1]
                for other in _similar(method, _METHODS):
                    yield EditDraft("method-name", end - len(method), end, other)
                if isinstance(function.value, ast.Name) and function.value.id == "math":
                    for other in _similar(method, _BUILTINS[3:4]):
                        text = other if other in ("round", "int") else f"math.{other}"
                        yield page.replace("call-name", function, text)
            case ast.Name(id=name) if name not in page.names(node):
                for other in _similar(name, _BUILTINS):
                    yield page.replace("call-name", node, other)


def arguments(page: SourceText) -> Iterator[EditDraft]:
    """Two arguments in each other's place; one left out."""
    for node in page.loads(ast.Call):
        assert isinstance(node, ast.Call)
        spans = [page.span(each) for each in node.args]
        spans += [(page.offset(each.lineno, each.col_offset), page.span(each.value)[1]) for each in node.keywords]
        for (start, middle), (then, end) in combinations(spans[: len(node.args)], 2):
            first, second = page.source[start:middle], page.source[then:end]
            if first != second:
                yield EditDraft("argument-swap", start, end, f"{second}{page.source[middle:then]}{first}")
        for place in range(len(spans)):
            if len(spans) > 1 or isinstance(node.func, ast.Attribute):
                yield _without(page, spans, place)


def _without(page: SourceText, spans: list[tuple[int, int]], place: int) -> EditDraft:
    """The draft that removes an argument together with its comma."""
    start, end = spans[place]
    if place + 1 < len(spans):
        end = spans[place + 1][0]
    elif place:
        start = spans[place - 1][1]
    return EditDraft("argument-drop", start, end, "")


def ranges(page: SourceText) -> Iterator[EditDraft]:
    """`range` from 1, by another step, or backwards."""
    for node in page.loads(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id="range"), args=[stop]):
                end = page.text(stop)
                yield page.replace("range", node, f"range(1, {end})")
                yield page.replace("range", node, f"range(1, {page.operand(stop, precedence.SUM)} + 1)")
                yield page.replace("range", node, f"range({page.operand(stop, precedence.SUM)} - 1, -1, -1)")
            case ast.Call(func=ast.Name(id="range"), args=[start, stop]):
                first, last = page.operand(start, precedence.SUM), page.operand(stop, precedence.SUM)
                yield page.replace("range", node, f"range({last})")
                yield page.replace("range", node, f"range(0, {last})")
                yield page.replace("range", node, f"range({last} - 1, {first} - 1, -1)")
                yield page.replace("range", node, f"range({first}, {last}, 2)")


def keywords(page: SourceText) -> Iterator[EditDraft]:
    """`reverse=True` put into a sort, a default into `get`, and a variable into a call that lacks one."""
    functions = {name: len(parameters(node)) for name, node in page.scopes.functions.items()}
    for node in page.loads(ast.Call):
        assert isinstance(node, ast.Call)
        end = page.span(node)[1] - 1
        given = ", " if node.args or node.keywords else ""
        match node:
            case ast.Call(func=ast.Name(id="sorted")) | ast.Call(func=ast.Attribute(attr="sort")):
                if not any(keyword.arg == "reverse" for keyword in node.keywords):
                    yield EditDraft("argument-add", end, end, f"{given}reverse=True")
            case ast.Call(func=ast.Attribute(attr="get"), args=[_]):
                yield from (EditDraft("argument-add", end, end, f", {text}") for text in ("0", "1", "[]", "''"))
            case ast.Call(func=ast.Attribute(attr="pop"), args=[]):
                yield EditDraft("argument-add", end, end, "0")
            case ast.Call(func=ast.Name(id="round"), args=[_]):
                yield EditDraft("argument-add", end, end, ", 2")
            case ast.Call(func=ast.Name(id=name), args=args) if functions.get(name, 0) > len(args) > 0:
                yield from (EditDraft("argument-add", end, end, f", {other}") for other in page.names(node))
