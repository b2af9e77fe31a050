"""Classes without their `__slots__`: rules know objects by their fields, whatever holds them.

    __slots__ = ("x", "y")      removed, as is `dataclass(slots=True)`
    point.z = 3                 _set_z(3, point), which raises for a class without that slot
    setattr(point, name, 3)     _set_named(point, name, 3)

A line that can only set slots, or a field of another class, stays as it is. Programs that ask for what a class keeps
its fields in, or that set such a field in any other way, keep their slots. Knows only syntax.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence

from envs.execution.decompose.rewrites.library_names import fresh_name, occurring_names
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import in_front, placed, runs_before
from envs.execution.syntax.program_structure import nodes_of
from envs.execution.syntax.python_version import DICT_IN_MESSAGES

_LOOKS = frozenset(
    "__slots__ __dict__ vars weakref pickle copyreg getsizeof __weakref__ __setattr__ cached_property".split()
)
_LOOKS_BY_TEXT = frozenset({"__slots__", "__dict__", "__weakref__"})
_PLAIN_BASES = frozenset({"ABC", "abc.ABC"})
"""Bases of the library that have slots, and none of their own."""
_NO_FIELDS = ("ClassVar", "typing.ClassVar", "InitVar", "dataclasses.InitVar", "KW_ONLY", "dataclasses.KW_ONLY")
_END = " and no __dict__ for setting new attributes" if DICT_IN_MESSAGES else ""


@rewriting({ast.ClassDef}, {"__slots__", "slots"})
def without_slots(tree: ast.Module) -> ast.Module:
    """The program with such classes rewritten; the same tree where it has none, or where a line could tell."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    slotted: dict[str, frozenset[str]] = {}
    open_classes: set[str] = set()
    for node in classes:
        if (names := _slots(node, slotted)) is not None:
            slotted[node.name] = names
        elif _has_slots(node) and _derives_openly(node, classes, slotted):
            open_classes.add(node.name)
    if not (slotted or open_classes) or _looks(tree) or runs_before(tree, slotted):
        return tree
    setting = _Setting(tree, classes, slotted)
    if setting.is_odd():
        return tree
    for statement in tree.body:
        setting.visit(statement)
    for node in classes:
        if node.name in slotted or node.name in open_classes:
            _drop_option(node)
            node.body = [each for each in node.body if _slot_names(each) is None] or [ast.Pass()]
    return in_front(tree, setting.helpers())


# -- which classes


def _slots(node: ast.ClassDef, above: Mapping[str, frozenset[str]]) -> frozenset[str] | None:
    """The names of a class's slots, and of those that it derives from; None where one has none, or a decorator."""
    bases = [base for base in map(ast.unparse, node.bases) if base not in _PLAIN_BASES]
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


def _has_slots(node: ast.ClassDef) -> bool:
    return not node.decorator_list and any(_slot_names(each) is not None for each in node.body)


def _derives_openly(node: ast.ClassDef, classes: Sequence[ast.ClassDef], slotted: Mapping[str, object]) -> bool:
    """Whether the class derives from nothing but classes of the program that keep their fields in a dict."""
    plain = {each.name for each in classes if each.name not in slotted and not each.bases and not _has_slots(each)}
    bases = [base.id if isinstance(base, ast.Name) else "" for base in node.bases]
    return bool(bases) and not node.keywords and all(base in plain for base in bases)


