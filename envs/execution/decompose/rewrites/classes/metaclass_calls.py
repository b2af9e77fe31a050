"""Metaclasses that only say what a call of their classes does, written as a method that such calls call.

    class Single(type):                             class Single:
        made = {}                                       made = {}
        def __call__(cls, *args):                       def __call__(cls, *args):
            if cls not in cls.made:                         if cls not in Single.made:
                cls.made[cls] = super().__call__(*args)         Single.made[cls] = cls(*args)
            return cls.made[cls]                            return Single.made[cls]
    class Config(metaclass=Single): ...             class Config: ...
    config = Config(3)                              config = Single.__call__(Config, 3)

An attribute that `__call__` sets in its class (`cls.kept = ...`) becomes one of the classes that begin with the
metaclass. A metaclass stays where it does more, or where a call of one of its classes could come from elsewhere. Knows
only syntax.
"""

import ast
import copy
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from envs.execution.decompose.rewrites.library_names import hides_names, rebound_builtins
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.syntax.bindings import bound_in
from envs.execution.syntax.program_structure import nodes_of

_OTHER_WAYS = frozenset(
    {"replace", "pickle", "__reduce__", "__mro__", "mro", "__subclasses__", "setattr", "vars", "dir"}
)
"""What may call a class that it finds elsewhere, or look at what is rewritten."""
_ASKING = frozenset({"isinstance", "issubclass"})


@rewriting({ast.ClassDef}, {"metaclass"})
def with_written_calls(tree: ast.Module) -> ast.Module:
    """The program with such metaclasses rewritten; changes the tree where it has any."""
    if hides_names(tree) or {"type", "super", "isinstance"} & rebound_builtins(tree):
        return tree
    found = {each.node.name: each for each in _metaclasses(tree)}
    if not found:
        return tree
    for each in found.values():
        each.write()
    calls = _Calls(found)
    body = [calls.visit(node) for node in tree.body]
    return ast.fix_missing_locations(ast.Module(body, tree.type_ignores))


@dataclass(frozen=True, slots=True)
class _Metaclass:
    """A metaclass with nothing but `__call__` and data, and its classes."""

    node: ast.ClassDef
    call: ast.FunctionDef
    data: Mapping[str, ast.Assign | ast.AnnAssign]
    classes: Sequence[ast.ClassDef]

    @property
    def first(self) -> str:
        """What `__call__` calls the class."""
        return self.call.args.args[0].arg

    @property
    def set_by_class(self) -> set[str]:
        """Data that `__call__` sets anew in the class that is called."""
        return {
            node.attr
            for node in nodes_of(self.call)
            if isinstance(node, ast.Attribute)
            and not isinstance(node.ctx, ast.Load)
            and _is_named(node.value, self.first)
        }

    def write(self) -> None:
        """Change the metaclass and its classes in place."""
        own, above = self.set_by_class, self.node.bases[0]
        kept = [] if _is_named(above, "type") else [ast.keyword("metaclass", above)]
        self.node.bases = []
        self.node.body = [each for each in self.node.body if not any(each is self.data.get(name) for name in own)]
        for each in self.classes:
            if each.keywords:
                each.keywords = list(kept)
                each.body = [*(copy.deepcopy(self.data[name]) for name in sorted(own & self.data.keys())), *each.body]
        _Bare(self).visit(self.call)


