"""Which functions, methods and attributes surely give a manager of the program: a `with` over it can be written out.

A method counts by its name alone, so no builtin type may have one of that name. Asks about syntax alone.
"""

import ast
import builtins
import io
from collections.abc import Sequence

from envs.execution.syntax.bindings import bound_in
from envs.execution.syntax.program_structure import nodes_of

_OF_BUILTINS = frozenset(
    name
    for kind in (*vars(builtins).values(), io.StringIO, io.TextIOWrapper)
    if isinstance(kind, type)
    for name in dir(kind)
)
_SETTING = frozenset({"setattr", "delattr", "__dict__", "vars", "__setattr__", "__getattr__"})
_MANAGING = ("__enter__", "__exit__", "__aenter__", "__aexit__")
_WITHOUT_MANAGERS = frozenset(
    "__future__ abc bisect collections collections.abc copy dataclasses datetime enum fractions functools heapq "
    "itertools json math operator random re statistics string time types typing".split()
)
"""Modules of which no object manages a `with`."""
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Yield, ast.YieldFrom)


def managers_made(nodes: Sequence[ast.AST], managers: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The names of functions and methods that return managers, and of attributes that hold them."""
    functions = [each for each in nodes if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    names = {each.id for each in nodes if isinstance(each, ast.Name)}
    attributes = [each for each in nodes if isinstance(each, ast.Attribute)]
    if (names | {each.attr for each in attributes}) & _SETTING:
        return frozenset(), frozenset()
    bound = {each.id for each in nodes if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)}
    bound |= {each.arg for each in nodes if isinstance(each, ast.arg)}
    stored = [each.attr for each in attributes if not isinstance(each.ctx, ast.Load)]
    taken = bound | set(stored) | _OF_BUILTINS
    themselves = {
        each
        for node in nodes
        if isinstance(node, ast.ClassDef) and node.name in managers
        for each in node.body
        if isinstance(each, ast.FunctionDef) and _returns_itself(each)
    }
    good = {each.name for each in functions if each in themselves or _returns_manager(each, managers)}
    bad = {each.name for each in functions if each not in themselves and not _returns_manager(each, managers)}
    makers = good - bad - taken
    given = [attr for each in nodes if (attr := _held(each, managers))]
    holders = {name for name in given if given.count(name) == stored.count(name)} - bound - _OF_BUILTINS
    return frozenset(makers), frozenset(holders - {each.name for each in functions})


def are_alone(nodes: Sequence[ast.AST], managers: frozenset[str]) -> bool:
    """Whether these classes are all that can manage a `with`: no import, builtin or other class gives a manager."""
    for node in nodes:
        match node:
            case ast.Import(names=aliases) if not all(alias.name in _WITHOUT_MANAGERS for alias in aliases):
                return False
            case ast.ImportFrom(module=module) if module not in _WITHOUT_MANAGERS:
                return False
            case ast.Name(id="open" | "memoryview" | "__import__" | "eval" | "exec"):
                return False
            case ast.ClassDef(name=name, body=body) if name not in managers and any(map(_enters, body)):
                return False
    return True


def _enters(node: ast.stmt) -> bool:
    return not set(bound_in(node)).isdisjoint(_MANAGING)


def _returns_itself(node: ast.FunctionDef) -> bool:
    """Whether a method of a manager gives nothing but its own object."""
    first = node.args.args[0].arg if node.args.args else ""
    inside = nodes_of(node)
    bound = any(
        isinstance(each, ast.Name) and each.id == first and not isinstance(each.ctx, ast.Load) for each in inside
    )
    if node.decorator_list or not first or bound or not isinstance(node.body[-1], ast.Return):
        return False
    if any(isinstance(each, _INNER) for each in inside if each is not node):
        return False
    returns = [each.value for each in inside if isinstance(each, ast.Return)]
    return all(isinstance(each, ast.Name) and each.id == first for each in returns)


def _returns_manager(node: ast.FunctionDef | ast.AsyncFunctionDef, managers: frozenset[str]) -> bool:
    """Whether a plain function gives nothing but new managers."""
    inside = nodes_of(node)
    if isinstance(node, ast.AsyncFunctionDef) or node.decorator_list or not isinstance(node.body[-1], ast.Return):
        return False
    if any(isinstance(each, _INNER) for each in inside if each is not node):
        return False
    returns = [each.value for each in inside if isinstance(each, ast.Return)]
    return all(each is not None and _is_manager(each, managers) for each in returns)


def _held(node: ast.AST, managers: frozenset[str]) -> str:
    """The attribute that an assignment gives a new manager; empty where it does none of it."""
    match node:
        case ast.Assign(targets=[ast.Attribute(attr=attr)], value=value) if _is_manager(value, managers):
            return attr
    return ""


def _is_manager(node: ast.expr, managers: frozenset[str]) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in managers
