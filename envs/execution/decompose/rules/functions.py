"""Functions: headers, lambdas, and those that are better left as they are."""

import ast
from collections.abc import Sequence

from envs.execution.decompose.fresh_names import FreshNames
from envs.execution.decompose.function_body import FunctionBody, text
from envs.execution.decompose.rules.expressions import is_atom, operands, rule
from envs.execution.decompose.rules.simple_statements import statement, suite
from envs.execution.decompose.verbatim import verbatim
from envs.execution.syntax.bindings import binds, parameters
from envs.execution.syntax.certain_types import certain_kinds
from envs.execution.syntax.name_scopes import (
    DOCUMENTED,
    FRAME_READERS,
    FRAME_SEERS,
    NAMED,
    RESUMING,
    FunctionNode,
    ProgramScopes,
    own_nodes,
    scope_of,
)
from envs.execution.syntax.program_structure import nodes_of

_SUSPECT = frozenset({ast.Yield, ast.YieldFrom, ast.Await, ast.TryStar, ast.AnnAssign})


def left_alone(node: FunctionNode, inside: Sequence[ast.AST], program: ProgramScopes) -> str | None:
    """Why a function with these own nodes is not decomposed; None when it is."""
    if isinstance(node, ast.AsyncFunctionDef):
        return "async function"
    for inner in inside:
        if type(inner) not in _SUSPECT:
            continue
        if isinstance(inner, ast.Yield | ast.YieldFrom):
            if isinstance(node, ast.Lambda) or program.mentions & RESUMING:
                return "generator function"
            held = isinstance(inner, ast.YieldFrom) and not isinstance(inner.value, ast.Call)
            if held and "close" in program.mentions:
                return "generator that hands on what closes it"
            continue
        if isinstance(inner, ast.Await | ast.TryStar):
            return f"function with {type(inner).__name__}"
        if isinstance(inner, ast.AnnAssign) and inner.value is None and isinstance(inner.target, ast.Name):
            return "function with a bare annotation"
    if getattr(node, "type_params", None):
        return "function with type parameters"
    if not program.mentions & FRAME_READERS:
        return None
    readers = {n.id for n in nodes_of(node) if isinstance(n, ast.Name)} & FRAME_READERS
    if "super" in readers and _asks_super_plainly(node, inside):
        readers -= {"super"}
    if "vars" in readers and _asks_objects(node):
        readers -= {"vars"}
    return f"function that uses {min(readers)}" if readers else None


