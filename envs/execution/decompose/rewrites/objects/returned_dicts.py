"""The dict of an object's fields that a function returns, written as a copy of it where no line can tell them apart.

    return vars(point)              ->      return dict(vars(point))
    return self.__dict__            ->      return dict(self.__dict__)

The entry returns to nobody who runs. Any other function only in a program that sets fields nowhere but where objects
are made, that changes no dict but those it writes out, and that asks for no identity. Knows only syntax.
"""

import ast
from collections.abc import Iterator, Sequence

from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, occurring_names, rebound_builtins
from envs.execution.decompose.rewrites.preconditions import rewriting_with_entry
from envs.execution.syntax.program_structure import nodes_of

_MAKING = frozenset({"__init__", "__post_init__"})
_CHANGING = frozenset({"update", "pop", "popitem", "clear", "setdefault", "__setitem__", "__delitem__", "move_to_end"})
_OTHER_WAYS = frozenset("setattr delattr __setattr__ __delattr__ id operator setitem delitem replace __slots__".split())
_DISPLAYS = frozenset({"dict", "list", "set", "defaultdict", "Counter", "OrderedDict", "deque"})


@rewriting_with_entry({"vars", "__dict__"}, {ast.Return}, in_place=True)
def with_returned_copies(tree: ast.Module, entry: str) -> ast.Module:
    """The program with such dicts copied; changes its functions."""
    if hides_names(tree) or {"vars", "dict"} & rebound_builtins(tree):
        return tree
    nodes = nodes_of(tree)
    last = next(
        (node for node in reversed(tree.body) if isinstance(node, ast.FunctionDef) and node.name == entry), None
    )
    called = any(isinstance(node, ast.Name) and node.id == entry for node in nodes)
    if last is not None and not called and not last.decorator_list and not any(map(_goes_on, nodes_of(last))):
        returning = _Returning(fresh_name("_returned", occurring_names(tree)))
        last.body = [each for statement in last.body for each in returning.written(statement)]
    returns = [(owner, method, found) for owner, method, found in _returned(tree)]
    if returns and _copies_alike(nodes, returns):
        for _, _, found in returns:
            assert found.value is not None
            found.value = _copy(found.value)
    return ast.fix_missing_locations(tree)


def _goes_on(node: ast.AST) -> bool:
    """Whether a line lets more of its function run behind a `return`, or binds names where they are read."""
    if isinstance(node, ast.Try):
        return bool(node.finalbody)
    return isinstance(
        node, ast.With | ast.Yield | ast.YieldFrom | ast.Await | ast.NamedExpr | ast.Nonlocal | ast.Global
    )


class _Returning(ast.NodeTransformer):
    """Lets the entry copy dicts behind all else that a `return` computes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def written(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statement, or those in its place."""
        found: ast.stmt | list[ast.stmt] = self.visit(statement)
        return found if isinstance(found, list) else [found]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node

    def visit_Return(self, node: ast.Return) -> ast.Return | list[ast.stmt]:
        """A `return`: of the dict, or of several values of which one is such a dict."""
        if node.value is not None and (_is_fields(node.value) or _is_fields_of_call(node.value)):
            node.value = _copy(node.value)
            return node
        if not isinstance(node.value, ast.Tuple | ast.List) or not any(map(_is_fields, node.value.elts)):
            return node
        if any(isinstance(each, ast.Starred) for each in node.value.elts):
            return node
        front: list[ast.stmt] = []
        for place, each in enumerate(node.value.elts):
            if _is_fields(each):
                node.value.elts[place] = _copy(each)
            elif not isinstance(each, ast.Name | ast.Constant):
                name = f"{self._name}{place}"
                front.append(ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], each), each))
                node.value.elts[place] = ast.copy_location(ast.Name(name, ast.Load()), each)
        return [*front, node]


def _is_fields(node: ast.expr) -> bool:
    """Whether an expression asks a name for the dict of its fields."""
    match node:
        case ast.Attribute(value=ast.Name(), attr="__dict__"):
            return True
        case ast.Call(func=ast.Name(id="vars"), args=[ast.Name()], keywords=[]):
            return True
    return False


def _is_fields_of_call(node: ast.expr) -> bool:
    """Whether it is `vars(Point(1))`."""
    match node:
        case ast.Call(func=ast.Name(id="vars"), args=[ast.Call()], keywords=[]):
            return True
    return False


def _copy(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Call(ast.Name("dict", ast.Load()), [node], []), node)


# -- methods


def _returned(tree: ast.Module) -> Iterator[tuple[ast.ClassDef, ast.FunctionDef, ast.Return]]:
    """Methods of which a line returns the dict of their own object."""
    for owner in [node for node in tree.body if isinstance(node, ast.ClassDef)]:
        for method in owner.body:
            if isinstance(method, ast.FunctionDef) and method.args.args and method.name not in _MAKING:
                me = method.args.args[0].arg
                wanted = () if method.decorator_list else (f"{me}.__dict__", f"vars({me})")
                for node in method.body:
                    if isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) in wanted:
                        yield owner, method, node


