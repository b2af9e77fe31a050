"""What the names of a line stand for among the program's classes and objects, read from a frame's text."""

import ast
import builtins
import re
from dataclasses import replace

from envs.execution.state.value_grammar import ImpossibleState, label_of
from envs.execution.stepper.frame_builder import FrameBuilder
from envs.execution.stepper.frame_variables import FrameVariables
from envs.execution.stepper.objects.object_kinds import ObjectKind
from envs.execution.stepper.objects.object_text import ObjectText
from envs.execution.stepper.values.value_rules import split_items
from envs.execution.syntax.classes.own_classes import OwnClasses, mangled

_KIND = re.compile(r"([^\W\d]\w*)\(")
_INDEXED = re.compile(r"iter\((#\d+), (\d+)\)$")
_BOUND = re.compile(r"(#\d+|super\(.*\)|[^\W\d]\w*(?:\(.*\))?)\.([^\W\d]\w*)$", re.DOTALL)


class TextScope:
    """The objects of one frame being built."""

    def __init__(
        self, builder: FrameBuilder, variables: FrameVariables, classes: OwnClasses, around: dict[int, str]
    ) -> None:
        self._builder = builder
        self._variables = variables
        self._classes = classes
        self._around = around

    def kind(self, atom: ast.expr) -> ObjectKind | None:
        """What a name or a constant stands for, if that is an object or a class of the program."""
        return self.kind_of(self._variables.atom(self._builder, atom)) if isinstance(atom, ast.Name) else None

    def kind_of(self, text: str) -> ObjectKind | None:
        """What a value's text stands for."""
        label = label_of(text)
        if label is not None:
            content = self.content(label)
            if indexed := _INDEXED.match(content):
                held = self.kind_of(indexed[1])
                return replace(held, role="turns", name=indexed[2]) if held and held.role == "instance" else None
            match = _KIND.match(content)
            return ObjectKind("instance", match[1], text) if match and match[1] in self._classes else None
        if text in self._classes:
            return ObjectKind("class", text, text)
        if text.startswith("super("):
            return self._super(text) if text.endswith(")") else self._bound(text)
        return self._exception(text) or (self._bound(text) if "." in text else None)

    def _exception(self, text: str) -> ObjectKind | None:
        """An exception of the program that has no fields, and so is a value."""
        match = _KIND.match(text) if text.endswith(")") else None
        if match is None or match[1] not in self._classes or not self._classes[match[1]].exception:
            return None
        return ObjectKind("instance", match[1], text)

    def _super(self, text: str) -> ObjectKind | None:
        parts = split_items(text[len("super") :])
        held = self.kind_of(parts[1]) if len(parts) == 2 else None
        if held is None or held.role not in ("instance", "class") or parts[0] not in self._classes:
            return None
        return ObjectKind("super", held.owner, held.text, parts[0], is_class=held.role == "class")

    def _bound(self, text: str) -> ObjectKind | None:
        match = _BOUND.match(text)
        held = self.kind_of(match[1]) if match else None
        if match is None or held is None or held.role == "bound":
            return None
        is_class = held.role == "class" or held.is_class
        return ObjectKind("bound", held.owner, held.text, held.after, name=match[2], is_class=is_class)

    def content(self, label: int) -> str:
        content = self._builder.heap.get(label)
        if content is None:
            raise ImpossibleState(f"reference #{label} to an object that is not there")
        return content

    def object_of(self, kind: ObjectKind) -> ObjectText:
        """The parts of an object's content."""
        label = label_of(kind.text)
        return ObjectText.of(kind.text if label is None else self.content(label))

    def has_field(self, kind: ObjectKind, name: str) -> bool:
        return name in self.object_of(kind).fields

    def shared(self, owner: str, name: str) -> ObjectKind | None:
        """The object of the program that a class holds under a name."""
        text = self._builder.globals.get(f"{owner}.{name}")
        return None if text is None else self.kind_of(text)

    def holds(self, owner: str, name: str) -> bool:
        """Whether a class holds a value under a name."""
        return f"{owner}.{name}" in self._builder.globals

    def is_builtin(self, name: str) -> bool:
        known = hasattr(builtins, name) and name not in self._builder.locals and name not in self._builder.globals
        return known and self._variables.read(self._builder, name) == name and not self._variables.is_module_name(name)

    def private(self, name: str) -> str:
        """An attribute's name as the class around the present function stores it."""
        return mangled(name, self.around())

    def around(self) -> str | None:
        """The class around the present function."""
        return self._around.get(self._variables.key(self._builder)[1])