def _asks_objects(node: FunctionNode) -> bool:
    """Whether every `vars` is a call with one argument, which reads that object and no frame."""
    named = [n for n in nodes_of(node) if isinstance(n, ast.Name) and n.id == "vars"]
    calls = [
        n for n in nodes_of(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "vars"
    ]
    plain = all(len(c.args) == 1 and not c.keywords and not isinstance(c.args[0], ast.Starred) for c in calls)
    return len(calls) == len(named) and plain


def _asks_super_plainly(node: FunctionNode, inside: Sequence[ast.AST]) -> bool:
    """Whether every `super` is a call without arguments in the function itself: that works on any line of it."""
    named = [n for n in nodes_of(node) if isinstance(n, ast.Name) and n.id == "super"]
    calls = [n for n in inside if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "super"]
    return len(calls) == len(named) and not any(call.args or call.keywords for call in calls)


def _observed(program: ProgramScopes) -> str | None:
    """Why no function of the program is decomposed: something in it could see our temporaries."""
    if program.closing:
        return "function of a program whose generators do something when closed"
    seen = program.mentions & FRAME_SEERS
    return f"function of a program that mentions {min(seen)}" if seen else None


def function(outer: FunctionBody, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Writes a function whose decorators and defaults are ready to be written, with its body decomposed."""
    inside = own_nodes(node)
    reason = left_alone(node, inside, outer.program) or _observed(outer.program) or outer.program.left.get(node.lineno)
    if reason or isinstance(node, ast.AsyncFunctionDef):
        verbatim(outer.writer, node, reason or "async function")
        return
    for decorator in node.decorator_list:
        outer.writer.origin = getattr(decorator, "lineno", node.lineno)
        outer.writer.write(f"@{text(decorator)}")
    outer.writer.origin = node.lineno
    header = f"def {node.name}({text(node.args)}){f' -> {text(node.returns)}' if node.returns else ''}:"
    with outer.writer.block(header):
        body = inner_body(outer, node, inside, itself=not node.decorator_list)
        suite(body, _without_docstring(body, node.body))
        _return_at_the_end(body, node.body[-1])


def _return_at_the_end(body: FunctionBody, last: ast.stmt) -> None:
    """Says what Python does where control falls off the end: the way out is then a line like any other."""
    if body.bound is not None:
        body.writer.origin = last.lineno
        body.writer.write("return None")


def _without_docstring(body: FunctionBody, statements: list[ast.stmt]) -> list[ast.stmt]:
    match statements:
        case [ast.Expr(value=ast.Constant(value=str() as words)), *rest]:
            if body.program.mentions & DOCUMENTED:
                body.writer.write(repr(words))
            return rest
        case _:
            return statements


def inner_body(outer: FunctionBody, node: FunctionNode, inside: Sequence[ast.AST], itself: bool) -> FunctionBody:
    """State for rewriting a function that is defined where `outer` stands."""
    bound = outer.bound if outer.bound is not None else frozenset()
    if itself and isinstance(node, ast.FunctionDef):
        bound = bound | {node.name}
    scope = scope_of(node, inside, outer.scope, bound)
    names = FreshNames(outer.program, outer.names.introduced)
    kinds = certain_kinds(node, inside, outer.program)
    return FunctionBody(
        writer=outer.writer,
        program=outer.program,
        scope=scope,
        names=names,
        bound=frozenset(parameters(node.args)),
        kinds=kinds,
        made=_made(node, inside)
        if outer.program.generators or any(isinstance(inner, ast.With) for inner in inside)
        else {},
    )


def _made(node: FunctionNode, inside: Sequence[ast.AST]) -> dict[str, list[ast.expr]]:
    """Names of the function that nothing but plain assignments of calls binds, with the calls."""
    found: dict[str, list[ast.expr]] = {}
    plain: set[ast.AST] = set()
    for inner in inside:
        match inner:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=ast.Call() as call):
                found.setdefault(name, []).append(call)
                plain.add(target)
    below = nodes_of(node)[1:]  # comprehensions and inner functions too: there the name may mean something else
    others = {name for each in below if each not in plain for name in binds(each)}
    declared = {name for n in below if isinstance(n, ast.Nonlocal | ast.Global) for name in n.names}
    return {name: calls for name, calls in found.items() if name not in others | declared}


@statement(ast.FunctionDef)
def _nested(body: FunctionBody, node: ast.FunctionDef) -> None:
    ready = ast.FunctionDef(
        name=node.name,
        args=_with_defaults(node.args, []),
        body=node.body,
        decorator_list=[],
        returns=node.returns,
        type_comment=None,
        lineno=node.lineno,
    )
    if left_alone(node, own_nodes(node), body.program):
        ready = node
    else:
        split = len(node.decorator_list)
        atoms = operands(body, [*node.decorator_list, *_defaults(node.args)])
        ready.decorator_list, ready.args = atoms[:split], _with_defaults(node.args, atoms[split:])
    if not is_plain_header(ready):
        body.writer.remark = "function header with decorators or annotations"
    function(body, ready)
    body.bind([node.name])


def is_plain_header(node: ast.FunctionDef) -> bool:
    """Whether defining the function is one operation."""
    arguments = node.args
    every = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    ]
    notes = [a.annotation for a in every if a and a.annotation] + ([node.returns] if node.returns else [])
    return not node.decorator_list and all(is_atom(note) for note in notes)


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [*arguments.defaults, *(d for d in arguments.kw_defaults if d)]


def _with_defaults(arguments: ast.arguments, atoms: list[ast.expr]) -> ast.arguments:
    rest = iter(atoms)
    positional = [next(rest) for _ in arguments.defaults] if atoms else []
    named = [next(rest) if d else None for d in arguments.kw_defaults] if atoms else arguments.kw_defaults
    return ast.arguments(
        posonlyargs=arguments.posonlyargs,
        args=arguments.args,
        vararg=arguments.vararg,
        kwonlyargs=arguments.kwonlyargs,
        kw_defaults=named,
        kwarg=arguments.kwarg,
        defaults=positional,
    )


@rule(ast.Lambda)
def _lambda(body: FunctionBody, node: ast.Lambda) -> ast.expr:
    atoms = operands(body, _defaults(node.args))
    ready = _with_defaults(node.args, atoms)
    inside = own_nodes(node)
    if left_alone(node, inside, body.program):
        body.writer.remark = "lambda kept whole"
        return ast.Lambda(ready, node.body)
    name = body.names.fresh("l")
    with body.writer.block(f"def {name}({text(ready)}):"):
        inner = inner_body(body, node, inside, itself=False)
        suite(inner, [ast.Return(node.body, lineno=body.writer.origin)])
    if body.program.mentions & NAMED:
        body.writer.write(f"{name}.__name__ = '<lambda>'")
    return ast.Name(name, ast.Load())
