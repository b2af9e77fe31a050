"""Fields of an object that a line reads or changes by their dict: `x.__dict__[name] = value`, `x.__dict__.get(name)`.

The decomposer leaves such a line in one piece, since a frame writes an object and its dict apart. No descriptor and no
property is asked.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from envs.execution.state.value_grammar import Unsupported, label_of
from envs.execution.stepper.frame_builder import FrameBuilder
from envs.execution.stepper.frame_variables import FrameVariables, Raised
from envs.execution.stepper.live_dicts import owner_in_line
from envs.execution.stepper.objects.object_kinds import ObjectKind
from envs.execution.stepper.objects.object_text import ObjectText
from envs.execution.stepper.objects.text_scope import TextScope
from envs.execution.stepper.values.value_rules import outdated, split_entry, split_items
from envs.execution.syntax.classes.own_classes import OwnClasses

_PLAIN_KEY = re.compile(r"""['"]|-?\d+$""")
"""Keys that are equal if they are written alike: texts and whole numbers."""


class FieldRules:
    """The rules over one program's objects."""

    def __init__(self, classes: OwnClasses, variables: FrameVariables) -> None:
        self._classes = classes
        self._variables = variables

    def apply(self, builder: FrameBuilder, node: ast.AST, scope: TextScope) -> bool:
        """Read or change the fields, if that is what the line does to an object of the program."""
        if isinstance(node, ast.Expr) and self._set_plainly(builder, node.value, scope):
            return True
        if isinstance(node, ast.Expr) and self._store_item(builder, node.value, scope):
            return True
        if self._change_item(builder, node, scope):
            return True
        owner = owner_in_line(node)
        kind = None if owner is None else scope.kind(owner)
        if kind is None or kind.role != "instance" or self._classes[kind.owner].odd or not scope.is_builtin("vars"):
            return False
        if label_of(kind.text) is None:
            return False  # an exception without fields
        held = scope.object_of(kind)
        match node:
            case ast.Assign(targets=[ast.Subscript(slice=key)], value=value):
                held = held.with_field(self._name(builder, key), self._variables.atom(builder, value))
            case ast.Delete(targets=[ast.Subscript(slice=key)]):
                name = self._name(builder, key)
                if name not in held.fields:
                    raise Raised(f"KeyError({name!r})")
                held = held.without_field(name)
            case ast.Assign(
                targets=[ast.Name(id=target)], value=ast.Subscript() | ast.Call(func=ast.Attribute(attr="get")) as value
            ):
                self._variables.bind(builder, target, self._read(builder, held, value))
                return True
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="update")) as call):
                for name, text in self._given(builder, call):
                    held = held.with_field(name, text)
            case _:
                return False
        builder.heap[int(kind.text[1:])] = str(held)
        return True

    def _set_plainly(self, builder: FrameBuilder, call: ast.expr, scope: TextScope) -> bool:
        """`super().__setattr__(name, value)` and `object.__setattr__(x, name, value)`: the field itself is set."""
        match call:
            case ast.Call(func=ast.Attribute(ast.Name() as owner, "__setattr__"), args=[asked, value], keywords=[]):
                kind = scope.kind(owner)
                if kind is None or kind.role != "super" or kind.is_class:
                    return False
                if self._classes.find(kind.owner, "__setattr__", kind.after) or self._is_frozen(kind):
                    return False
            case ast.Call(func=ast.Attribute(ast.Name("object"), "__setattr__"), args=[subject, asked, value]):
                kind = scope.kind(subject) if scope.is_builtin("object") else None
                if kind is None or kind.role != "instance":
                    return False
            case _:
                return False
        if self._classes[kind.owner].odd or label_of(kind.text) is None:
            return False
        name = self._name(builder, asked)
        member = self._classes.find(kind.owner, name)
        if member is not None and member.kind in ("property", "described"):
            raise Unsupported(f"{kind.owner}.{name}, which a line sets past __setattr__ and not past what describes it")
        label = int(kind.text[1:])
        held = ObjectText.of(scope.content(label)).with_field(name, self._variables.atom(builder, value))
        builder.heap[label] = str(held)
        return True

    def _store_item(self, builder: FrameBuilder, call: ast.expr, scope: TextScope) -> bool:
        """`super().__setitem__(key, value)` of an object that derives from a dict, where its keys are plain."""
        match call:
            case ast.Call(func=ast.Attribute(ast.Name() as owner, "__setitem__"), args=[key, value], keywords=[]):
                kind = scope.kind(owner)
            case _:
                return False
        if kind is None or kind.role != "super" or kind.is_class or self._classes[kind.owner].odd:
            return False
        of_dict = self._classes[kind.owner].container in ("dict", "OrderedDict")
        if not of_dict or self._classes.find(kind.owner, "__setitem__", kind.after) is not None:
            return False
        held = scope.object_of(replace(kind, role="instance"))
        atom = self._variables.atom
        stored = stored_entry(held.items[0], atom(builder, key), atom(builder, value)) if held.items else None
        if stored is None:
            return False
        _replace(builder, int(kind.text[1:]), str(held.with_items((stored,))))
        return True

    def _change_item(self, builder: FrameBuilder, node: ast.AST, scope: TextScope) -> bool:
        """`self[key] = value` and `del self[key]` of an object that derives from a dict, where its keys are plain."""
        match node:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name() as owner, slice=key)], value=value):
                kind, method, text = scope.kind(owner), "__setitem__", self._variables.atom(builder, value)
            case ast.Delete(targets=[ast.Subscript(value=ast.Name() as owner, slice=key)]):
                kind, method, text = scope.kind(owner), "__delitem__", ""
            case _:
                return False
        if kind is None or kind.role != "instance" or isinstance(key, ast.Slice) or self._classes[kind.owner].odd:
            return False
        of_dict = self._classes[kind.owner].container in ("dict", "OrderedDict")
        held = scope.object_of(kind)
        if not of_dict or not held.items or self._classes.find(kind.owner, method) is not None:
            return False
        place = self._variables.atom(builder, key)
        changed = stored_entry(held.items[0], place, text) if text else deleted_entry(held.items[0], place)
        if changed is not None:
            _replace(builder, int(kind.text[1:]), str(held.with_items((changed,))))
        return changed is not None

    def _is_frozen(self, kind: ObjectKind) -> bool:
        facts = [self._classes[owner].dataclass for owner in self._classes[kind.owner].lineage]
        return any(each is not None and each.frozen for each in facts)

    def _read(self, builder: FrameBuilder, held: ObjectText, node: ast.expr) -> str:
        """The value of a field, by an index or by `get`."""
        if isinstance(node, ast.Subscript):
            name = self._name(builder, node.slice)
            if name not in held.fields:
                raise Raised(f"KeyError({name!r})")
            return held.fields[name]
        assert isinstance(node, ast.Call)
        name, *default = [self._variables.atom(builder, each) for each in node.args]
        return held.fields.get(_field_name(name), default[0] if default else "None")

    def _given(self, builder: FrameBuilder, call: ast.Call) -> Iterator[tuple[str, str]]:
        """What `update` is called with."""
        for each in [*call.args, *(word.value for word in call.keywords if word.arg is None)]:
            yield from _entries(self._variables.atom(builder, each), builder.heap)
        for word in call.keywords:
            if word.arg is not None:
                yield word.arg, self._variables.atom(builder, word.value)

    def _name(self, builder: FrameBuilder, node: ast.expr) -> str:
        return _field_name(self._variables.atom(builder, node))


