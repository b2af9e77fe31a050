"""Coroutines that never give way to another: those that are gathered run one after the other, whatever they change.

    await asyncio.gather(kitchen.take(tickets), kitchen.cook())

A coroutine gives way only where it awaits something that is not there yet. In a program that awaits nothing but calls
of its own coroutines, and `gather` of such calls, only one that gathers does; it must not be gathered itself, nor be
awaited by one that is. What could still be seen is that the others go on
after one has raised, so nothing may catch an exception or write output; and that all arguments are there before the
first one runs, so they must be names and constants that no other function binds. Knows only syntax.
"""

import ast
from collections.abc import Collection, Mapping, Sequence

from envs.execution.syntax.program_structure import nodes_of

_SEEING = (ast.Try, ast.TryStar, ast.With, ast.Global, ast.Nonlocal)
"""Statements by which a program could see the order, or what ran after an exception."""
_WRITING = frozenset({"print", "input", "open", "sys", "logging", "os", "exit", "quit", "eval", "exec"})


def never_pause(nodes: Sequence[ast.AST], calls: Mapping[int, str], coroutines: Collection[str]) -> bool:
    """Whether the program's coroutines run to their end once begun, and gathering them is calling them in order.

    `calls` are the calls of `asyncio` by their nodes' id.
    """
    if any(isinstance(node, _SEEING) for node in nodes) or not set(calls.values()) <= {"run", "gather"}:
        return False
    if any(isinstance(node, ast.Name) and node.id in _WRITING for node in nodes):
        return False
    awaited = {id(node.value) for node in nodes if isinstance(node, ast.Await)}
    gathers = [node for node in nodes if isinstance(node, ast.Call) and calls.get(id(node)) == "gather"]
    listed = all(id(node) in awaited and _is_listed(node.args, coroutines) for node in gathers)
    return listed and not _gathers_inside(nodes, gathers, coroutines)


def _gathers_inside(nodes: Sequence[ast.AST], gathers: Sequence[ast.Call], coroutines: Collection[str]) -> bool:
    """Whether a coroutine that is gathered, or one that it awaits, gathers others: it would give way meanwhile."""
    inside = {node.name: nodes_of(node) for node in nodes if isinstance(node, ast.AsyncFunctionDef)}
    reached = [name for call in gathers for name in _mentioned(nodes_of(call), coroutines)]
    for name in reached:  # grows while it is walked
        reached += [each for each in _mentioned(inside[name], coroutines) if each not in reached]
    return any(call in inside[name] for name in reached for call in gathers)


def _mentioned(nodes: Sequence[ast.AST], coroutines: Collection[str]) -> list[str]:
    """The coroutines that some nodes name, each once."""
    names = [node.id for node in nodes if isinstance(node, ast.Name)]
    names += [node.attr for node in nodes if isinstance(node, ast.Attribute)]
    return [name for name in dict.fromkeys(names) if name in coroutines]


def _is_listed(given: Sequence[ast.expr], coroutines: Collection[str]) -> bool:
    """Whether the arguments of a `gather` are calls, or one starred comprehension of calls."""
    match given:
        case [ast.Starred(value=ast.GeneratorExp(elt=item, generators=[turn]))]:
            return not turn.ifs and _is_ready(item, coroutines)
        case [ast.Starred(value=ast.ListComp(elt=item, generators=[turn]))]:
            return not turn.ifs and _is_ready(item, coroutines)
    return all(_is_ready(each, coroutines) for each in given)


def _is_ready(node: ast.expr, coroutines: Collection[str]) -> bool:
    """Whether it is the call of a coroutine by a name, or of an object with a name, whose arguments are there."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(value=ast.Name(), attr=name), args=args, keywords=words):
            parts = [*args, *(word.value for word in words if word.arg)]
            plain = all(isinstance(each, ast.Name | ast.Constant) for each in parts)
            return name in coroutines and plain and all(word.arg for word in words)
    return False
