"""`with` over a generator function that `contextlib.contextmanager` decorates: the function's lines stand in its place.

    @contextmanager                       out_1 = out
    def tagged(out):                      out_1.append("<")
        out.append("<")          ->       try:
        try:                                  BODY OF THE WITH
            yield                         finally:
        finally:                              out_1.append(">")
            out.append(">")
    with tagged(out):
        BODY OF THE WITH

An exception of the block is raised at the `yield`, so the function's own `try` sees it there, as in the original. The
function must yield once, not in a loop, and be called by nothing but `with`; a block that leaves by `return`,
`break` or `continue` must find nothing behind the `yield` but what a `finally` does. Any other manager stays as it is.
"""

import ast
import copy
from collections import Counter

from envs.execution.decompose.rewrites.written_functions import placed
from envs.execution.syntax.bindings import binds, parameters
from envs.execution.syntax.block_exits import leaves_block
from envs.execution.syntax.name_scopes import own_nodes
from envs.execution.syntax.program_structure import nodes_of

_DECORATORS = frozenset({"contextmanager", "contextlib.contextmanager"})
_SCOPES = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_ODD = (*_SCOPES, ast.Global, ast.Nonlocal, ast.Return, ast.YieldFrom, ast.Await, ast.AsyncFunctionDef)


def with_inlined_managers(tree: ast.Module, entry: str) -> ast.Module:
    """The program with such managers in the place of their `with`; the same tree where there is none."""
    managers = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef) and _is_manager(node)}
    if not managers:
        return tree
    used = {node.id for node in nodes_of(tree) if isinstance(node, ast.Name)}
    bound = Counter(name for node in nodes_of(tree) for name in _bound(node))
    inlining = _Inlining({name: node for name, node in managers.items() if bound[name] == 1}, used | set(bound))
    body = [inlining.visit(node) if isinstance(node, ast.FunctionDef | ast.ClassDef) else node for node in tree.body]
    left = {each.id for node in body for each in ast.walk(node) if isinstance(each, ast.Name)}
    done = managers.keys() - left - {entry}  # what nothing asks for any more
    kept = [node for node in body if not (isinstance(node, ast.FunctionDef) and node.name in done)]
    return ast.fix_missing_locations(ast.Module(kept, tree.type_ignores))


