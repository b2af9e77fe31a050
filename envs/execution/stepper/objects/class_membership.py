"""What a rule decides about the class of a value: `isinstance`, `issubclass` and `callable` of the program's classes.

Classes say by their bases what they are. A protocol that can be asked for looks at the methods of an object; any other
way to decide it by code is left to the oracle.
"""

import ast
import builtins

from envs.execution.state.value_grammar import Unsupported
from envs.execution.stepper.frame_builder import FrameBuilder
from envs.execution.stepper.frame_variables import FrameVariables
from envs.execution.stepper.objects.object_kinds import ObjectKind
from envs.execution.stepper.objects.own_calls import OwnCalls
from envs.execution.stepper.objects.text_scope import TextScope
from envs.execution.stepper.values.value_rules import class_name

_METHODS = frozenset({"method", "static", "class"})


class ClassMembership:
    """The rules over one program's classes."""

    def __init__(self, calls: OwnCalls, variables: FrameVariables) -> None:
        self._calls = calls
        self._classes = calls.classes
        self._variables = variables

    def is_a(self, builder: FrameBuilder, subject: ast.expr, wanted: ast.expr, scope: TextScope) -> str | None:
        """What `isinstance` says; None where only the oracle can tell."""
        other = self._variables.atom(builder, wanted)
        kind = scope.kind(subject)
        names = [each.strip() for each in other[1:-1].split(",") if each.strip()] if other.startswith("(") else [other]
        if not all(_is_class(each, scope) for each in names) or any(map(self._decides, names)):
            return None
        if protocols := [each for each in names if each in self._classes and self._classes[each].asked_for]:
            return repr(self._follows(kind, protocols[0], scope)) if kind and names == protocols[:1] else None
        owner = kind.owner if kind is not None and kind.role == "instance" else None
        owner = owner or class_name(self._variables.atom(builder, subject))
        if kind is None and owner in self._classes and owner == self._variables.atom(builder, subject):
            return None
        if owner in self._classes:
            known = not self._classes[owner].odd
            return repr(any(self._classes.is_subclass(owner, each) for each in names)) if known else None
        if all(scope.kind_of(each) is not None for each in names):
            return "False"
        error = _builtin_error(owner) if owner != self._variables.atom(builder, subject) else None
        asked = [getattr(builtins, each) for each in names if scope.is_builtin(each)]
        return repr(issubclass(error, tuple(asked))) if error is not None and len(asked) == len(names) else None

    def is_below(self, builder: FrameBuilder, subject: ast.expr, wanted: ast.expr, scope: TextScope) -> str | None:
        """What `issubclass` says; None where only the oracle can tell."""
        mine, other = scope.kind(subject), self._variables.atom(builder, wanted)
        error = _builtin_error(self._variables.atom(builder, subject))
        if mine is None and error is not None and scope.is_builtin(other) and _is_class(other, scope):
            return repr(issubclass(error, getattr(builtins, other)))
        if mine is None or mine.role != "class" or not _is_class(other, scope) or self._decides(other):
            return None
        asked = other in self._classes and self._classes[other].asked_for
        return None if asked else repr(self._classes.is_subclass(mine.owner, other))

    def is_callable(self, kind: ObjectKind | None) -> str | None:
        """What `callable` says of an object or a class of the program; None for any other value."""
        if kind is None or kind.role not in ("instance", "class") or self._classes[kind.owner].odd:
            return None
        return repr(kind.role == "class" or self._classes.find(kind.owner, "__call__") is not None)

    def _decides(self, name: str) -> bool:
        """Whether more than bases says what is of a class: code, or a protocol that refuses the question."""
        mine = self._classes.classes.get(name)
        return mine is not None and (bool(mine.odd) or ("Protocol" in mine.bases and not mine.asked_for))

    def _follows(self, kind: ObjectKind, protocol: str, scope: TextScope) -> bool:
        """Whether an object has all methods of a protocol."""
        wanted = self._classes[protocol].asked_for
        if kind.role != "instance" or self._classes[kind.owner].odd:
            raise Unsupported(f"whether a value follows the protocol {protocol}")
        if self._classes.find(kind.owner, "__getattr__") is not None:
            raise Unsupported(f"whether an object with __getattr__ follows the protocol {protocol}")
        held = scope.object_of(kind).fields
        found = {name: self._calls.method(kind, name) for name in wanted}
        if any(member is not None and member.kind not in _METHODS for member in found.values()) or held.keys() & wanted:
            raise Unsupported(f"whether an object follows the protocol {protocol} by more than its methods")
        return protocol in self._classes[kind.owner].lineage or None not in found.values()


def _is_class(text: str, scope: TextScope) -> bool:
    kind = scope.kind_of(text)
    return (kind is not None and kind.role == "class") or isinstance(getattr(builtins, text, None), type)


def _builtin_error(name: str | None) -> type[BaseException] | None:
    """The exception of Python that has a name."""
    known = getattr(builtins, name or "", None)
    return known if isinstance(known, type) and issubclass(known, BaseException) else None
