"""Calls that order items by `cmp_to_key(function)`, by the helper that stands for each; knows only syntax.

sorted(items, key=cmp_to_key(f), reverse=True)    "sorted down by", given items and f
max(a, b, key=cmp_to_key(f))                      "max by", given [a, b] and f
min(items, key=cmp_to_key(f), default=None)       "min or by", given items, f and None
"""

import ast
from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ComparedCall:
    """Such a call."""

    kind: str
    """The helper, one of `OPERATOR_HELPERS`."""
    given: list[ast.expr]
    """Its arguments."""
    callee: str
    """`cmp_to_key` as the program writes it."""
    called: str
    """The function or method that the program calls."""
    is_method: bool


def is_ordering(node: ast.Call) -> bool:
    """Whether it is a call of `sorted`, `sort`, `max` or `min` with a key that a helper can stand for."""
    words = {word.arg: word.value for word in node.keywords}
    if None in words or "key" not in words or any(isinstance(each, ast.Starred) for each in node.args):
        return False
    match node.func:
        case ast.Name(id="sorted"):
            return len(node.args) == 1 and _is_told(words)
        case ast.Attribute(attr="sort"):
            return not node.args and _is_told(words)
        case ast.Name(id="max" | "min") if len(node.args) == 1:
            return words.keys() == {"key"} or (words.keys() == {"key", "default"} and _is_steady(words["default"]))
        case ast.Name(id="max" | "min"):
            return len(node.args) > 1 and words.keys() == {"key"}
    return False


def compared_call(node: ast.Call, comparers: Collection[str]) -> ComparedCall | None:
    """The helper that stands for a call; None for one with another key, or with what no helper takes."""
    words = {word.arg: word.value for word in node.keywords}
    match words.get("key"):
        case ast.Call(func=func, args=[function], keywords=[]) if is_ordering(node):
            callee = ast.unparse(func)
        case _:
            return None
    if callee not in comparers or isinstance(function, ast.Starred):
        return None
    given = [_items(node), function, *(words[name] for name in words if name == "default")]
    called = node.func.id if isinstance(node.func, ast.Name) else "sort"
    middle = " or" if "default" in words else " down" if _is_true(words.get("reverse")) else ""
    return ComparedCall(f"{called}{middle} by", given, callee, called, isinstance(node.func, ast.Attribute))


def _items(node: ast.Call) -> ast.expr:
    """What is ordered: the receiver of `sort`, one argument, or a list of several."""
    if isinstance(node.func, ast.Attribute):
        return node.func.value
    return node.args[0] if len(node.args) == 1 else ast.copy_location(ast.List(node.args, ast.Load()), node)


def _is_told(words: dict[str | None, ast.expr]) -> bool:
    """Whether a sort's direction is written in the call."""
    reverse = words.get("reverse")
    told = reverse is None or (isinstance(reverse, ast.Constant) and isinstance(reverse.value, bool))
    return told and words.keys() <= {"key", "reverse"}


def _is_true(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _is_steady(node: ast.expr) -> bool:
    """Whether a value is the same whenever it is computed, so that its place among the arguments does not matter."""
    return isinstance(node, ast.Constant | ast.Name)
