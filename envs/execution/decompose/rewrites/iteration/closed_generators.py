"""`generator.close()` written as an exception that is thrown into the generator: the lines of its `finally` are steps.

    session.close()         ->      _closed(session)

For a name that holds nothing but a generator of the program which can see that it is closed. `thrown_errors.py` writes
what is thrown as a value that is sent. Knows only syntax.
"""

import ast

from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, occurring_names, rebound_builtins
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import filled, in_front, placed
from envs.execution.syntax.held_generators import closing_names, held_generators
from envs.execution.syntax.program_structure import nodes_of

_CLOSED = """
def NAME(generator):
    try:
        generator.throw(GeneratorExit())
    except (GeneratorExit, StopIteration):
        return None
    raise RuntimeError("generator ignored GeneratorExit")
"""
_USED = frozenset({"GeneratorExit", "StopIteration", "RuntimeError"})


@rewriting({"close"}, {ast.Yield})
def with_closed_generators(tree: ast.Module) -> ast.Module:
    """The program with such lines rewritten; the same tree where it has none."""
    nodes = nodes_of(tree)
    guarded = closing_names(nodes)
    if not guarded or hides_names(tree) or rebound_builtins(tree) & _USED or not held_generators(nodes, guarded):
        return tree
    name = fresh_name("_closed", occurring_names(tree))
    calls: list[ast.Call] = []
    for function in nodes:
        if isinstance(function, ast.FunctionDef):
            held = _held(function, guarded)
            calls += [call for each in nodes_of(function) if (call := _closing(each, held)) is not None]
    if not calls:
        return tree
    for call in calls:
        assert isinstance(call.func, ast.Attribute)
        call.args = [call.func.value]
        call.func = ast.copy_location(ast.Name(name, ast.Load()), call)
    return in_front(tree, placed(ast.parse(filled(_CLOSED, NAME=name)).body, min(call.lineno for call in calls)))


def _held(function: ast.FunctionDef, guarded: frozenset[str]) -> set[str]:
    """The names that a function binds to such generators."""
    found: set[str] = set()
    for node in nodes_of(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=made))) if made in guarded:
                found.add(name)
    return found


def _closing(node: ast.AST, held: set[str]) -> ast.Call | None:
    """The call of a line that only closes one of these."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(ast.Name(id=name), "close"), args=[], keywords=[]) as call):
            return call if name in held else None
    return None
