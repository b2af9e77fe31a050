"""Classes written so that rules know them: what `total_ordering` adds as methods, `__slots__` left out.

    @total_ordering     the three methods that it makes of the fourth, as `functools` writes them
    __slots__           removed where no line can tell: nothing sets another attribute, nothing asks for `__dict__`
    dataclass(slots=True)   the same
    Stack[int]()        Stack(), where nothing can ask for what stands in the brackets

The program behaves as before. A class where a difference could be seen stays as it is.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence

from envs.execution.decompose.rewrites.written_functions import placed
from envs.execution.syntax.program_structure import nodes_of

_ROOTS = ("__lt__", "__le__", "__gt__", "__ge__")
"""The operators from which `total_ordering` makes the others, the preferred one first."""
_MADE = {
    "__lt__": {"__gt__": "not found and self != other", "__le__": "found or self == other", "__ge__": "not found"},
    "__le__": {"__ge__": "not found or self == other", "__lt__": "found and self != other", "__gt__": "not found"},
    "__gt__": {"__lt__": "not (found or self == other)", "__ge__": "found or self == other", "__le__": "not found"},
    "__ge__": {"__le__": "not found or self == other", "__gt__": "found and self != other", "__lt__": "not found"},
}
_METHOD = """
def NAME(self, other):
    found = type(self).ROOT(self, other)
    if found is NotImplemented:
        return found
    return VALUE
"""
_LOOKS = frozenset(
    (
        "__slots__ __dict__ vars setattr weakref pickle copyreg getsizeof __weakref__ __setattr__ cached_property "
        "__orig_class__"
    ).split()
)


def with_plain_classes(tree: ast.Module) -> ast.Module:
    """The program with such classes rewritten; a tree with classes is changed."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    if not classes:
        return tree
    for node in classes:
        _order(node)
    if not _looks(tree) and (generic := {node.name for node in classes if _is_generic(node)}):
        _Unsubscripted(generic).visit(tree)
    slotted: dict[str, frozenset[str]] = {}
    for node in classes:
        if (names := _slots(node, slotted)) is not None:
            slotted[node.name] = names
    if slotted and not _looks(tree) and _only_sets_slots(classes, nodes_of(tree), slotted):
        for node in classes:
            if node.name in slotted:
                _drop_option(node)
                node.body = [each for each in node.body if _slot_names(each) is None] or [ast.Pass()]
    return ast.fix_missing_locations(tree)


# -- parameters of a class


def _is_generic(node: ast.ClassDef) -> bool:
    """Whether `Stack[int]` only says what an object holds."""
    written = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    named = any(ast.unparse(base).rpartition(".")[2].startswith("Generic[") for base in node.bases)
    return named and not written & {"__class_getitem__", "__setattr__", "__getattr__"}


class _Unsubscripted(ast.NodeTransformer):
    """Writes `Stack[int]()` as `Stack()`."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        match node.func:
            case ast.Subscript(value=ast.Name(id=name) as kind) if name in self._names:
                node.func = kind
        return node


# -- order


def _order(node: ast.ClassDef) -> None:
    """Write out what `total_ordering` makes of the operators that the class has."""
    decorators = [each for each in node.decorator_list if ast.unparse(each) in _ORDERINGS]
    own = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    root = next((name for name in _ROOTS if name in own), None)
    if not decorators or root is None or node.bases:
        return
    node.decorator_list = [each for each in node.decorator_list if each not in decorators]
    for name, value in _MADE[root].items():
        if name not in own:
            source = _METHOD.replace("NAME", name).replace("ROOT", root).replace("VALUE", value)
            node.body += placed(ast.parse(source).body, node.lineno)


_ORDERINGS = frozenset({"total_ordering", "functools.total_ordering"})

# -- slots


def _slots(node: ast.ClassDef, above: Mapping[str, frozenset[str]]) -> frozenset[str] | None:
    """The names of a class's slots, and of those that it derives from; None where one has none, or a decorator."""
    bases = [base.id if isinstance(base, ast.Name) else "" for base in node.bases]
    if node.keywords or len(bases) > 1 or any(base not in above for base in bases):
        return None
    inherited = frozenset(name for base in bases for name in above[base])
    if inherited and node.decorator_list:
        return None
    if len(node.decorator_list) == 1 and any(map(_is_slotting, node.decorator_list)):
        return _field_slots(node)
    if node.decorator_list:
        return None
    own = next((names for each in node.body if (names := _slot_names(each)) is not None), None)
    return None if own is None else own | inherited


