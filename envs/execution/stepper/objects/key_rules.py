"""The TypeError of a line that takes an object of the program as a key, though its class gives it no hash.

`{p}`, `{p: 1}`, `d[p]`, `p in d`, `seen.add(p)`, `hash(p)`, also where a tuple holds the object. Whether a class has a
hash is not in the text of its objects, so no answer of a model can tell.
"""

import ast
from collections.abc import Callable, Sequence

from envs.execution.state.value_grammar import label_of
from envs.execution.stepper.objects.text_scope import TextScope
from envs.execution.stepper.values.value_rules import split_items
from envs.execution.syntax.classes.class_hashing import is_unhashable
from envs.execution.syntax.classes.own_classes import OwnClasses

_HASHING = ("{", "set(", "defaultdict(", "Counter(", "OrderedDict(")
_METHODS = frozenset("add discard remove get setdefault pop".split())
Read = Callable[[ast.expr], str]


def unhashable_key(classes: OwnClasses, node: ast.AST, scope: TextScope, read: Read) -> str | None:
    """The message, where the line hashes an object that has no hash."""
    for part in _hashed(node, scope, read):
        if not isinstance(part, ast.Name | ast.Constant):
            return None
        found = _without_hash(classes, read(part), scope)
        if found is not None:
            return f"unhashable type: {found!r}" if found else None
    return None


def _hashed(node: ast.AST, scope: TextScope, read: Read) -> Sequence[ast.expr]:
    """What a line hashes, in order."""
    match node:
        case (
            ast.Assign(targets=[ast.Subscript(value=held, slice=key)])
            | ast.Delete(targets=[ast.Subscript(value=held, slice=key)])
        ):
            return [key] if _is_hashing(held, scope, read) else []
        case ast.Assign(targets=[ast.Name()], value=value) | ast.Expr(value=value):
            return _hashed_by(value, scope, read)
    return []


def _hashed_by(node: ast.expr, scope: TextScope, read: Read) -> Sequence[ast.expr]:
    match node:
        case ast.Set(elts=parts):
            return parts
        case ast.Dict(keys=[key], values=[_]) if key is not None:
            return [key]
        case ast.Subscript(value=held, slice=key) if _is_hashing(held, scope, read):
            return [key]
        case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[held]) if _is_hashing(held, scope, read):
            return [key]
        case ast.Call(func=ast.Name(id="hash"), args=[key], keywords=[]) if scope.is_builtin("hash"):
            return [key]
        case ast.Call(func=ast.Attribute(value=held, attr=name), args=[key, *_], keywords=[]) if name in _METHODS:
            return [key] if _is_hashing(held, scope, read) else []
    return []


def _is_hashing(node: ast.expr, scope: TextScope, read: Read) -> bool:
    """Whether a value is a dict or a set."""
    text = read(node) if isinstance(node, ast.Name) else ""
    label = label_of(text)
    return (text if label is None else scope.content(label)).startswith((*_HASHING, "frozenset("))


def _without_hash(classes: OwnClasses, text: str, scope: TextScope) -> str | None:
    """The class of the object that has no hash; empty where the value has none for another reason, else None."""
    if text.startswith("("):
        found = (_without_hash(classes, each, scope) for each in split_items(text))
        return next((each for each in found if each is not None), None)
    if label_of(text) is None:
        return None
    kind = scope.kind_of(text)
    if kind is None or kind.role != "instance" or classes[kind.owner].odd:
        return ""
    return kind.owner if is_unhashable(classes, kind.owner) else None