def _bound(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    return [node.arg] if isinstance(node, ast.arg) else list(binds(node))


def _is_manager(node: ast.FunctionDef) -> bool:
    """Whether a function can stand in the place of a `with` that it manages."""
    if [ast.unparse(each) for each in node.decorator_list] not in [[name] for name in _DECORATORS]:
        return False
    given = node.args
    plain = not (given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs)
    plain = plain and all(isinstance(each, ast.Constant) for each in given.defaults)
    inside = own_nodes(node)
    plain = plain and not any(isinstance(each, ast.Name) and each.id == node.name for each in inside)
    yields = [each for each in inside if isinstance(each, ast.Yield)]
    return plain and len(yields) == 1 and not any(isinstance(each, _ODD) for each in inside) and _place(node.body) != ""


def _place(body: list[ast.stmt]) -> str:
    """`last` where nothing but a `finally` follows the `yield`, else `amid`; empty where it is no line of its own."""
    for index, statement in enumerate(body):
        found = ""
        match statement:
            case ast.Expr(value=ast.Yield()):
                found = "last"
            case ast.Try(body=inner, orelse=rest):
                found = _place(inner)
                found = "amid" if found and rest else found
            case ast.If(body=inner) | ast.With(body=inner):
                found = _place(inner) if isinstance(statement, ast.With) else ""
        if found:
            return found if index + 1 == len(body) else "amid"
    return ""


class _Inlining(ast.NodeTransformer):
    """Puts managers in the place of their `with`."""

    def __init__(self, managers: dict[str, ast.FunctionDef], taken: set[str]) -> None:
        self._managers, self._taken = managers, taken
        self._own: set[str] = set()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        around, self._own = self._own, self._own | {name for each in own_nodes(node) for name in _bound(each)}
        self._own |= set(parameters(node.args))
        self.generic_visit(node)
        self._own = around
        return node

    def visit_With(self, node: ast.With) -> ast.stmt | list[ast.stmt]:
        if len(node.items) > 1:  # `with a, b:` means `with a:` around `with b:`
            inner = ast.copy_location(ast.With(node.items[1:], node.body), node)
            node = ast.copy_location(ast.With(node.items[:1], [inner]), node)
        self.generic_visit(node)
        call, target = node.items[0].context_expr, node.items[0].optional_vars
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            return node
        manager = self._managers.get(call.func.id)
        if manager is None or not self._fits(manager, node):
            return node
        values = _arguments(manager, call)
        if values is None:
            return node
        return self._written(manager, values, target, node)

    def _fits(self, manager: ast.FunctionDef, node: ast.With) -> bool:
        free = {each.id for each in own_nodes(manager) if isinstance(each, ast.Name)} - _own_names(manager)
        if free & self._own or any(isinstance(each, ast.Yield | ast.YieldFrom) for each in nodes_of(node)):
            return False
        return not leaves_block(node.body) or _place(manager.body) == "last"

    def _written(
        self, manager: ast.FunctionDef, values: dict[str, ast.expr], target: ast.expr | None, node: ast.With
    ) -> list[ast.stmt]:
        names = {name: self._fresh(name) for name in sorted(_own_names(manager))}
        given = [ast.Assign([ast.Name(names[name], ast.Store())], value) for name, value in values.items()]
        lines = placed([copy.deepcopy(each) for each in manager.body], None)
        renaming = _Renamed(names)
        made = [renaming.visit(each) for each in lines]
        found = _with_block(made, target, node.body)
        return [*placed([ast.copy_location(each, node) for each in given], None), *found]

    def _fresh(self, name: str) -> str:
        number = 1
        while f"{name}_{number}" in self._taken:
            number += 1
        self._taken.add(f"{name}_{number}")
        return f"{name}_{number}"


def _own_names(manager: ast.FunctionDef) -> set[str]:
    return {name for each in own_nodes(manager) for name in _bound(each)} | set(parameters(manager.args))


def _arguments(manager: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr] | None:
    """What each parameter is given, in the order of evaluation; None where the call does not fit."""
    names = [each.arg for each in manager.args.args]
    if any(isinstance(each, ast.Starred) for each in call.args) or len(call.args) > len(names):
        return None
    values = dict(zip(names, call.args, strict=False))
    for word in call.keywords:
        if word.arg not in names or word.arg in values:
            return None
        values[word.arg] = word.value
    defaults = dict(zip(names[len(names) - len(manager.args.defaults) :], manager.args.defaults, strict=True))
    if any(name not in values and name not in defaults for name in names):
        return None
    return {**values, **{name: value for name, value in defaults.items() if name not in values}}


def _with_block(body: list[ast.stmt], target: ast.expr | None, block: list[ast.stmt]) -> list[ast.stmt]:
    """The manager's lines with the block of the `with` where it yields."""
    found: list[ast.stmt] = []
    for statement in body:
        match statement:
            case ast.Expr(value=ast.Yield(value=value)):
                given = value or ast.copy_location(ast.Constant(None), statement)
                bound = ast.Assign([target], given) if target is not None else ast.Expr(given)
                found += [ast.copy_location(bound, statement), *block]
                continue
            case ast.Try() | ast.With():
                statement.body = _with_block(statement.body, target, block)
        found.append(statement)
    return found


class _Renamed(ast.NodeTransformer):
    """Gives the manager's variables other names than the function around the `with` has."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._names.get(node.id, node.id)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        self.generic_visit(node)
        node.name = self._names.get(node.name, node.name) if node.name else None
        return node
