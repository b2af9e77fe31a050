"""What a rule decides about two values of which one is an object of the program: `is`, and `==` that asks no method."""

import ast

from envs.execution.state.value_grammar import Unsupported, label_of
from envs.execution.stepper.objects.object_kinds import ObjectKind
from envs.execution.stepper.objects.text_scope import TextScope
from envs.execution.syntax.classes.own_classes import OwnClasses


def same_object(
    classes: OwnClasses, sides: tuple[ast.expr, ast.expr], op: ast.cmpop, scope: TextScope, *, texts: tuple[str, str]
) -> str | None:
    """`is`, and `==` where both sides leave it to identity; `texts` are the values of the sides."""
    kinds = [scope.kind(each) for each in sides]
    is_bound = any(kind is not None and kind.role == "bound" for kind in kinds)
    if is_bound and "None" in texts and isinstance(op, ast.Is | ast.IsNot):
        return repr(isinstance(op, ast.IsNot))
    own = [kind for kind in kinds if kind is not None and kind.role in ("instance", "class")]
    if not own or any(classes[kind.owner].odd for kind in own):
        return None
    if isinstance(op, ast.Eq | ast.NotEq):
        if any(_has_equality(classes, kind) for kind in own if kind.role == "instance"):
            return None
    elif not isinstance(op, ast.Is | ast.IsNot):
        return None
    if texts[0] == texts[1] and any(kind.role == "instance" and label_of(kind.text) is None for kind in own):
        raise Unsupported("which object an exception without fields is")
    return repr((texts[0] == texts[1]) == isinstance(op, ast.Is | ast.Eq))


def _has_equality(classes: OwnClasses, kind: ObjectKind) -> bool:
    mine = classes[kind.owner]
    written = any(classes.find(kind.owner, each) for each in ("__eq__", "__ne__"))
    return mine.exception is not None or bool(mine.container) or written
