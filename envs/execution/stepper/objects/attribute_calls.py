"""Which function a line calls by asking for an attribute, setting or deleting it: of a property, a descriptor, a hook.

A hook is `__getattr__`, asked where nothing else has the attribute, or `__setattr__`, called instead of setting it. As
in `own_calls.py`, the stepper asks about text and the tracer about live values. Knows no frame.
"""

import ast

from envs.execution.stepper.objects.object_kinds import Attempt, ObjectKind, ObjectScope
from envs.execution.syntax.classes.base_types import base_type
from envs.execution.syntax.classes.own_classes import Member, OwnClasses


class AttributeCalls:
    """The attributes of one program's classes that are found or set by calls."""

    def __init__(self, classes: OwnClasses) -> None:
        self._classes = classes
        self._describing = any(map(classes.describes, classes.classes))

    def asked(self, node: ast.Attribute, scope: ObjectScope) -> list[Attempt]:
        """The function that gives an attribute."""
        kind, member = self._property(node, scope)
        if member is not None and kind is not None:
            return [] if member.key is None else [Attempt(member.key, kind.text)]
        if found := self._described(node, "__get__", (), scope):
            return found
        name = scope.private(node.attr)
        hook = None if kind is None else self.fallback(kind, name, scope)
        if kind is None or hook is None or hook.key is None:
            return []
        return [Attempt(hook.key, kind.text, (ast.Constant(name),))]

    def stored(self, target: ast.Attribute, value: ast.expr, scope: ObjectScope) -> list[Attempt]:
        """The function that sets an attribute."""
        kind, member = self._property(target, scope)
        hook = None if kind is None or kind.role != "instance" else self._classes.find(kind.owner, "__setattr__")
        if kind is not None and hook is not None:
            operands = (ast.Constant(scope.private(target.attr)), value)
            return [] if hook.key is None else [Attempt(hook.key, kind.text, operands, ending="nothing")]
        if member is not None and kind is not None:
            return [] if member.setter is None else [Attempt(member.setter, kind.text, (value,), ending="nothing")]
        return self._described(target, "__set__", (value,), scope)

    def deleted(self, target: ast.Attribute, scope: ObjectScope) -> list[Attempt]:
        """The function that deletes an attribute."""
        kind, member = self._property(target, scope)
        if member is not None and kind is not None:
            return [] if member.deleter is None else [Attempt(member.deleter, kind.text)]
        return self._described(target, "__delete__", (), scope)

    def fallback(self, kind: ObjectKind, name: str, scope: ObjectScope) -> Member | None:
        """The `__getattr__` that is asked for an attribute, where nothing else has it."""
        mine = self._classes[kind.owner]
        hook = self._classes.find(kind.owner, "__getattr__") if kind.role == "instance" else None
        base = base_type(mine)
        if hook is None or hook.kind != "method" or hasattr(base, name) or scope.has_field(kind, name):
            return None
        held = any(scope.holds(owner, name) or name in self._classes[owner].members for owner in mine.lineage)
        return None if held else hook

    def descriptor(self, kind: ObjectKind, name: str, scope: ObjectScope) -> ObjectKind | None:
        """The object that describes an attribute; None where none does."""
        lineage = self._classes[kind.owner].lineage if self._describing and kind.role != "bound" else ()
        if kind.after is not None and lineage:
            lineage = lineage[lineage.index(kind.after) + 1 :]
        for owner in lineage:
            held = scope.shared(owner, name)
            if held is not None or name in self._classes[owner].members:
                return held if held and held.role == "instance" and self._classes.describes(held.owner) else None
        return None

    def gives(self, kind: ObjectKind, name: str, held: ObjectKind, scope: ObjectScope) -> bool:
        """Whether a descriptor is asked for an attribute: a field comes first, unless the descriptor also sets it."""
        if self._classes.find(held.owner, "__get__") is None:
            return False
        sets = any(self._classes.find(held.owner, each) for each in ("__set__", "__delete__"))
        return sets or kind.role != "instance" or not scope.has_field(kind, name)

    def _known(self, node: ast.expr, scope: ObjectScope) -> ObjectKind | None:
        kind = scope.kind(node) if isinstance(node, ast.Name) else None
        return None if kind is None or kind.role == "turns" or self._classes[kind.owner].odd else kind

    def _property(self, node: ast.Attribute, scope: ObjectScope) -> tuple[ObjectKind | None, Member | None]:
        """The object that a line asks, and its property of that name."""
        kind = self._known(node.value, scope)
        if kind is None or kind.role not in ("instance", "super") or kind.is_class:
            return None, None
        member = self._classes.find(kind.owner, scope.private(node.attr), kind.after)
        return kind, member if member is not None and member.kind == "property" else None

    def _described(
        self, node: ast.Attribute, does: str, operands: tuple[ast.expr, ...], scope: ObjectScope
    ) -> list[Attempt]:
        """The method of a descriptor that a line calls."""
        kind, name = self._known(node.value, scope) if self._describing else None, scope.private(node.attr)
        if kind is None or kind.role not in ("instance", "class") or (does != "__get__" and kind.role == "class"):
            return []
        held = self.descriptor(kind, name, scope)
        member = None if held is None else self._classes.find(held.owner, does)
        if held is None or member is None or member.kind != "method" or member.key is None:
            return []
        if does != "__get__":
            return [Attempt(member.key, held.text, operands, (kind.text,), ending="nothing")]
        if not self.gives(kind, name, held, scope):
            return []
        subject = kind.text if kind.role == "instance" else "None"
        return [Attempt(member.key, held.text, (), (subject, kind.owner))]
