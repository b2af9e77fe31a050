"""Which names a piece of syntax binds and reads: the only module that answers this question.

The functions differ on purpose in how far they look:

    binds          one node by itself; a `del` counts, since it too makes a name belong to its scope
    bound_in       a node and all below it, other scopes included; a `del` counts
    stored_names   a node and all below it, but only names that stand as a target (`x = ...`, `for x in`, `:=`)
    accesses       each node by itself, reads and bindings, with their lines
    reads_of       what running a statement reads: names of lambdas and comprehensions inside it do not count
    writes_of      what running a statement binds, in the same sense

Knows no scope rules beyond that (`name_scopes.py`), no values, and runs nothing.
"""

import ast
from collections.abc import Iterable, Iterator

from envs.execution.syntax.program_structure import Function, nodes_of

_TYPE_PARAMETERS: tuple[type[ast.AST], ...] = tuple(
    getattr(ast, kind) for kind in ("TypeVar", "ParamSpec", "TypeVarTuple") if hasattr(ast, kind)
)
"""Since Python 3.12: `def first[T](items)` binds `T`."""
BINDERS = frozenset(
    {ast.Name, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.arg, ast.ExceptHandler, ast.alias}
    | {ast.MatchAs, ast.MatchStar, ast.MatchMapping, ast.Global, ast.Nonlocal, *_TYPE_PARAMETERS}
)
"""Kinds of nodes that bind names or say where names belong."""
_ACCESSING = frozenset({ast.Name, ast.FunctionDef, ast.ExceptHandler, ast.AugAssign})


def parameters(arguments: ast.arguments) -> list[str]:
    """Names of all parameters, in order; `*args` and `**kwargs` come last."""
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    stars = [a for a in (arguments.vararg, arguments.kwarg) if a]
    return [a.arg for a in [*every, *stars]]


def imported_name(alias: ast.alias) -> str:
    """The name that one part of an import binds: `os` for `import os.path`."""
    return alias.asname or alias.name.partition(".")[0]


def binds(node: ast.AST) -> list[str]:
    """Names that this one node binds or deletes, whatever stands below it."""
    match node:
        case ast.Name():
            return [] if isinstance(node.ctx, ast.Load) else [node.id]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.arg(arg=name):
            return [name]
        case ast.ExceptHandler(name=str(name)):
            return [name]
        case ast.alias():
            return [imported_name(node)]
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            return [name]
        case _ if isinstance(node, _TYPE_PARAMETERS):
            return [node.name]  # type: ignore[attr-defined]
        case _:
            return []


def bound_in(node: ast.AST) -> list[str]:
    """Names that are bound or deleted anywhere in a pattern or statement, in functions inside it too."""
    return [name for inner in nodes_of(node) for name in binds(inner)]


def stored_nodes(node: ast.AST) -> list[ast.Name]:
    """Names in a node that stand as a target, level by level."""
    return [inner for inner in nodes_of(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)]


def stored_names(node: ast.AST) -> list[str]:
    """The same as text; of a target these are the names that storing into it binds."""
    return [inner.id for inner in stored_nodes(node)]


def deleted_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that one of these nodes deletes."""
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del)}


def walrus_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that one of these nodes binds by `:=`."""
    return {node.target.id for node in nodes if isinstance(node, ast.NamedExpr)}


def accesses(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int, bool]]:
    """Each access to a variable of a decomposed program: name, line, and whether it binds the name (or else reads it).

    A `del` counts as a read; `x += 1` reads `x` besides binding it. Imports, classes and patterns are left out: none
    of them binds a temporary.
    """
    for node in nodes:
        if type(node) not in _ACCESSING:
            continue
        if isinstance(node, ast.Name):
            yield node.id, node.lineno, isinstance(node.ctx, ast.Store)
        elif isinstance(node, ast.FunctionDef | ast.ExceptHandler):
            if node.name:
                yield node.name, node.lineno, True
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, node.lineno, False


def module_names(tree: ast.Module) -> frozenset[str]:
    """Names that a module's top level binds to last: handlers' names are left out, they are unbound again."""
    bound: set[str] = set()
    for node in tree.body:
        for part in [node] if isinstance(node, Function | ast.ClassDef) else nodes_of(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                bound.add(part.id)
            elif isinstance(part, Function | ast.ClassDef | ast.alias):
                bound.update(binds(part))
    return frozenset(bound)


def unbound_names(tree: ast.Module) -> frozenset[str]:
    """Names that a module binds and deletes again, by a `del` of its top level behind all that binds them."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Delete):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        else:
            found -= module_names(ast.Module([node], []))
    return frozenset(found)


def doubtful_names(tree: ast.Module) -> frozenset[str]:
    """Names that a module may delete, by a `del` in a block of its top level."""
    blocks = [node for node in tree.body if not isinstance(node, Function | ast.ClassDef | ast.Delete)]
    return frozenset(deleted_names(part for node in blocks for part in nodes_of(node)))


def imported_names(tree: ast.Module) -> frozenset[str]:
    """Names that imports at a module's top level bind."""
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return frozenset(imported_name(alias) for node in imports for alias in node.names)


def reads_of(node: ast.AST) -> tuple[str, ...]:
    """Names that running a statement reads, in order: an augmented target too, of a loop only its iterator."""
    if isinstance(node, ast.For):
        return reads_of(node.iter)
    return tuple(dict.fromkeys(name.id for name in _outer_names(node) if isinstance(name.ctx, ast.Load | ast.Del)))


def writes_of(node: ast.AST) -> frozenset[str]:
    """Names that running a statement binds; an effect always says these, changed or not."""
    scope = node.target if isinstance(node, ast.For) else node
    return frozenset(name.id for name in _outer_names(scope) if isinstance(name.ctx, ast.Store))


def _outer_names(node: ast.AST, hidden: frozenset[str] = frozenset()) -> Iterator[ast.Name]:
    """Names of a statement in order, but for those that belong to lambdas and comprehensions inside it."""
    match node:
        case ast.Name():
            if node.id not in hidden:
                yield node
            return
        case ast.Lambda():
            own = {*parameters(node.args), *walrus_names(nodes_of(node.body))}
            yield from _outer_names(node.args, hidden)
            yield from _outer_names(node.body, hidden | own)
            return
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            targets = [each for generator in node.generators for each in nodes_of(generator.target)]
            inside = hidden | {each.id for each in targets if isinstance(each, ast.Name)}
            first = node.generators[0].iter  # is evaluated around the comprehension
            for child in ast.iter_child_nodes(node):
                parts = ast.iter_child_nodes(child) if isinstance(child, ast.comprehension) else [child]
                for part in parts:
                    yield from _outer_names(part, hidden if part is first else inside)
            return
        case ast.AugAssign(target=ast.Name(id=name)) if name not in hidden:
            yield ast.Name(name, ast.Load())
    for child in ast.iter_child_nodes(node):
        yield from _outer_names(child, hidden)