def _field_slots(node: ast.ClassDef) -> frozenset[str] | None:
    """The slots of a dataclass; None where more than its fields makes them, or a method asks for its class."""
    fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
    odd = any(ast.unparse(each.annotation).strip("'\"").startswith(_NO_FIELDS) for each in fields)
    inside = {each.id for each in nodes_of(node) if isinstance(each, ast.Name)}
    options = [word.arg for each in node.decorator_list if isinstance(each, ast.Call) for word in each.keywords]
    if odd or inside & {"super", "__class__"} or "weakref_slot" in options:
        return None
    return frozenset(each.target.id for each in fields if isinstance(each.target, ast.Name))


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
    """Whether the program may ask for what an object keeps its fields in."""
    nodes = nodes_of(tree)
    named = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    own = {text for node in nodes if isinstance(node, ast.ClassDef) for each in node.body for text in _texts(each)}
    asked = named | {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return bool(asked & _LOOKS or (texts - own) & _LOOKS_BY_TEXT)


def _texts(node: ast.stmt) -> Iterable[str]:
    return _slot_names(node) or ()


# -- lines that set fields


class _Setting(ast.NodeTransformer):
    """Lets lines that may set no slot ask for the class first."""

    def __init__(
        self, tree: ast.Module, classes: Sequence[ast.ClassDef], slotted: Mapping[str, frozenset[str]]
    ) -> None:
        self._nodes, self._slotted = nodes_of(tree), slotted
        self._members: dict[str, dict[str, str]] = {}
        for node in classes:
            above = [self._members.get(ast.unparse(base), {}) for base in node.bases]
            self._members[node.name] = {name: kind for each in above for name, kind in each.items()} | _members(node)
        self._inside: ast.ClassDef | None = None
        self._taken = occurring_names(tree)
        self._used: dict[str, tuple[str, int]] = {}
        """Of each attribute, and of computed ones: the helper's name, and the first line that calls it."""
        self._plain = {id(node.targets[0]) for node in self._nodes if isinstance(node, ast.Assign)}
        self._plain -= {
            id(node.targets[0]) for node in self._nodes if isinstance(node, ast.Assign) and node.targets[1:]
        }
        self._added = {id(node.target) for node in self._nodes if isinstance(node, ast.AugAssign)}

    def is_odd(self) -> bool:
        """Whether a line sets or deletes a field in a way that no helper stands for."""
        attributes = [node for node in self._nodes if isinstance(node, ast.Attribute)]
        if any(isinstance(node.ctx, ast.Del) for node in attributes):
            return True
        if any(
            isinstance(node.value, ast.Name) and node.attr in self._slotted.get(node.value.id, ())
            for node in attributes
        ):
            return True
        names = [node for node in self._nodes if isinstance(node, ast.Name) and node.id == "setattr"]
        calls = [node for node in self._nodes if isinstance(node, ast.Call) and _sets_by_name(node)]
        return len(calls) != len(names) or any(map(self._is_refused, attributes)) or self._refused_on_self()

    def _refused_on_self(self) -> bool:
        """Whether a method sets a field of its own object, which has no such slot, in an odd way."""
        for owner, slots in self._slotted.items():
            node = next(each for each in self._nodes if isinstance(each, ast.ClassDef) and each.name == owner)
            for each in nodes_of(node):
                if isinstance(each, ast.Attribute) and _is_set(each) and _on_self(each):
                    if self._members[owner].get(each.attr) == "other":
                        return True
                    known = each.attr in slots or self._members[owner].get(each.attr) == "property"
                    if not known and id(each) not in self._plain | self._added:
                        return True
        return False

    def _is_refused(self, node: ast.Attribute) -> bool:
        if not _is_set(node) or _on_self(node):
            return False
        lacking = self._lacking(node.attr)
        if any(self._members[owner].get(node.attr) == "other" for owner in self._slotted):
            return True
        return bool(lacking) and id(node) not in self._plain | self._added

    def _lacking(self, attr: str) -> list[str]:
        """The classes whose objects cannot have such a field."""
        return [
            owner
            for owner, slots in self._slotted.items()
            if attr not in slots and self._members[owner].get(attr) != "property"
        ]

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        around, self._inside = self._inside, node
        self.generic_visit(node)
        self._inside = around
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, ast.Attribute) or not self._may_lack(target):
            return node
        given = [node.value, target.value]
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(self._called(target.attr, node, given)), node))

    def _may_lack(self, node: ast.Attribute) -> bool:
        if _on_self(node) and self._inside is not None:
            return self._inside.name in self._lacking(node.attr)
        known = isinstance(node.value, ast.Name) and node.value.id in self._members  # a field of the class
        return not known and bool(self._lacking(node.attr))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        return self._called("", node, node.args) if self._slotted and _sets_by_name(node) else node

    def _called(self, attr: str, node: ast.stmt | ast.expr, given: list[ast.expr]) -> ast.expr:
        if attr not in self._used:
            name = fresh_name(f"_set_{attr or 'named'}", self._taken)
            self._taken.add(name)
            self._used[attr] = name, node.lineno
        called = ast.Call(ast.Name(self._used[attr][0], ast.Load()), given, [])
        return ast.fix_missing_locations(ast.copy_location(called, node))

    def helpers(self) -> list[ast.stmt]:
        """The functions that lines were replaced by."""
        found: list[ast.stmt] = []
        for attr, (name, line) in self._used.items():
            source = self._by_name(name) if not attr else self._by_attribute(name, attr)
            found += placed(ast.parse(source).body, line)
        return found

    def _by_attribute(self, name: str, attr: str) -> str:
        lines = [f"def {name}(value, thing):"]
        for owner in self._lacking(attr):
            lines.append(f"    if type(thing) is {owner}:")
            lines.append(f"        raise AttributeError({f'{owner!r} object has no attribute {attr!r}{_END}'!r})")
        return "\n".join([*lines, f"    thing.{attr} = value"])

    def _by_name(self, name: str) -> str:
        lines = [f"def {name}(thing, name, value):"]
        for owner, slots in self._slotted.items():
            settable = sorted({*slots, *(each for each, kind in self._members[owner].items() if kind == "property")})
            fixed = sorted(each for each, kind in self._members[owner].items() if kind == "other")
            lines.append(f"    if type(thing) is {owner} and name not in {settable!r}:")
            lines.append(f"        if name in {fixed!r}:")
            lines.append(f"            raise AttributeError(f\"'{owner}' object attribute {{name!r}} is read-only\")")
            lines.append(f"        raise AttributeError(f\"'{owner}' object has no attribute {{name!r}}{_END}\")")
        return "\n".join([*lines, "    setattr(thing, name, value)"])


def _members(node: ast.ClassDef) -> dict[str, str]:
    """Names that a class body binds: properties, and others, which no object can set."""
    found: dict[str, str] = {}
    for each in node.body:
        if isinstance(each, ast.FunctionDef):
            found[each.name] = "property" if each.decorator_list else "other"
        elif isinstance(each, ast.Assign) and _slot_names(each) is None:
            found |= {target.id: "other" for target in each.targets if isinstance(target, ast.Name)}
    return found


def _sets_by_name(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="setattr"), args=[_, _, _] as given, keywords=[]):
            return not any(isinstance(each, ast.Starred) for each in given)
    return False


def _is_set(node: ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _on_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"
