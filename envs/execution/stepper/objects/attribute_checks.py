"""Attributes that no rule may read or set as fields: a descriptor or a hook of the class decides about them by a call.

A line that does nothing else enters that call (`attribute_calls.py`); what comes here does more.
"""

from envs.execution.state.value_grammar import Unsupported
from envs.execution.stepper.frame_variables import Raised
from envs.execution.stepper.objects.object_kinds import ObjectKind
from envs.execution.stepper.objects.own_calls import OwnCalls
from envs.execution.stepper.objects.text_scope import TextScope


class AttributeChecks:
    """The checks over one program's classes."""

    def __init__(self, calls: OwnCalls) -> None:
        self._calls = calls
        self._classes = calls.classes
        self._attributes = calls.attributes

    def described(self, kind: ObjectKind, name: str, scope: TextScope) -> None:
        """Raise Unsupported where a descriptor gives the attribute: only a line that does no more can call it."""
        held = self._attributes.descriptor(kind, name, scope)
        if held is not None and self._attributes.gives(kind, name, held, scope):
            raise Unsupported(f"{kind.owner}.{name}, which a descriptor gives to a line that does more than ask for it")
        member = self._calls.method(kind, name)
        if held is None and member is not None and member.kind == "described":
            raise Unsupported(f"{kind.owner}.{name}, an attribute whose descriptor only a run can tell")

    def fallback(self, kind: ObjectKind, name: str, scope: TextScope) -> None:
        """Raise Unsupported where `__getattr__` would be asked."""
        if self._attributes.fallback(kind, name, scope) is not None:
            raise Unsupported(f"{kind.owner}.{name}, for which __getattr__ is asked by a line that does more than ask")

    def stored(self, kind: ObjectKind, name: str, scope: TextScope, *, deleted: bool) -> None:
        """Refuse to set a field where a descriptor would do it, but has no such method or is called in another way."""
        held = self._attributes.descriptor(kind, name, scope)
        does, other = ("__delete__", "__set__") if deleted else ("__set__", "__delete__")
        if held is None:
            return
        if self._classes.find(held.owner, does) is not None:
            raise Unsupported(f"{kind.owner}.{name}, which a descriptor changes for a line that does more than that")
        if self._classes.find(held.owner, other) is not None:
            raise Raised(f"AttributeError({does!r})")