def _metaclasses(tree: ast.Module) -> Iterator[_Metaclass]:
    nodes, times = nodes_of(tree), Counter(bound_in(tree))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    names |= {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    if names & _OTHER_WAYS or any(map(_finds_class, nodes)) or any(map(_replaces, nodes)):
        return
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and _derives_plainly(node, times) and times[node.name] == 1:
            found = _read(node, _classes(tree, node.name))
            if found is not None and all(times[each.name] == 1 for each in found.classes) and _fits(found, nodes):
                yield found


def _derives_plainly(node: ast.ClassDef, times: Mapping[str, int]) -> bool:
    """Whether a class is a metaclass like any other, or one of abstract classes."""
    bases = list(map(ast.unparse, node.bases))
    return bases == ["type"] or (bases in (["ABCMeta"], ["abc.ABCMeta"]) and times[bases[0].partition(".")[0]] == 1)


def _finds_class(node: ast.AST) -> bool:
    """Whether a line may call the class that it finds in an object: anything but asking it for its name."""
    match node:
        case ast.Call(func=ast.Call(func=ast.Name(id="type")) | ast.Attribute(attr="__class__") | ast.Name(id="cls")):
            return True
        case ast.Assign(value=ast.Call(func=ast.Name(id="type")) | ast.Attribute(attr="__class__")):
            return True
    return False


def _replaces(node: ast.AST) -> bool:
    """Whether a node means `dataclasses.replace`, which calls the class of its object."""
    match node:
        case ast.ImportFrom(module="dataclasses" | "copy", names=aliases):
            return any(alias.name == "replace" for alias in aliases)
        case ast.Attribute(value=ast.Name(id="dataclasses" | "copy"), attr="replace"):
            return True
    return False


def _classes(tree: ast.Module, name: str) -> list[ast.ClassDef]:
    """The classes of a metaclass, in their order: those that name it, and those that derive from them."""
    found: list[ast.ClassDef] = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            own = {each.name for each in found}
            words = [word.arg == "metaclass" and _is_named(word.value, name) for word in node.keywords]
            if any(words) or any(isinstance(base, ast.Name) and base.id in own for base in node.bases):
                found.append(node)
    return found


def _read(node: ast.ClassDef, classes: Sequence[ast.ClassDef]) -> _Metaclass | None:
    """What a metaclass says; None where that is more than data and a plain `__call__`."""
    calls: list[ast.FunctionDef] = []
    data: dict[str, ast.Assign | ast.AnnAssign] = {}
    for each in node.body:
        match each:
            case ast.FunctionDef(name="__call__", decorator_list=[], args=ast.arguments(posonlyargs=[], args=[_, *_])):
                calls.append(each)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
                data[name] = each
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case _:
                return None
    special = any(name.startswith("__") and name.endswith("__") for name in data)
    if len(calls) != 1 or special or node.keywords or node.decorator_list or not all(map(_is_plain, classes)):
        return None
    return _Metaclass(node, calls[0], data, classes)


def _is_plain(node: ast.ClassDef) -> bool:
    """Whether a class has no other keywords, no `__new__`, and no decorators but `dataclass`."""
    made = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
    plain = all(ast.unparse(each) in ("dataclass", "dataclasses.dataclass") for each in made)
    methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    return plain and len(node.keywords) <= 1 and not methods & {"__new__", "__init_subclass__", "__call__"}


def _fits(found: _Metaclass, nodes: Sequence[ast.AST]) -> bool:
    """Whether the program uses the metaclass and its classes in known ways alone, and no class hides its data."""
    return _makes_plainly(found) and _holds_alone(found, nodes) and _is_used_plainly(found, nodes)


def _makes_plainly(found: _Metaclass) -> bool:
    """Whether `__call__` asks what is above it for nothing but the plain call of its class."""
    inside = nodes_of(found.call)
    made = sum(_is_bare(node, found.first, found.node.name) for node in inside)
    asked = sum(_is_named(node, "super") or _is_named(node, "type") for node in inside)
    named = [node for node in inside if isinstance(node, ast.Name) and node.id == found.first]
    rebound = any(not isinstance(node.ctx, ast.Load) for node in named)
    passed = any(isinstance(node, ast.FunctionDef | ast.Lambda) for node in inside if node is not found.call)
    return made == asked and not rebound and not passed


def _holds_alone(found: _Metaclass, nodes: Sequence[ast.AST]) -> bool:
    """Whether nothing but the metaclass has its data, and only lines that name a class ask for it."""
    moved = found.set_by_class & found.data.keys()
    plain = all(isinstance(found.data[name].value, ast.Constant) and not name.startswith("__") for name in moved)
    hidden = {name for each in found.classes for part in each.body for name in bound_in(part)}
    elsewhere = any(_is_asked_elsewhere(name, found, nodes) for name in found.data)
    by_text = bool(found.data) and any(_asks_by_text(node, found.data.keys()) for node in nodes)
    return plain and not elsewhere and not by_text and not hidden & found.data.keys()


def _is_used_plainly(found: _Metaclass, nodes: Sequence[ast.AST]) -> bool:
    """Whether each mention of the classes and of the metaclass is one that is rewritten, or means the same after."""
    names = {each.name for each in found.classes}
    uses = sum(isinstance(node, ast.Name) and node.id in names for node in nodes)
    known = sum(name in names for node in nodes for name in _known_uses(node, found.node.name))
    mentions = sum(_is_named(node, found.node.name) for node in nodes)
    owned = [node for node in nodes if isinstance(node, ast.Attribute) and _is_named(node.value, found.node.name)]
    begun = sum(bool(each.keywords) for each in found.classes)
    supers = [node for node in nodes_of(found.call) if isinstance(node, ast.Call) and _is_named(node.func, "super")]
    begun += sum(bool(node.args) for node in supers)
    held = all(node.attr in found.data.keys() - found.set_by_class for node in owned)
    return uses == known and mentions == len(owned) + begun and held


def _asks_by_text(node: ast.AST, names: Collection[str]) -> bool:
    """Whether a line may ask for one of these names by a text."""
    match node:
        case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[_, ast.Constant(value=name), *_]):
            return name in names
        case ast.Call(func=ast.Name(id="getattr" | "hasattr")):
            return True
    return isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node).endswith("attrgetter")


