"""Caches that an object makes for one of its methods, written as a method whose results are kept.

    def __init__(self):                             @lru_cache(maxsize=None)
        self.ways = lru_cache(None)(self._ways)     def ways(self, r, c):
    def _ways(self, r, c): ...              ->          return self._ways(r, c)
                                                    def _ways(self, r, c): ...

Only where the cache forgets nothing, the object is its own key, and no line can see that the cache was a field. What
keeps the results is written out by `cached_methods.py`. Knows only syntax.
"""

import ast
from collections.abc import Iterator, Sequence

from envs.execution.decompose.rewrites.library_names import hides_names, library_functions, occurring_names
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.syntax.program_structure import nodes_of

_CACHES = ("functools.cache", "functools.lru_cache")
_LOOKS = frozenset(
    "vars __dict__ getattr hasattr setattr delattr dir copy deepcopy pickle replace __eq__ __hash__ __getattr__ "
    "__getattribute__ __setattr__ __slots__ cache_info cache_clear cache_parameters __wrapped__".split()
)
"""Names by which a program could see a field, compare objects otherwise, or ask a cache."""


@rewriting({ast.ClassDef}, {"cache", "lru_cache"}, in_place=True)
def with_cached_methods(tree: ast.Module) -> ast.Module:
    """The program with such fields written as methods; changes its classes."""
    library = {text for text, known in library_functions(tree, _CACHES).items() if known in _CACHES}
    nodes = nodes_of(tree)
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    members = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    if not library or hides_names(tree) or _LOOKS & (occurring_names(tree) | attributes | members):
        return tree
    for owner in tree.body:
        if isinstance(owner, ast.ClassDef) and not (owner.bases or owner.keywords or owner.decorator_list):
            for statement, name, method in list(_made(owner, library)):
                if _is_alone(owner, name, method, nodes) and not _is_derived(owner.name, nodes):
                    _write(owner, statement, name, method)
    return ast.fix_missing_locations(tree)


def _made(owner: ast.ClassDef, library: set[str]) -> Iterator[tuple[ast.Assign, str, ast.FunctionDef]]:
    """The lines of `__init__` that make such a cache, the field's name and the method."""
    methods = {each.name: each for each in owner.body if isinstance(each, ast.FunctionDef)}
    first = methods.get("__init__")
    me = first.args.args[0].arg if first is not None and first.args.args else ""
    for statement in first.body if first is not None else ():
        match statement:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=target), attr=name)],
                value=ast.Call(func=maker, args=[ast.Attribute(value=ast.Name(id=given), attr=called)], keywords=[]),
            ) if target == given == me and called in methods and _forgets_nothing(maker, library):
                yield statement, name, methods[called]


def _forgets_nothing(maker: ast.expr, library: set[str]) -> bool:
    """Whether it is `cache`, `lru_cache(None)` or `lru_cache(maxsize=None)`."""
    match maker:
        case ast.Call(func=func, args=[], keywords=[ast.keyword("maxsize", ast.Constant(None))]):
            return ast.unparse(func) in library
        case ast.Call(func=func, args=[ast.Constant(None)], keywords=[]):
            return ast.unparse(func) in library
    text = ast.unparse(maker)
    return text in library and text.rpartition(".")[2] == "cache"


def _is_alone(owner: ast.ClassDef, name: str, method: ast.FunctionDef, nodes: Sequence[ast.AST]) -> bool:
    """Whether the field is set once, `__init__` does no more with it, and the method is plain and never replaced."""
    sets = [node.attr for node in nodes if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)]
    taken = [each.name for each in nodes if isinstance(each, ast.FunctionDef | ast.ClassDef)]
    made = next(each for each in owner.body if isinstance(each, ast.FunctionDef) and each.name == "__init__")
    uses = sum(isinstance(each, ast.Attribute) and each.attr in (name, method.name) for each in nodes_of(made))
    given = method.args
    plain = not (method.decorator_list or given.kwonlyargs or given.vararg or given.kwarg or given.posonlyargs)
    once = sets.count(name) == 1 and method.name not in sets and name not in taken and taken.count(method.name) == 1
    bound = any(isinstance(each, ast.Assign | ast.AnnAssign) for each in owner.body)
    return once and uses == 2 and plain and len(given.args) > 1 and not bound


def _is_derived(name: str, nodes: Sequence[ast.AST]) -> bool:
    """Whether a class derives from the class of that name."""
    return any(
        isinstance(node, ast.ClassDef) and any(isinstance(base, ast.Name) and base.id == name for base in node.bases)
        for node in nodes
    )


def _write(owner: ast.ClassDef, statement: ast.Assign, name: str, method: ast.FunctionDef) -> None:
    """Put the method that keeps its results into the class, in the place of the line that makes the field."""
    assert isinstance(statement.value, ast.Call)
    first = next(each for each in owner.body if isinstance(each, ast.FunctionDef) and each.name == "__init__")
    place = first.body.index(statement)
    first.body[place : place + 1] = [] if len(first.body) > 1 else [ast.copy_location(ast.Pass(), statement)]
    me, *rest = [each.arg for each in method.args.args]
    called = ast.Call(
        ast.Attribute(ast.Name(me, ast.Load()), method.name, ast.Load()),
        [ast.Name(each, ast.Load()) for each in rest],
        [],
    )
    arguments = ast.arguments([], [ast.arg(each) for each in (me, *rest)], None, [], [], None, method.args.defaults)
    kept = ast.FunctionDef(name, arguments, [ast.Return(called)], [statement.value.func], None)
    for each in ast.walk(kept):
        if isinstance(each, ast.expr | ast.stmt | ast.arg):
            ast.copy_location(each, statement)
    owner.body.append(kept)
