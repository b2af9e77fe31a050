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
import builtins
import copy
from collections import Counter
from collections.abc import Set

from envs.execution.decompose.rewrites.library_names import library_functions
from envs.execution.decompose.rewrites.managers.managing_methods import ManagingMethod, managing_methods, receivers
from envs.execution.decompose.rewrites.preconditions import rewriting_with_entry
from envs.execution.decompose.rewrites.written_functions import placed, runs_before
from envs.execution.syntax.bindings import binds, bound_in, parameters
from envs.execution.syntax.block_exits import leaves_block
from envs.execution.syntax.name_scopes import own_nodes
from envs.execution.syntax.program_structure import nodes_of

_DECORATORS = frozenset({"contextmanager", "contextlib.contextmanager"})
_SUPPRESS = "contextlib.suppress"
_SCOPES = (ast.FunctionDef, ast.Lambda, ast.ClassDef)
_CONSUMING = frozenset({"list", "tuple", "set", "dict", "sum", "max", "min", "sorted", "any", "all"})
_ODD = (*_SCOPES, ast.Global, ast.Nonlocal, ast.Return, ast.YieldFrom, ast.Await, ast.AsyncFunctionDef)


@rewriting_with_entry({"contextlib", "contextmanager"}, in_place=True)
def with_inlined_managers(tree: ast.Module, entry: str) -> ast.Module:
    """The program with such managers in the place of their `with`; the same tree where there is none."""
    tree = _with_handlers(tree)
    managers = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef) and _is_manager(node)}
    methods = managing_methods(tree, _is_manager)
    if not managers and not methods:
        return tree
    used = {node.id for node in nodes_of(tree) if isinstance(node, ast.Name)}
    bound = Counter(bound_in(tree))
    known = {name: node for name, node in managers.items() if bound[name] == 1}
    inlining = _Inlining(known, methods, used | set(bound))
    body = [inlining.visit(node) if isinstance(node, ast.FunctionDef | ast.ClassDef) else node for node in tree.body]
    left = {each.id for node in body for each in ast.walk(node) if isinstance(each, ast.Name)}
    done = managers.keys() - left - {entry}  # what nothing asks for any more
    kept = [node for node in body if not (isinstance(node, ast.FunctionDef) and node.name in done)]
    left_nodes = [each for node in kept for each in ast.walk(node)]
    asked = {each.attr for each in left_nodes if isinstance(each, ast.Attribute)}
    asked |= {str(each.value) for each in left_nodes if isinstance(each, ast.Constant)}
    for method in methods.values():
        if method.node.name not in asked:
            method.remove(kept)
    return ast.fix_missing_locations(ast.Module(kept, tree.type_ignores))


def _with_handlers(tree: ast.Module) -> ast.Module:
    """The program with `suppress` of plain exception classes written as `try`."""
    names = {text for text, known in library_functions(tree, (_SUPPRESS,)).items() if known == _SUPPRESS}
    if not names or any(isinstance(each, ast.Name) and each.id.endswith("ExceptionGroup") for each in nodes_of(tree)):
        return tree
    times = Counter(bound_in(tree))
    errors = {name for name, kind in vars(builtins).items() if _is_error(kind) and not times[name]}
    own: set[str] = set()
    for node in tree.body:
        if not isinstance(node, ast.ClassDef) or times[node.name] > 1 or node.keywords or node.decorator_list:
            continue
        if node.bases and all(isinstance(base, ast.Name) and base.id in errors | own for base in node.bases):
            own.add(node.name)
    if runs_before(tree, own):
        own = set()
    _Handling(names, frozenset(own | errors)).visit(tree)
    return ast.fix_missing_locations(tree)


def _is_error(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseException)