def _is_asked_elsewhere(name: str, found: _Metaclass, nodes: Sequence[ast.AST]) -> bool:
    """Whether some object, which would find it in its class, may be asked for a name of the metaclass."""
    classes = {found.node.name, *(each.name for each in found.classes)}
    inside = {id(node) for node in nodes_of(found.call)}
    asked = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr == name and id(node) not in inside]
    return any(not (isinstance(node.value, ast.Name) and node.value.id in classes) for node in asked)


def _known_uses(node: ast.AST, metaclass: str) -> Iterator[str]:
    """The names that a node uses as a class that is called, asked, derived from, compared or looked up by."""
    parts: list[ast.AST | None] = []
    match node:
        case ast.Call(func=ast.Name(id=asking), args=[_, kinds]) if asking in _ASKING:
            parts = list(kinds.elts) if isinstance(kinds, ast.Tuple) else [kinds]
        case ast.Call(func=ast.Attribute(value=ast.Attribute(value=ast.Name(id=owner))), args=given) if (
            owner == metaclass
        ):
            parts = list(given)
        case ast.Call(func=called):
            parts = [called]
        case ast.Attribute(value=value):
            parts = [value]
        case ast.ClassDef(bases=bases):
            parts = list(bases)
        case ast.Compare(left=left, comparators=others):
            parts = [left, *others]
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=owner)), slice=key) if owner == metaclass:
            parts = [key]
        case ast.arg(annotation=note) | ast.AnnAssign(annotation=note) | ast.FunctionDef(returns=note):
            parts = [note]
    yield from (each.id for each in parts if isinstance(each, ast.Name))


def _is_bare(node: ast.AST, first: str, metaclass: str) -> bool:
    """Whether it is `super().__call__(...)`, or `type.__call__(cls, ...)`: the call of the class as it would be."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")) as owner, attr="__call__")):
            return ast.unparse(owner) in ("super()", f"super({metaclass}, {first})")
        case ast.Call(func=ast.Attribute(value=ast.Name(id="type"), attr="__call__"), args=[given, *_]):
            return _is_named(given, first)
    return False


def _is_named(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


class _Bare(ast.NodeTransformer):
    """Lets `__call__` make the object by a plain call, and ask the metaclass for what it holds."""

    def __init__(self, found: _Metaclass) -> None:
        self._name, self._first = found.node.name, found.first
        self._held = found.data.keys() - found.set_by_class

    def visit_Call(self, node: ast.Call) -> ast.Call:
        bare = _is_bare(node, self._first, self._name)
        self.generic_visit(node)
        if bare:
            given = node.args[1:] if _is_named(node.func.value, "type") else node.args  # type: ignore[attr-defined]
            node.func, node.args = ast.copy_location(ast.Name(self._first, ast.Load()), node), given
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        self.generic_visit(node)
        if node.attr in self._held and _is_named(node.value, self._first):
            node.value = ast.copy_location(ast.Name(self._name, ast.Load()), node)
        return node


class _Calls(ast.NodeTransformer):
    """Lets lines call `__call__` of the metaclass, and ask it for its data."""

    def __init__(self, found: Mapping[str, _Metaclass]) -> None:
        self._owners = {each.name: owner for owner, made in found.items() for each in made.classes}
        self._held = {owner: made.data.keys() - made.set_by_class for owner, made in found.items()}

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        match node.func:
            case ast.Name(id=name) if name in self._owners:
                node.args = [node.func, *node.args]
                owner = ast.copy_location(ast.Name(self._owners[name], ast.Load()), node)
                node.func = ast.copy_location(ast.Attribute(owner, "__call__", ast.Load()), node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        self.generic_visit(node)
        match node.value:
            case ast.Name(id=name) if name in self._owners and node.attr in self._held[self._owners[name]]:
                node.value = ast.copy_location(ast.Name(self._owners[name], ast.Load()), node)
        return node
