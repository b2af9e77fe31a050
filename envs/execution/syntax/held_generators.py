"""Generators that can see that they are closed, in programs where each is held by one name until its function ends.

Such a generator does something when it is dropped. Where a variable holds it from the line that makes it on, the
decomposed program drops it when the program does: at the end of the function, or never. Knows only syntax.
"""

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from envs.execution.syntax.bindings import bound_in
from envs.execution.syntax.program_structure import children_of, nodes_of

_YIELDS = (ast.Yield, ast.YieldFrom)
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_METHODS = frozenset({"send", "close", "throw"})
_THROWN = "_Thrown"
_HELPERS = ("_closed", _THROWN)
"""How functions begin that the decomposer writes for `close` and `throw`: their caller holds the generator."""


def closing_names(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """The names of generator functions that yield inside a `with`, or inside a `try` that sees the end."""
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef) and _closes(node))


def _closes(node: ast.FunctionDef) -> bool:
    return any(sees_closing(inner) for inner in _own_nodes(node) if isinstance(inner, ast.Try | ast.With))


def sees_closing(node: ast.Try | ast.With) -> bool:
    """Whether a generator that stands inside the statement can see that it is closed."""
    if isinstance(node, ast.Try) and not node.finalbody:
        types = [handler.type for handler in node.handlers]
        kinds = [each for kind in types for each in (kind.elts if isinstance(kind, ast.Tuple) else [kind])]
        if all(isinstance(kind, ast.Name) and kind.id not in ("BaseException", "GeneratorExit") for kind in kinds):
            return False
    return any(isinstance(inner, _YIELDS) for statement in node.body for inner in nodes_of(statement))


def held_generators(nodes: Sequence[ast.AST], guarded: Collection[str]) -> bool:
    """Whether every call of these functions is bound to a name that holds its generator until the function ends."""
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    times = Counter(node.name for node in functions)
    decorated = any(node.decorator_list for node in functions if node.name in guarded)
    mentions = sum(isinstance(node, ast.Name) and node.id in guarded for node in nodes)
    asked = any(isinstance(node, ast.Attribute) and node.attr in guarded for node in nodes)
    counts = [sum(_holds(statement, guarded, node) for statement in _steps(node)) for node in functions]
    once = all(times[name] == 1 for name in guarded) and not decorated and not asked
    return once and sum(counts) == mentions and _unwinds_alike(nodes, functions, guarded, max(counts, default=0))


def _unwinds_alike(
    nodes: Sequence[ast.AST], functions: Sequence[ast.FunctionDef], guarded: Collection[str], most: int
) -> bool:
    """Whether no exception that the program makes can leave a function while a variable of it holds such a generator.

    The decomposed program keeps an exception in a variable before it is raised, which keeps its frames alive.
    """
    written = [node for node in functions if node.name.startswith(_HELPERS)]
    helping = {id(each) for node in written for each in nodes_of(node)}
    throws = any(_throws(node) and id(node) not in helping for node in nodes)
    raises = [node for node in nodes if isinstance(node, ast.Raise | ast.Assert) and id(node) not in helping]
    if not throws:  # what `close` throws goes no further than the helper that throws it
        raises = [node for node in raises if not ast.unparse(node).startswith(f"raise {_THROWN}")]
    inside = {id(each) for node in functions if node.name in guarded for each in _own_nodes(node)}
    return all(id(node) in inside for node in raises) and (most <= 1 or not (raises or throws))


def _throws(node: ast.AST) -> bool:
    """Whether a line throws an exception into a generator, as it is written or as the decomposer writes it."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name.startswith(_THROWN) and name.endswith("_into")
    return isinstance(node, ast.Attribute) and node.attr == "throw"


def _holds(node: ast.stmt, guarded: Collection[str], function: ast.FunctionDef) -> bool:
    """Whether a statement binds such a generator to a name that the function uses for nothing but to move it."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=made))) if made in guarded:
            inside = nodes_of(function)
            uses = sum(isinstance(each, ast.Name) and each.id == name for each in inside)
            moves = sum(each.id == name for part in _own_nodes(function) for each in _moved(part))
            once = sum(each == name for statement in function.body for each in bound_in(statement)) == 1
            return once and uses == moves + 1
    return False


def _moved(node: ast.AST) -> Iterator[ast.Name]:
    """The names of generators that a node moves."""
    found: ast.expr | None = None
    match node:
        case ast.Call(func=ast.Name(id=called), args=[given, *_]) if called == "next" or called.startswith(_HELPERS):
            found = given
        case ast.Attribute(value=value, attr=attr) if attr in _METHODS:
            found = value
        case ast.For(iter=source):
            found = source
    if isinstance(found, ast.Name):
        yield found


def _steps(function: ast.FunctionDef) -> Iterator[ast.stmt]:
    """The statements of a function that run at most once: those of loops and inner functions are left out."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.stmt) and not isinstance(each, (*_INNER, ast.For, ast.While, ast.AsyncFor)):
            yield each
            waiting += children_of(each)
        elif isinstance(each, ast.ExceptHandler | ast.match_case):
            waiting += children_of(each)


def _own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """What stands in a function, without inner functions."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        each = waiting.pop()
        yield each
        if not isinstance(each, _INNER):
            waiting += children_of(each)