def _field_slots(node: ast.ClassDef) -> frozenset[str] | None:
    """The slots of a dataclass; None where more than its fields makes them, or a method asks for its class."""
    fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
    odd = any(ast.unparse(each.annotation).strip("'\"").startswith(_NO_FIELDS) for each in fields)
    inside = {each.id for each in nodes_of(node) if isinstance(each, ast.Name)}
    options = [word.arg for each in node.decorator_list if isinstance(each, ast.Call) for word in each.keywords]
    if odd or inside & {"super", "__class__"} or "weakref_slot" in options:
        return None
    return frozenset(each.target.id for each in fields if isinstance(each.target, ast.Name))


_NO_FIELDS = ("ClassVar", "typing.ClassVar", "InitVar", "dataclasses.InitVar", "KW_ONLY", "dataclasses.KW_ONLY")


def _is_slotting(node: ast.expr) -> bool:
    """Whether a decorator is `dataclass(slots=True)`, with other options or without."""
    match node:
        case ast.Call(func=ast.Name(id="dataclass") | ast.Attribute(attr="dataclass"), keywords=options):
            return any(each.arg == "slots" and ast.unparse(each.value) == "True" for each in options)
    return False


def _drop_option(node: ast.ClassDef) -> None:
    for each in node.decorator_list:
        if isinstance(each, ast.Call):
            each.keywords = [option for option in each.keywords if option.arg != "slots"]


def _slot_names(node: ast.stmt) -> frozenset[str] | None:
    match node:
        case ast.Assign(targets=[ast.Name(id="__slots__")], value=ast.Tuple(elts=parts) | ast.List(elts=parts)):
            names = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            return frozenset(names) if len(names) == len(parts) else None
        case ast.Assign(targets=[ast.Name(id="__slots__")], value=ast.Constant(value=str(name))):
            return frozenset({name})
    return None


def _looks(tree: ast.Module) -> bool:
    nodes = nodes_of(tree)
    named = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return bool((named | {node.attr for node in nodes if isinstance(node, ast.Attribute)}) & _LOOKS)


def _only_sets_slots(
    classes: Sequence[ast.ClassDef], nodes: Sequence[ast.AST], slotted: dict[str, frozenset[str]]
) -> bool:
    """Whether no line can set another attribute of an object with slots, and no class derives from its class."""
    derived = [(node.name, base) for node in classes for base in node.bases]
    if any(isinstance(base, ast.Name) and base.id in slotted and name not in slotted for name, base in derived):
        return False
    own = {node.name: frozenset(_set_on_self(node)) for node in classes}
    if any(not own[name] <= names for name, names in slotted.items()):
        return False
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    if any(isinstance(node.value, ast.Name) and node.attr in slotted.get(node.value.id, ()) for node in attributes):
        return False
    if any(isinstance(node.ctx, ast.Del) for node in attributes):
        return False
    common = frozenset.intersection(*slotted.values())
    anywhere = {node.attr for node in nodes if isinstance(node, ast.Attribute) and _is_set(node) and not _on_self(node)}
    return anywhere <= common


def _set_on_self(node: ast.ClassDef) -> Iterator[str]:
    yield from (
        each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute) and _is_set(each) and _on_self(each)
    )


def _is_set(node: ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _on_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"