class _Handling(ast.NodeTransformer):
    """Writes `with suppress(KeyError):` as `try:` with a handler that does nothing."""

    def __init__(self, names: Set[str], errors: Set[str]) -> None:
        self._names, self._errors = names, errors

    def visit_With(self, node: ast.With) -> ast.stmt:
        if len(node.items) > 1 and any(self._suppressed(item) is not None for item in node.items):
            inner = ast.copy_location(ast.With(node.items[1:], node.body), node)
            node = ast.copy_location(ast.With(node.items[:1], [inner]), node)
        self.generic_visit(node)
        wanted = self._suppressed(node.items[0])
        if wanted is None:
            return node
        kinds = wanted[0] if len(wanted) == 1 else ast.Tuple(wanted, ast.Load())
        handler = ast.ExceptHandler(kinds, None, [ast.Pass()])
        return ast.copy_location(ast.Try(node.body, [handler], [], []), node)

    def _suppressed(self, item: ast.withitem) -> list[ast.expr] | None:
        """The classes that a `suppress` is given; None for any other manager."""
        match item:
            case ast.withitem(context_expr=ast.Call(func=func, args=[_, *_] as given, keywords=[]), optional_vars=None):
                known = all(isinstance(each, ast.Name) and each.id in self._errors for each in given)
                return given if known and ast.unparse(func) in self._names else None
        return None


def _is_manager(node: ast.FunctionDef) -> bool:
    """Whether a function can stand in the place of a `with` that it manages."""
    if [ast.unparse(each) for each in node.decorator_list] not in [[name] for name in _DECORATORS]:
        return False
    given = node.args
    plain = not (given.vararg or given.posonlyargs)
    defaults = [*given.defaults, *[each for each in given.kw_defaults if each is not None]]
    plain = plain and all(isinstance(each, ast.Constant) for each in defaults)
    inside = [each for statement in node.body for each in nodes_of(statement)]
    plain = plain and not any(isinstance(each, ast.Name) and each.id == node.name for each in inside)
    plain = plain and not any(map(_stops, inside))  # which a generator turns into RuntimeError
    plain = plain and not (_turning_names(node) - _own_names(node)) & _outer_names(node)
    yields = [each for each in inside if isinstance(each, ast.Yield)]
    plain = plain and not any(isinstance(each, _ODD) for each in inside)
    consumed = {id(each) for each in inside if isinstance(each, ast.GeneratorExp)} <= _consumed(inside)
    return plain and consumed and len(yields) == 1 and _place(node.body) != ""


def _consumed(nodes: list[ast.AST]) -> set[int]:
    """The generator expressions that a call goes through at once: none is left when the block of the `with` runs."""
    found: set[int] = set()
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id=name), args=[ast.GeneratorExp() as given, *_]) if name in _CONSUMING:
                found.add(id(given))
            case ast.Call(func=ast.Attribute(attr="join"), args=[ast.GeneratorExp() as given]):
                found.add(id(given))
    return found


def _stops(node: ast.AST) -> bool:
    """Whether a node may raise StopIteration, as far as it shows."""
    match node:
        case ast.Call(func=ast.Name(id="next"), args=[_]) | ast.Attribute(attr="__next__"):
            return True
        case ast.Raise(exc=ast.Name(id="StopIteration") | ast.Call(func=ast.Name(id="StopIteration"))):
            return True
    return False


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

    def __init__(
        self, managers: dict[str, ast.FunctionDef], methods: dict[str, ManagingMethod], taken: set[str]
    ) -> None:
        self._managers, self._methods, self._taken = managers, methods, taken
        self._own: set[str] = set()
        self._receivers: dict[str, str] = {}
        """Names of the function under way that surely hold objects of the program, and their classes."""
        self._class = ""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        around, self._class = self._class, node.name
        self.generic_visit(node)
        self._class = around
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        held, owner = self._receivers, self._class
        if self._methods:
            self._receivers, self._class = receivers(node, owner), ""
        around, self._own = self._own, self._own | {name for each in own_nodes(node) for name in binds(each)}
        self._own |= set(parameters(node.args))
        self.generic_visit(node)
        self._own, self._receivers, self._class = around, held, owner
        return node

    def visit_With(self, node: ast.With) -> ast.stmt | list[ast.stmt]:
        if len(node.items) > 1:  # `with a, b:` means `with a:` around `with b:`
            inner = ast.copy_location(ast.With(node.items[1:], node.body), node)
            node = ast.copy_location(ast.With(node.items[:1], [inner]), node)
        self.generic_visit(node)
        call, target = node.items[0].context_expr, node.items[0].optional_vars
        match call:
            case ast.Call(func=ast.Name(id=name)):
                manager = self._managers.get(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as receiver, attr=attr)):
                method = self._methods.get(attr)
                manager = method.node if method is not None and self._receivers.get(name) == method.owner else None
                call = ast.Call(call.func, [receiver, *call.args], call.keywords)
            case _:
                return node
        if manager is None or not self._fits(manager, node):
            return node
        values = _arguments(manager, call)
        if values is None:
            return node
        return self._written(manager, values, target, node)

    def _fits(self, manager: ast.FunctionDef, node: ast.With) -> bool:
        free = {each.id for part in manager.body for each in nodes_of(part) if isinstance(each, ast.Name)}
        free -= _own_names(manager) | _turning_names(manager)
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
        checks = _checked_keys(manager, names, self._owner(manager)) if _spreads(node.items[0].context_expr) else []
        return [*placed([ast.copy_location(each, node) for each in (*given, *checks)], None), *found]

    def _owner(self, manager: ast.FunctionDef) -> str:
        """The class of a method with a point behind it; nothing for a function."""
        return next((f"{each.owner}." for each in self._methods.values() if each.node is manager), "")

    def _fresh(self, name: str) -> str:
        number = 1
        while f"{name}_{number}" in self._taken:
            number += 1
        self._taken.add(f"{name}_{number}")
        return f"{name}_{number}"


