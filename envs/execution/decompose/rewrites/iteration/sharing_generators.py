"""A generator whose variables a function inside it shares, as a function that holds them and a generator that goes on.

    def walk(tree):                             def walk(tree):
        def visit(node):                            def visit(node):
            yield from map(visit, node)                 yield from map(visit, node)
        for n in tree:                              n = None
            yield filter(lambda x: x < n, n)        def _walk():
                                                        nonlocal n
                                                        for n in tree:
                                                            yield filter(lambda x: x < n, n)
                                                    return _walk()

No frame can hold a suspended generator whose own variables others share; it can hold what a generator shares with the
function around it. Such a variable must be bound in the block that uses it, before it is used: else an error would name
another kind of variable. Knows only syntax.
"""

import ast
from collections.abc import Iterator, Sequence

from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, occurring_names
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.syntax.bindings import binds, parameters
from envs.execution.syntax.name_scopes import own_nodes
from envs.execution.syntax.program_structure import nodes_of

_LOOKS = frozenset(
    "super __class__ __qualname__ __del__ gc weakref inspect traceback __traceback__ _getframe getrefcount settrace "
    "setprofile exc_info isgeneratorfunction gi_code gi_frame gi_running gi_yieldfrom __code__ __closure__".split()
)
"""What tells a generator function from one that returns a generator, or sees when a value is no longer needed."""
_YIELDS = (ast.Yield, ast.YieldFrom)
_Scope = ast.FunctionDef | ast.Lambda


@rewriting({ast.Yield, ast.YieldFrom}, {ast.FunctionDef})
def with_shared_variables(tree: ast.Module) -> ast.Module:
    """The program with such generators made by functions; the same tree where it has none, or where it could tell."""
    nodes = nodes_of(tree)
    lazy = [node for node in nodes if isinstance(node, ast.FunctionDef) and _yields(node)]
    chosen = {node: shared for node in lazy if (shared := _shared(node)) and _is_plain(node, shared)}
    if not chosen or hides_names(tree) or any(map(_looks, nodes)):
        return tree
    changed = _Held(chosen, occurring_names(tree)).visit(tree)
    assert isinstance(changed, ast.Module)
    return ast.fix_missing_locations(ast.Module(list(changed.body), changed.type_ignores))


def _yields(node: ast.FunctionDef) -> bool:
    return any(isinstance(each, _YIELDS) for each in own_nodes(node))


def _looks(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr="__name__", value=ast.Call(func=ast.Name(id="type"))):
            return False
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.FunctionDef(name=name):
            return name in _LOOKS or (isinstance(node, ast.Attribute) and name == "__name__")
    return isinstance(node, ast.alias) and not _LOOKS.isdisjoint(node.name.split("."))


def _shared(node: ast.FunctionDef) -> frozenset[str]:
    """Variables of a function that functions inside it share; what a sort or a `map` calls at once is no function."""
    inside = own_nodes(node)
    at_once = {part for each in inside if isinstance(each, ast.Call) for part in _called_at_once(each)}
    functions = [each for each in inside if isinstance(each, _Scope) and each not in at_once]
    own = _own_names(node)
    return frozenset(name for each in functions for name in _free_names(each) if name in own)


def _called_at_once(node: ast.Call) -> Iterator[ast.expr]:
    yield from (word.value for word in node.keywords if word.arg == "key")
    if isinstance(node.func, ast.Name) and node.func.id in ("map", "filter"):
        yield from node.args[:1]


def _own_names(node: _Scope) -> set[str]:
    """Parameters and variables that belong to a function."""
    inside = own_nodes(node)
    declared = {name for each in inside if isinstance(each, ast.Global | ast.Nonlocal) for name in each.names}
    return {*parameters(node.args), *(name for each in inside for name in binds(each))} - declared


def _free_names(node: _Scope) -> set[str]:
    """Names that a function may take from around it."""
    inside = own_nodes(node)
    found = {each.id for each in inside if isinstance(each, ast.Name)}
    found |= {name for each in inside if isinstance(each, ast.Nonlocal) for name in each.names}
    for each in inside:
        found |= _free_names(each) if isinstance(each, _Scope) else set()
    return found - _own_names(node)


def _is_plain(node: ast.FunctionDef, shared: frozenset[str]) -> bool:
    """Whether all shared variables are bound before they are used, and nothing else tells a difference."""
    inside = own_nodes(node)
    odd = (ast.ClassDef, ast.AsyncFunctionDef, ast.Delete, ast.Import, ast.ImportFrom, ast.NamedExpr)
    if node.decorator_list or any(isinstance(each, odd) for each in inside):
        return False
    if any(isinstance(each, ast.AnnAssign) and each.value is None for each in nodes_of(node)):
        return False
    if any(isinstance(each, ast.ExceptHandler) and each.name in shared for each in inside):
        return False
    return all(_is_bound_first(node.body, name) for name in shared.difference(parameters(node.args)))


