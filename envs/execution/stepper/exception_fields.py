"""What rules know of exceptions that are values: fields that a line sets, and that Python itself gives no cause.

An exception with a field is an object on the heap; one without is a value, and becomes an object when a line sets its
first field. Causes that the program gives are fields too (`decompose/rewrites/exception_causes.py`), so that what is
left to ask is an exception which Python raised, or a plain `raise`. Runs nothing.
"""

import ast
import builtins
from collections.abc import Mapping
from functools import cached_property

from envs.execution.decompose.rewrites.exception_causes import FIELD
from envs.execution.state.value_grammar import Unsupported, expanded, label_of
from envs.execution.stepper.frame_builder import FrameBuilder
from envs.execution.stepper.frame_variables import FrameVariables
from envs.execution.stepper.name_lookup import NameLookup
from envs.execution.stepper.objects.object_text import ObjectText
from envs.execution.stepper.values.value_rules import class_name
from envs.execution.syntax.program_structure import nodes_of_program

_WITH_CAUSE = "RuntimeError('generator raised StopIteration'"
"""The one exception that Python itself raises from another."""


def uncaught_text(text: str, heap: Mapping[int, str]) -> str:
    """An exception that ends a run, written out without the field for its cause, which only this project sets."""
    content = heap.get(label_of(text) or 0, text)
    if f"{FIELD}=" in content:
        content = str(ObjectText.of(content).without_field(FIELD))
    return expanded(content, heap)


class ExceptionFields:
    """The rules over one program's exceptions."""

    def __init__(self, names: NameLookup, variables: FrameVariables) -> None:
        self._tree = names.module
        self._classes = names.classes
        self._temporaries = names.temporaries
        self._variables = variables

    @cached_property
    def _causeless(self) -> bool:
        """Whether no line gives an exception a cause; few programs ask."""
        return not any(map(_gives_cause, nodes_of_program(self._tree)))

    def apply(self, builder: FrameBuilder, node: ast.AST) -> bool:
        """Take a line that sets a field of an exception, or asks for its cause, where rules know what it does."""
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Attribute(ast.Name() as owner, "__cause__")):
                cause = self._cause(self._variables.atom(builder, owner), builder.heap)
                if cause is not None:
                    self._variables.bind(builder, target, cause)
                return cause is not None
            case ast.Assign(
                targets=[ast.Attribute(ast.Name(id=name) as owner, attr)], value=ast.Name() | ast.Constant() as value
            ) if not attr.startswith("__"):
                text = self._variables.atom(builder, owner)
                if label_of(text) is not None or not self._is_exception(text) or self._has(text, attr):
                    return False
                self._check_one_name(builder, name, text)
                label = max(builder.heap, default=0) + 1
                held = ObjectText.of(text).with_field(attr, self._variables.atom(builder, value))
                builder.heap[label] = str(held)
                self._variables.bind(builder, name, f"#{label}")
                return True
        return False

    def _check_one_name(self, builder: FrameBuilder, name: str, text: str) -> None:
        """Raise Unsupported where the same exception may stand elsewhere: it would have to become an object there."""
        own = builder.locals if name in builder.locals else builder.globals
        held = [
            other
            for rows in (builder.locals, builder.globals)
            for row, other in rows.items()
            if rows is not own or row != name
        ]
        held += [other for each in builder.stack for row, other in each.locals if row not in self._temporaries]
        held += [str(each.value) for each in builder.waiting.values()]
        if any(text in other for other in (*held, *builder.heap.values())):
            raise Unsupported("a field that a line sets in an exception which has more than one name")

    def _cause(self, text: str, heap: Mapping[int, str]) -> str | None:
        """The cause of an exception of which only Python can have given one; None where no rule knows it."""
        label = label_of(text)
        content = text if label is None else heap.get(label, "")
        if not self._is_exception(content) or not self._causeless:
            return None
        if content.startswith(_WITH_CAUSE):
            raise Unsupported("the cause of an exception that a generator made of another")
        return "None"

    def _has(self, text: str, attr: str) -> bool:
        """Whether exceptions of this kind have the attribute whatever a program sets: then it is no field."""
        name = class_name(text)
        own = name in self._classes
        member = self._classes.find(name, attr) if own else None
        base = getattr(builtins, (self._classes[name].exception or "") if own else name, BaseException)
        return hasattr(base, attr) or (member is not None and member.kind != "data")

    def _is_exception(self, content: str) -> bool:
        """Whether it is an exception of Python or of the program, by its text."""
        known = getattr(builtins, name := class_name(content), None)
        own = name in self._classes and self._classes[name].exception is not None and not self._classes[name].odd
        return "(" in content and (own or (isinstance(known, type) and issubclass(known, BaseException)))


def _gives_cause(node: ast.AST) -> bool:
    """Whether a line may give an exception a cause."""
    match node:
        case ast.Raise(cause=ast.expr()):
            return True
        case ast.Attribute(attr="__cause__", ctx=ast.Store() | ast.Del()):
            return True
        case ast.Name(id="setattr") | ast.Attribute(attr="__setattr__" | "__setstate__"):
            return True
    return False
