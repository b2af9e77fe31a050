"""Members of the program's own classes: attributes with the values they get, methods, and the classes they come from.

An attribute is a name of the class body or one that a method assigns by its first parameter. Inherited members count
where the base class is part of the program. Knows the syntax tree and no source text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from envs.editing.variable_scopes import Function

_CHANGING = frozenset(
    "append appendleft extend insert add update pop popleft remove discard clear setdefault sort push put".split()
)
"""Methods that change their owner, so that its attribute need not be assigned again."""


@dataclass(slots=True)
class ClassFacts:
    """One class of the program."""

    node: ast.ClassDef
    bases: tuple[str, ...]
    methods: dict[str, Function] = field(default_factory=dict)
    stores: dict[str, list[tuple[Function | None, ast.expr | None]]] = field(default_factory=dict)
    """For each attribute the assignments to it: the method, None for the class body, and the value."""
    changed: set[str] = field(default_factory=set)
    """Attributes that a method outside `__init__` updates in place or by an operator."""


class ClassMembers:
    """The classes of one module by name."""

    def __init__(self, tree: ast.Module) -> None:
        self.classes = {node.name: _own_class(node) for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        self._read = {
            node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
        }

    def is_read(self, attribute: str) -> bool:
        """Whether the program reads an attribute anywhere; one that is only set was probably forgotten."""
        return attribute.rpartition(".")[2] in self._read

    def family(self, own: ClassFacts) -> Iterator[ClassFacts]:
        """A class and the classes of the program that it derives from, itself first."""
        pending, seen = [own], set()
        while pending:
            each = pending.pop(0)
            if each.node.name not in seen:
                seen.add(each.node.name)
                yield each
                pending += [self.classes[name] for name in each.bases if name in self.classes]

    def attributes(self, own: ClassFacts) -> dict[str, None]:
        """The attributes of a class, own ones first, then inherited ones."""
        return {name: None for each in self.family(own) for name in each.stores}

    def readable(self, own: ClassFacts, method: Function, line: int) -> list[str]:
        """The attributes and properties that a method can read at a line, those first that it mentions."""
        said = {each.attr for each in ast.walk(method) if isinstance(each, ast.Attribute)}
        bound = [each for each in self.attributes(own) if not _unset(own, method, each, line)]
        read = [each for each, other in own.methods.items() if is_property(other) and other is not method]
        return sorted(dict.fromkeys([*bound, *read]), key=lambda each: each not in said)

    def inherited_method(self, own: ClassFacts, name: str) -> Function | None:
        """The method of a base class that this class overrides, or could call by `super()`."""
        return next((each.methods[name] for each in self.family(own) if each is not own and name in each.methods), None)

    def first_values(self, own: ClassFacts, name: str) -> list[ast.expr]:
        """The values that an attribute gets in the class body and in `__init__`."""
        stores = (store for each in self.family(own) for store in each.stores.get(name, ()))
        return [value for method, value in stores if value is not None and _is_first(method)]

    def is_stale(self, own: ClassFacts, name: str) -> bool:
        """Whether an attribute gets a constant at first and is never assigned or changed after that."""
        for each in self.family(own):
            if name in each.changed or any(not _is_first(method) for method, _ in each.stores.get(name, ())):
                return False
        values = self.first_values(own, name)
        return bool(values) and all(isinstance(each, ast.Constant) or _is_empty(each) for each in values)


def receiver(method: Function, parents: Mapping[ast.AST, ast.AST]) -> str | None:
    """The name of a method's own object, such as `self`; None for functions, static methods and class methods."""
    arguments = [*method.args.posonlyargs, *method.args.args]
    if not isinstance(parents.get(method), ast.ClassDef) or not arguments:
        return None
    named = {each.id for each in method.decorator_list if isinstance(each, ast.Name)}
    return None if named & {"staticmethod", "classmethod"} else arguments[0].arg


def is_property(method: Function) -> bool:
    """Whether a method is read like an attribute."""
    return any(isinstance(each, ast.Name) and "property" in each.id for each in method.decorator_list)


def _own_class(node: ast.ClassDef) -> ClassFacts:
    own = ClassFacts(node, tuple(each.id for each in node.bases if isinstance(each, ast.Name)))
    for statement in node.body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                own.methods.setdefault(statement.name, statement)
                _read_method(own, statement)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name):
                        own.stores.setdefault(target.id, []).append((None, value))
            case ast.AnnAssign(target=ast.Name(id=name), value=value):
                own.stores.setdefault(name, []).append((None, value))
    return own


def _read_method(own: ClassFacts, method: Function) -> None:
    """Notes which attributes of its object a method assigns and changes."""
    name = receiver(method, {method: own.node})
    for node in ast.walk(method):
        match node:
            case ast.Assign(targets=targets, value=value):
                for one, each in (pair for target in targets for pair in _pairs(target, value)):
                    if attribute := _attribute(one, name):
                        own.stores.setdefault(attribute, []).append((method, each))
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                if attribute := _attribute(target, name):
                    own.changed.add(attribute)
                    own.stores.setdefault(attribute, [])
            case ast.Call(func=ast.Attribute(value=owner, attr=called)) if called in _CHANGING:
                if attribute := _attribute(owner, name):
                    own.changed.add(attribute)
            case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()):
                if attribute := _attribute(owner, name):
                    own.changed.add(attribute)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """Each part of an assignment's target with its value; None where the value is not written out."""
    if not isinstance(target, ast.Tuple | ast.List):
        yield target, value
        return
    values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
    for place, each in enumerate(target.elts):
        yield each, values[place] if len(values) == len(target.elts) else None


def _attribute(node: ast.expr, receiver_name: str | None) -> str | None:
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name == receiver_name:
            return attribute
    return None


def _unset(own: ClassFacts, method: Function, attribute: str, line: int) -> bool:
    """Whether an attribute gets its first value at this line of `__init__` or below."""
    if method.name != "__init__":
        return False
    stores = [(each, value) for each, value in own.stores.get(attribute, ()) if each in (None, method)]
    return bool(stores) and all(each is method and (value is None or value.lineno >= line) for each, value in stores)


def _is_first(method: Function | None) -> bool:
    return method is None or method.name in ("__init__", "__new__", "__post_init__")


def _is_empty(node: ast.expr) -> bool:
    """Whether an expression is an empty display or a call without arguments, such as `[]` and `deque()`."""
    match node:
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]) | ast.Call(args=[], keywords=[]):
            return True
    return False