def _own_names(manager: ast.FunctionDef) -> set[str]:
    return {name for each in own_nodes(manager) for name in binds(each)} | set(parameters(manager.args))


def _turning_names(manager: ast.FunctionDef) -> set[str]:
    """Names that comprehensions bind for themselves."""
    turns = [each for each in nodes_of(manager) if isinstance(each, ast.comprehension)]
    return {name.id for each in turns for name in nodes_of(each.target) if isinstance(name, ast.Name)}


def _outer_names(manager: ast.FunctionDef) -> set[str]:
    """Names that the function reads or binds outside its comprehensions."""
    loops = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    inner = [part for each in nodes_of(manager) if isinstance(each, loops) for part in nodes_of(each)]
    held = set(map(id, inner))
    return {each.id for each in nodes_of(manager) if isinstance(each, ast.Name) and id(each) not in held}


def _arguments(manager: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr] | None:
    """What each parameter is given, in the order of evaluation; None where the call does not fit."""
    given = manager.args
    names = [each.arg for each in given.args]
    if any(isinstance(each, ast.Starred) for each in call.args) or len(call.args) > len(names):
        return None
    values = dict(zip(names, call.args, strict=False))
    defaults = dict(zip(names[len(names) - len(given.defaults) :], given.defaults, strict=True))
    named = [each.arg for each in given.kwonlyargs]
    defaults |= {name: each for name, each in zip(named, given.kw_defaults, strict=True) if each is not None}
    names += named
    others: dict[str, ast.expr] = {}
    spread = [word.value for word in call.keywords if word.arg is None]
    if spread and (given.kwarg is None or len(spread) < len(call.keywords) or len(call.args) < len(names)):
        return None  # only running the call tells what they give
    for word in call.keywords if not spread else ():
        if word.arg is None or word.arg in values or (word.arg in names and others):
            return None  # what is left for `**others` is evaluated last
        (values if word.arg in names else others)[word.arg] = word.value
    if given.kwarg is not None:
        keys: list[ast.expr | None] = [ast.Constant(name) for name in others]
        values[given.kwarg.arg] = ast.Dict(keys or [None for _ in spread], list(others.values()) or spread)
    elif others:
        return None
    if any(name not in values and name not in defaults for name in names):
        return None
    return {**values, **{name: value for name, value in defaults.items() if name not in values}}


def _spreads(call: ast.expr) -> bool:
    return isinstance(call, ast.Call) and any(word.arg is None for word in call.keywords)


def _checked_keys(manager: ast.FunctionDef, names: dict[str, str], owner: str) -> list[ast.stmt]:
    """Lines that raise as Python does where `**others` holds the name of a parameter, which the call gives by place."""
    assert manager.args.kwarg is not None
    others, lines = names[manager.args.kwarg.arg], []
    for each in manager.args.args:
        message = f"{owner}{manager.name}() got multiple values for argument {each.arg!r}"
        lines.append(f"if {each.arg!r} in {others}:\n    raise TypeError({message!r})")
    return ast.parse("\n".join(lines)).body


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
