"""Edits of calls: swap, remove or add arguments; call a similar function or method."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from envs.editing import precedence
from envs.editing.guessed_types import NUMBERS
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
    ("extend", "extendleft"),
    ("update", "subtract"),
)
_SIMILAR_LIBRARY = (
    ("heappush", "heappop", "heappushpop", "heapreplace"),
    ("heapify", "heappop"),
    ("nlargest", "nsmallest"),
    ("bisect_left", "bisect_right"),
    ("bisect", "bisect_left"),
    ("insort_left", "insort_right", "insort"),
    ("combinations", "permutations", "combinations_with_replacement"),
    ("takewhile", "dropwhile"),
    ("zip_longest", "zip"),
    ("copy", "deepcopy"),
    ("dict", "OrderedDict", "Counter", "defaultdict"),
    ("list", "deque"),
)
"""Functions of modules; those that the program does not import are left out where it names them without a module."""


def _similar(name: str, groups: tuple[tuple[str, ...], ...]) -> list[str]:
    others = (other for group in groups if name in group for other in group)
    return [other for other in dict.fromkeys(others) if other != name]


def names(code: SourceText) -> Iterator[Replacement]:
    """Replaces each builtin and method by the ones that programmers confuse it with."""
    for node in code.loads(ast.Call, ast.Name):
        match node:
            case ast.Call(func=ast.Attribute(attr=method) as function):
                end = code.span(function)[1]
                for other in [*_similar(method, _SIMILAR_METHODS), *_similar(method, _of_modules(code, function))]:
                    yield Replacement("method-name", end - len(method), end, other)
                if isinstance(function.value, ast.Name) and function.value.id == "math":
                    for other in _similar(method, _SIMILAR_BUILTINS[3:4]):
                        text = other if other in ("round", "int") else f"math.{other}"
                        yield code.replace("call-name", function, text)
            case ast.Name(id=name) if name not in code.names(node):
                library = [other for other in _similar(name, _SIMILAR_LIBRARY) if other in _imported(code)]
                for other in [*_similar(name, _SIMILAR_BUILTINS), *library]:
                    yield code.replace("call-name", node, other)


def _of_modules(code: SourceText, function: ast.Attribute) -> tuple[tuple[str, ...], ...]:
    """The groups of library functions for `module.function`; none for the method of an object."""
    modules = (each.name for node in code.tree.body if isinstance(node, ast.Import) for each in node.names)
    return _SIMILAR_LIBRARY if isinstance(function.value, ast.Name) and function.value.id in modules else ()


def _imported(code: SourceText) -> set[str]:
    return {each.name for node in code.tree.body if isinstance(node, ast.ImportFrom) for each in node.names}


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


def keyword_names(code: SourceText) -> Iterator[Replacement]:
    """Replaces the name of a keyword argument by another one that the program uses with the same function."""
    used: dict[str, dict[str, None]] = {}
    calls = [node for node in code.loads(ast.Call) if isinstance(node, ast.Call)]
    for node in calls:
        used.setdefault(_called(node), {}).update((each.arg, None) for each in node.keywords if each.arg)
    for node in calls:
        own = {each.arg for each in node.keywords}
        for each in node.keywords:
            start = code.offset(each.lineno, each.col_offset)
            for other in used[_called(node)]:
                if each.arg and other not in own:
                    yield Replacement("keyword-name", start, start + len(each.arg), other)


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


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
            case ast.Call(func=ast.Attribute(attr="popitem"), args=[], keywords=[]):
                yield Replacement("argument-add", end, end, "last=False")
            case ast.Call(func=ast.Attribute(attr="move_to_end"), args=[_], keywords=[]):
                yield Replacement("argument-add", end, end, ", last=False")
            case ast.Call(func=ast.Name(id="deque"), args=[_], keywords=[]):
                sizes = [each for each in code.near_names(node, 4) if code.types.of_name(each) & NUMBERS]
                yield from (Replacement("argument-add", end, end, f", maxlen={each}") for each in sizes)
            case ast.Call(func=ast.Name(id="round"), args=[_]):
                yield Replacement("argument-add", end, end, ", 2")
            case ast.Call(func=ast.Name(id=name), args=args) if functions.get(name, 0) > len(args) > 0:
                yield from (Replacement("argument-add", end, end, f", {other}") for other in code.names(node))