def _replace(builder: FrameBuilder, label: int, content: str) -> None:
    """Give an object its new content; iterators over it may only raise from now on, or are unsupported."""
    before = dict(builder.heap)
    builder.heap[label] = content
    builder.heap.update(outdated({label: content}, before, builder.heap))


def stored_entry(content: str, key: str, value: str) -> str | None:
    """The text of a dict with an entry stored; None where more than their texts may say which keys are equal."""
    entries = [split_entry(entry) for entry in split_items(content)]
    if not all(_PLAIN_KEY.match(each) for each in (key, *(each for each, _ in entries))):
        return None
    stored = dict(entries) | {key: value}
    return f"{{{', '.join(f'{each}: {text}' for each, text in stored.items())}}}"


def deleted_entry(content: str, key: str) -> str | None:
    """The text of a dict without an entry; None where more than their texts may say which keys are equal."""
    entries = dict(split_entry(entry) for entry in split_items(content))
    if not all(_PLAIN_KEY.match(each) for each in (key, *entries)):
        return None
    if key not in entries:
        raise Raised(f"KeyError({key})")
    return f"{{{', '.join(f'{each}: {text}' for each, text in entries.items() if each != key)}}}"


def _entries(text: str, heap: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    label = label_of(text)
    content = "" if label is None else heap.get(label, "")
    if not content.startswith("{"):
        raise Unsupported("fields of an object that are updated by more than a dict")
    for entry in split_items(content):
        key, value = split_entry(entry)
        yield _field_name(key), value


def _field_name(text: str) -> str:
    name = ast.literal_eval(text) if text.startswith(("'", '"')) else None
    if not isinstance(name, str) or not name.isidentifier():
        raise Unsupported("a field of an object whose name is no name")
    return name
