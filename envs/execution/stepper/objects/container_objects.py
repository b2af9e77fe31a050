"""New objects that no constructor fills: of classes that derive from a list or a dict, `Stack([1, 2], name='a')`, items
before fields, and those that `object.__new__` makes."""

import ast
from collections.abc import Callable, Mapping

from envs.execution.stepper.values.value_rules import split_items
from envs.execution.stepper.values.value_types import type_name
from envs.execution.syntax.classes.own_classes import OwnClass, OwnClasses


def empty_content(mine: OwnClass) -> str:
    """What a new object holds that nothing was put into."""
    made = {"list": "[]", "defaultdict": "{}, None"}
    return f"{mine.name}({made.get(mine.container, '{}')})"


def bare_content(classes: OwnClasses, owner: str) -> str | None:
    """What `object.__new__(cls)` makes; None where the class decides more, or Python refuses."""
    mine = classes[owner]
    if mine.odd or mine.container or mine.exception or classes.is_abstract(owner):
        return None
    return f"{owner}()"


def value_content(
    mine: OwnClass, call: ast.Call, read: Callable[[ast.expr], str], heap: Mapping[int, str]
) -> str | None:
    """The content of an object that takes over a value of the class below it; None where Python makes one of it."""
    if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        return None
    text = read(call.args[0])
    same = not text.startswith("#") and type_name(text, heap) == mine.container
    return f"{mine.name}({text})" if same else None


def copied_content(
    mine: OwnClass, call: ast.Call, read: Callable[[ast.expr], str], heap: Mapping[int, str]
) -> str | None:
    """The content of an object that takes over names, or what a list, a tuple or a dict holds; None for the rest."""
    if mine.container == "defaultdict":
        return None
    if mine.container == "dict" and not call.args and all(word.arg for word in call.keywords):
        given = [f"{word.arg!r}: {read(word.value)}" for word in call.keywords]
        return f"{mine.name}({{{', '.join(given)}}})"
    if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        return None
    text = read(call.args[0])
    held = heap.get(int(text[1:]), "") if text.startswith("#") else text
    if mine.container != "list":
        return f"{mine.name}({held})" if held and type_name(held, heap) == "dict" else None
    return f"{mine.name}([{', '.join(split_items(held))}])" if held.startswith(("[", "(")) else None