def _copies_alike(
    nodes: Sequence[ast.AST], returns: Sequence[tuple[ast.ClassDef, ast.FunctionDef, ast.Return]]
) -> bool:
    """Whether no line can tell a copy of the dict from the dict itself."""
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    used = {node.id for node in nodes if isinstance(node, ast.Name)} | attributes
    if used & _OTHER_WAYS or any(map(_asks_identity, nodes)):
        return False
    owners = {owner.name for owner, _, _ in returns}
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    if any(owner.bases or owner.decorator_list or owner.keywords for owner, _, _ in returns):
        return False
    if any(isinstance(base, ast.Name) and base.id in owners for node in classes for base in node.bases):
        return False
    if not all(_makes_plainly(owner) for owner, _, _ in returns):
        return False
    return _sets_nothing_later(nodes, classes, owners) and _changes_own_dicts(nodes)


def _asks_identity(node: ast.AST) -> bool:
    if not isinstance(node, ast.Compare) or not any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
        return False
    return not any(isinstance(each, ast.Constant) for each in (node.left, *node.comparators))


def _makes_plainly(owner: ast.ClassDef) -> bool:
    """Whether `__init__` uses its object only to set and ask for fields: nobody gets the dict before it is full."""
    made = [each for each in owner.body if isinstance(each, ast.FunctionDef) and each.name in _MAKING]
    for method in made:
        me = method.args.args[0].arg if method.args.args else ""
        inside = nodes_of(method)
        plain = sum(isinstance(each, ast.Attribute) and _is_name(each.value, me) for each in inside)
        called = any(
            isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and _is_name(each.func.value, me)
            for each in inside
        )
        if called or plain != sum(_is_name(each, me) for each in inside):
            return False
    return True


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _sets_nothing_later(nodes: Sequence[ast.AST], classes: Sequence[ast.ClassDef], owners: set[str]) -> bool:
    """Whether fields are set by methods on their own objects alone; those of `owners` where they are made."""
    own: set[int] = set()
    for owner in classes:
        methods = [each for each in owner.body if isinstance(each, ast.FunctionDef) and not each.decorator_list]
        for method in methods:
            me = method.args.args[0].arg if method.args.args else ""
            inside = nodes_of(method)
            rebound = any(isinstance(each, ast.Name) and each.id == me and _is_stored(each) for each in inside)
            if (owner.name not in owners or method.name in _MAKING) and not rebound:
                own |= {id(each) for each in inside if isinstance(each, ast.Attribute) and _is_name(each.value, me)}
    stores = [each for each in nodes if isinstance(each, ast.Attribute) and _is_stored(each)]
    return all(id(each) in own for each in stores)


def _is_stored(node: ast.Name | ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _changes_own_dicts(nodes: Sequence[ast.AST]) -> bool:
    """Whether all that a line changes by index or method stands in names that only hold what the program writes out."""
    if any(map(_shares, nodes)):
        return False
    changed: list[ast.expr] = []
    for node in nodes:
        match node:
            case ast.Subscript(value=held, ctx=ast.Store() | ast.Del()):
                changed.append(held)
            case ast.Call(func=ast.Attribute(value=held, attr=name)) if name in _CHANGING:
                changed.append(held)
            case ast.AugAssign(target=ast.Name() | ast.Attribute() as held, op=ast.BitOr()):
                changed.append(held)
            case ast.Attribute(attr=name) if name in _CHANGING and not isinstance(node.ctx, ast.Load):
                return False
    called = sum(isinstance(node, ast.Call) and getattr(node.func, "attr", "") in _CHANGING for node in nodes)
    if called != sum(isinstance(node, ast.Attribute) and node.attr in _CHANGING for node in nodes):
        return False
    fresh = _fresh(nodes)
    return all(ast.unparse(each).rpartition(".")[2] in fresh for each in changed if not _is_super(each))


def _shares(node: ast.AST) -> bool:
    """Whether a line may change an item in place, give an object another's dict, or bind names by a pattern."""
    match node:
        case ast.AugAssign(target=ast.Subscript(), op=ast.BitOr()) | ast.Match():
            return True
        case ast.Attribute(attr="__dict__"):
            return not isinstance(node.ctx, ast.Load)
    return False


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _is_name(node.func, "super")


def _fresh(nodes: Sequence[ast.AST]) -> set[str]:
    """Names of variables and fields that assignments alone bind, each to a display or a new container."""
    made: set[str] = set()
    other: set[str] = {node.arg for node in nodes if isinstance(node, ast.arg)}
    plain: set[int] = set()
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value) if _is_display(value):
                plain.add(id(target))
            case ast.AnnAssign(target=ast.Name() | ast.Attribute() as target, value=ast.expr() as value) if _is_display(
                value
            ):
                plain.add(id(target))
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            name = node.id if isinstance(node, ast.Name) else node.attr
            (made if id(node) in plain else other).add(name)
    return made - other


def _is_display(node: ast.expr) -> bool:
    match node:
        case ast.Dict() | ast.List() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in _DISPLAYS
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _DISPLAYS
    return False
