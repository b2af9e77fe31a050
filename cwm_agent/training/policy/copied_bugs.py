"""Bugs of copying: an expression or condition of another place, names that were not adapted together."""

import ast
import re
from collections.abc import Sequence
from random import Random

from cwm_agent.training.policy.bug_finder import BugFinder
from cwm_agent.training.policy.bug_text import nodes_of

LONGEST = 30
"""Characters of an expression that is copied."""
_COPIED = (ast.Call, ast.Subscript, ast.BinOp, ast.Attribute)
_WORD = re.compile(r"(?<![\w.'\"])[A-Za-z_]\w*")
"""A name that is no attribute and no beginning of a text."""
SHARE = 0.3
"""Places of expressions that are tried."""


def copied_bugs(finder: BugFinder, nodes: Sequence[ast.AST], functions: Sequence[str]) -> None:
    """Find the bugs of copying of a function; `functions` are the names of the program's functions."""
    _expressions(finder, nodes)
    _conditions(finder, nodes)
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Return | ast.Expr):
            _together(finder, node)
        elif isinstance(node, ast.If | ast.While):
            _swapped(finder, node.test)
        elif isinstance(node, ast.Subscript):
            _other_item(finder, node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
            other = finder.other(functions, node.func.id)
            if other is not None:
                finder.replace_node("callee", node.func, other)


def _expressions(finder: BugFinder, nodes: Sequence[ast.AST]) -> None:
    """An expression in the place of another one of the same kind."""
    places = [node for node in nodes if isinstance(node, _COPIED) and _is_read(node)]
    texts = [finder.text(node) for node in places]
    by_type: dict[type[ast.AST], list[str]] = {}
    for node, text in zip(places, texts, strict=True):
        if len(text) <= LONGEST:
            by_type.setdefault(type(node), []).append(text)
    for node, text in zip(places, texts, strict=True):
        known = by_type.get(type(node), [])
        if len(known) > 1 and len(text) <= 2 * LONGEST and finder.happens(SHARE):
            other = finder.rng.choice(known)
            if other not in text and text not in other:
                finder.replace_node("graft", node, other)


def _is_read(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Load | None)


def _conditions(finder: BugFinder, nodes: Sequence[ast.AST]) -> None:
    """A condition in the place of another one."""
    tests = [node.test for node in nodes if isinstance(node, ast.If | ast.While | ast.IfExp)]
    texts = [finder.text(test) for test in tests]
    for test, text in zip(tests, texts, strict=True):
        other = finder.other(texts, text)
        if other is not None and finder.happens(0.5) and "\n" not in other:
            finder.replace_node("condition-other", test, other)


def _together(finder: BugFinder, node: ast.Assign | ast.AugAssign | ast.Return | ast.Expr) -> None:
    """A variable that is wrong at all its places of a statement."""
    value = node.value
    if value is None or isinstance(value, ast.Constant | ast.Name):
        return
    names = _swapped(finder, value)
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        name = finder.rng.choice(repeated)
        other = finder.other(finder.names, name)
        if other is not None:
            finder.replace_node("variable-together", value, _renamed(finder.text(value), {name: other}))


def _swapped(finder: BugFinder, value: ast.expr) -> list[str]:
    """Two variables in each other's place; returns the variables of the function that the value reads."""
    names = [node.id for node in nodes_of(value) if isinstance(node, ast.Name) and node.id in finder.names]
    different = sorted(set(names))
    if len(different) > 1 and finder.happens(0.5):
        one, other = finder.rng.sample(different, 2)
        finder.replace_node("variable-swap", value, _renamed(finder.text(value), {one: other, other: one}))
    return names


def _renamed(text: str, names: dict[str, str]) -> str:
    return _WORD.sub(lambda found: names.get(found[0], found[0]), text)


def _other_item(finder: BugFinder, node: ast.Subscript) -> None:
    """The item before or after it in another list."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Name() | ast.BinOp() as index, ctx=ast.Load()):
            other = finder.other(finder.names, name)
            if other is not None and finder.happens(SHARE):
                near = _one_more_or_less(finder.text(index), finder.rng)
                finder.replace_node("other-item", node, f"{other}[{near}]")


def _one_more_or_less(index: str, rng: Random) -> str:
    for ending in (" + 1", " - 1"):
        if index.endswith(ending):
            return index.removesuffix(ending)
    return f"{index} {rng.choice('+-')} 1"