def _mentions(nodes: Sequence[ast.AST], name: str) -> bool:
    return any(
        (isinstance(part, ast.Name) and part.id == name)
        or name in binds(part)
        or (isinstance(part, ast.Global | ast.Nonlocal) and name in part.names)
        for each in nodes
        for part in nodes_of(each)
    )


def _is_bound_first(block: Sequence[ast.stmt], name: str) -> bool:
    """Whether each line of a block that mentions a variable comes after one of the same block that binds it."""
    place = next((place for place, each in enumerate(block) if _mentions([each], name)), None)
    if place is None:
        return True
    match block[place]:
        case ast.FunctionDef(name=own) as made if own == name:
            return not _mentions([*made.decorator_list, made.args], name)
        case ast.Assign(targets=[target], value=value) if name in _plain_targets(target):
            return not _mentions([value], name)
        case ast.AnnAssign(target=ast.Name(id=own), value=ast.expr() as value) if own == name:
            return not _mentions([value], name)
    if _mentions(block[place + 1 :], name):
        return False
    match block[place]:
        case ast.For(target=target, iter=source, body=body, orelse=rest) if name in _plain_targets(target):
            return not _mentions([source, *rest], name)
        case ast.For(target=target, iter=source, body=body, orelse=rest):
            return not _mentions([target, source], name) and all(_is_bound_first(part, name) for part in (body, rest))
        case ast.While(test=test, body=body, orelse=rest) | ast.If(test=test, body=body, orelse=rest):
            return not _mentions([test], name) and all(_is_bound_first(part, name) for part in (body, rest))
    return False


def _plain_targets(node: ast.expr) -> list[str]:
    """The names that storing into a target binds, where it stores into nothing else."""
    parts = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    names = [each.id for each in parts if isinstance(each, ast.Name)]
    return names if len(names) == len(parts) else []


class _Held(ast.NodeTransformer):
    """Puts the functions in place."""

    def __init__(self, chosen: dict[ast.FunctionDef, frozenset[str]], names: set[str]) -> None:
        self._chosen = chosen
        self._names = names

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """The function; a chosen one holds its variables and returns its generator."""
        self.generic_visit(node)
        return self._made(node, self._chosen[node]) if node in self._chosen else node

    def _made(self, node: ast.FunctionDef, shared: frozenset[str]) -> ast.FunctionDef:
        inside, given = own_nodes(node), parameters(node.args)
        stored = [name for each in inside for name in binds(each)]
        text = [each for each in node.body[:1] if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)]
        body = node.body[len(text) :]
        front = [
            each
            for each in body
            if isinstance(each, ast.FunctionDef)
            and _may_stand_first(each, stored, given)
            and _is_bound_first(body, each.name)
        ]
        rest = [_Bare().visit(each) for each in body if each not in front]
        later = sorted(shared - {each.name for each in front} - set(given))
        bound = sorted({*later, *(name for name in given if name in stored)})
        name = fresh_name(f"_{node.name}", self._names)
        self._names.add(name)
        unset = [ast.Assign([ast.Name(each, ast.Store())], ast.Constant(None)) for each in later]
        declared: list[ast.stmt] = [ast.Nonlocal(bound)] if bound else []
        nothing = ast.arguments([], [], None, [], [], None, [])
        inner = ast.FunctionDef(name, nothing, [*declared, *rest], [], None, None)
        result = ast.Return(ast.Call(ast.Name(name, ast.Load()), [], []))
        for each in (*unset, *declared, inner, result):
            ast.copy_location(each, node)
        node.body = [*text, *unset, *front, inner, result]
        return node


class _Bare(ast.NodeTransformer):
    """Takes annotations of variables away, which a function computes of none: `nonlocal` ones may not have any."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """The assignment without its annotation; one of an attribute is no variable."""
        if not isinstance(node.target, ast.Name) or node.value is None:
            return node
        return ast.copy_location(ast.Assign([node.target], node.value), node)


def _may_stand_first(node: ast.FunctionDef, stored: Sequence[str], given: Sequence[str]) -> bool:
    """Whether it does not matter when a function is made: once, and nothing but constants is computed for it."""
    defaults = [*node.args.defaults, *(each for each in node.args.kw_defaults if each)]
    once = stored.count(node.name) == 1 and node.name not in given
    return once and not node.decorator_list and all(isinstance(each, ast.Constant) for each in defaults)
