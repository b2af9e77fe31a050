"""What the names of a real line stand for among the program's classes and objects: live values, nothing is run."""

import ast
import builtins
import types
from collections.abc import Mapping
from typing import Any

from envs.execution.stepper.objects.object_kinds import ObjectKind
from envs.execution.syntax.classes.own_classes import OwnClasses, mangled
from envs.execution.text.definition_text import attribute_name
from envs.execution.text.value_writers import INDEXING


class LiveScope:
    """The objects that one live function sees."""

    def __init__(
        self, local: Mapping[str, object], namespace: Mapping[str, object], classes: OwnClasses, around: str | None
    ) -> None:
        self._local = local
        self._namespace = namespace
        self._classes = classes
        self._around = around

    def value(self, name: str) -> object:
        held = self._local.get(name, self._namespace.get(name))
        return held.cell_contents if isinstance(held, types.CellType) else held

    def kind(self, atom: ast.expr) -> ObjectKind | None:
        return self.kind_of(self.value(atom.id)) if isinstance(atom, ast.Name) else None

    def kind_of(self, value: object) -> ObjectKind | None:
        """What a live value is, as `TextScope` tells it from text."""
        if isinstance(value, type):
            return ObjectKind("class", value.__name__) if self._is_own(value) else None
        kind = type(value)
        if self._is_own(kind):
            return ObjectKind("instance", kind.__name__)
        if isinstance(value, super):
            return self._super(value)
        if kind is INDEXING:
            return self._turns(value)
        return self._bound(value)

    def _turns(self, value: Any) -> ObjectKind | None:
        parts = value.__reduce__()
        if len(parts) != 3 or not self._is_own(type(parts[1][0])):
            return None
        return ObjectKind("turns", type(parts[1][0]).__name__, name=str(parts[2]))

    def _is_own(self, kind: type) -> bool:
        return kind.__name__ in self._classes and self._namespace.get(kind.__name__) is kind

    def _super(self, value: Any) -> ObjectKind | None:
        if not (self._is_own(value.__thisclass__) and value.__self_class__ and self._is_own(value.__self_class__)):
            return None
        is_class = isinstance(value.__self__, type)
        return ObjectKind("super", value.__self_class__.__name__, "", value.__thisclass__.__name__, is_class=is_class)

    def _bound(self, value: object) -> ObjectKind | None:
        if isinstance(value, types.MethodType) and isinstance(value.__func__, types.FunctionType):
            kind = value.__self__ if isinstance(value.__self__, type) else type(value.__self__)
            if not self._is_own(kind):
                return None
            after = _behind(kind, value.__func__)
            is_class = isinstance(value.__self__, type)
            return ObjectKind("bound", kind.__name__, "", after, name=attribute_name(value.__func__), is_class=is_class)
        if isinstance(value, types.FunctionType):
            owner = self._namespace.get(value.__qualname__.rpartition(".")[0])
            if isinstance(owner, type) and self._is_own(owner):
                return ObjectKind("bound", owner.__name__, name=attribute_name(value), is_class=True)
        return None

    def has_field(self, kind: ObjectKind, name: str) -> bool:
        return False  # what a field holds is looked at where the function is entered

    def shared(self, owner: str, name: str) -> ObjectKind | None:
        held = self._namespace.get(owner)
        return self.kind_of(vars(held)[name]) if isinstance(held, type) and name in vars(held) else None

    def holds(self, owner: str, name: str) -> bool:
        held = self._namespace.get(owner)
        return isinstance(held, type) and name in vars(held)

    def is_builtin(self, name: str) -> bool:
        return name not in self._local and name not in self._namespace and hasattr(builtins, name)

    def private(self, name: str) -> str:
        return mangled(name, self._around)


def _behind(kind: type, function: types.FunctionType) -> str | None:
    """The class behind which `super` finds the function; None where the object's own class has it."""
    name = attribute_name(function)
    found = [each for each in kind.__mro__ if name in vars(each)]
    functions = [getattr(vars(each)[name], "__func__", vars(each)[name]) for each in found]
    if not found or functions[0] is function or function not in functions:
        return None
    return kind.__mro__[kind.__mro__.index(found[functions.index(function)]) - 1].__name__
