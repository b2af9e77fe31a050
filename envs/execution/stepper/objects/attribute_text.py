"""How a method is written as a value, and what Python says of an attribute that is not there."""

from collections.abc import Sequence

from envs.execution.stepper.objects.object_kinds import ObjectKind
from envs.execution.syntax.classes.own_classes import Member


def bound_text(kind: ObjectKind, member: Member) -> str:
    """A method as a value: of its object, or of the class that defines it."""
    if member.kind == "static" or (member.kind == "method" and (kind.role == "class" or kind.is_class)):
        return f"{member.owner}.{member.name}"
    if member.kind == "class":
        return f"{kind.owner}.{member.name}"
    return f"super({kind.after}, {kind.text}).{member.name}" if kind.after else f"{kind.text}.{member.name}"


def missing_text(kind: ObjectKind, name: str) -> str:
    """The AttributeError of an object, a class or what `super` gives."""
    what = {"instance": f"{kind.owner!r} object", "class": f"type object {kind.owner!r}"}.get(
        kind.role, "'super' object"
    )
    return f"AttributeError({f'{what} has no attribute {name!r}'!r})"


def tuple_text(items: Sequence[str]) -> str:
    """A tuple of values."""
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
