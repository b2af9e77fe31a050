"""Which sources a program can reach, by its text alone: a frame shows a row for each of them, and no other."""

import ast
from collections.abc import Iterator
from functools import lru_cache

from envs.execution.sources.scripted_sources import OTHER_READINGS, READINGS

_MENTIONED = ("random", "input", "open", "time", "datetime")
_CLOCKS = {"time": READINGS | OTHER_READINGS, "datetime": frozenset({"now", "utcnow", "today"})}
"""Names by which the clock is read, by the module that has them: `strftime` of a date reads none."""
_MODULES = frozenset({"random", "time", "datetime"})
_NONE: frozenset[str] = frozenset()


@lru_cache(maxsize=512)
def used_sources(source: str) -> frozenset[str]:
    """The rows of the program's sources: `@random` where it imports `random`, `@input` where it calls `input`.

    >>> sorted(used_sources("import random\\nprint(input())"))
    ['@input', '@random']
    """
    if not any(word in source for word in _MENTIONED):
        return _NONE
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _NONE
    modules, bound = {name.partition(".")[0] for _, name in _imports(nodes)}, _bound(nodes)
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)} - bound
    found = {f"@{module}" for module in ("random",) if module in modules}
    found |= {row for row, name in (("@input", "input"), ("@files", "open")) if name in called}
    return frozenset(found | ({"@clock"} if _reads_clock(nodes, modules) else set()))


@lru_cache(maxsize=512)
def source_imports(source: str) -> dict[str, str]:
    """Names of the module that imports bind to modules of sources or to what they hold, with the whole name.

    >>> source_imports("import datetime as dt\\nfrom random import randint as draw")
    {'dt': 'datetime', 'draw': 'random.randint'}
    """
    return dict(_imports(ast.parse(source).body))


def _imports(nodes: list[ast.stmt] | list[ast.AST]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((each.asname or each.name, each.name) for each in node.names if each.name in _MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in _MODULES:
            yield from ((each.asname or each.name, f"{node.module}.{each.name}") for each in node.names)


def _bound(nodes: list[ast.AST]) -> set[str]:
    """Names that the program binds anywhere: `input` and `open` of its own are no sources."""
    found = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    found |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    found |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)}
    return found | {
        each.asname or each.name
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for each in node.names
    }


def _reads_clock(nodes: list[ast.AST], modules: set[str]) -> bool:
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    names = attributes | {name.rpartition(".")[2] for _, name in _imports(nodes) if "." in name}
    return any(module in modules and not clocks.isdisjoint(names) for module, clocks in _CLOCKS.items())
