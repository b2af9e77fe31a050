"""Conditions that could be asked at a place of a program: of its variables, their sizes, and how they compare.

Most are never meant, so they are for the cases where something is known to be wanted under *some* condition. Knows
no tests and no edits.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.guessed_types import NUMBERS, SIZED
from envs.editing.likely.booleans import is_condition
from envs.editing.source_text import SourceText

_MOST_NAMES = 6
_MOST_CONSTANTS = 6
_HOLDERS = frozenset({"list", "set", "dict", "tuple", "text"})
_LONGEST = 40


def questions(page: SourceText, statement: ast.stmt, bound: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Conditions that have a meaning before a statement, the function's own first; `bound` names count as known."""
    names = list(dict.fromkeys([*bound, *page.near_names(statement, _MOST_NAMES)]))
    visible = {*names, *page.names(statement)}
    found = [*_own(page, statement, visible)]
    for name in names:
        found += _of_one(page, statement, name)
    for name in names:
        for other in names:
            if name != other:
                found += _of_two(page, name, other)
    return tuple(dict.fromkeys(found))


def _own(page: SourceText, statement: ast.stmt, visible: set[str]) -> Iterator[str]:
    """The conditions that the function asks elsewhere, and their opposites."""
    function = page.function(statement)
    for node in page.loads():
        if page.function(node) is not function or not is_condition(page, node) or isinstance(node, ast.BoolOp):
            continue
        text = page.text(node)
        read = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} & set(page.names(node))
        if read and read <= visible and len(text) <= _LONGEST and "\n" not in text:
            yield text
            yield text.removeprefix("not ") if text.startswith("not ") else f"not {_bracketed(node, text)}"


def _bracketed(node: ast.expr, text: str) -> str:
    return text if isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Attribute) else f"({text})"


def _of_one(page: SourceText, statement: ast.stmt, name: str) -> Iterator[str]:
    """What may be asked of one variable, by its kind."""
    kinds = page.kinds.of(ast.Name(name, ast.Load()))
    numbers, texts = constants_of(page, statement)
    if kinds & SIZED or not kinds:
        yield from (name, f"not {name}")
    if kinds & SIZED:
        yield from (f"len({name}) == 1", f"len({name}) < 2", f"len({name}) > 1")
        yield from (f"len({name}) {sign} {value}" for value in numbers if value not in ("0", "1") for sign in _SIGNS)
    if kinds & NUMBERS:
        yield from (f"{name} {sign} {value}" for value in _first("0", "1", numbers) for sign in _SIGNS)
        yield from (f"{name} % 2 == 0", f"{name} % 2 == 1")
    if "text" in kinds or not kinds:
        yield from (f"{name} {sign} {value}" for value in texts for sign in ("==", "!="))
    if "text" in kinds:
        yield from (f"{name}.{method}()" for method in ("isdigit", "isalpha", "isupper", "isspace"))
    if not kinds:
        yield from (f"{name} is None", f"{name} == 0", f"{name} < 0", f"{name} > 0")


_SIGNS = ("==", "<", ">", "!=")


def _of_two(page: SourceText, name: str, other: str) -> Iterator[str]:
    """How two variables may compare, by their kinds."""
    kinds, others = (page.kinds.of(ast.Name(each, ast.Load())) for each in (name, other))
    hashable = not kinds & {"list", "set", "dict"}
    if others & _HOLDERS and hashable and not (kinds == {"number"} and "text" in others):
        yield from (f"{name} in {other}", f"{name} not in {other}")
    if kinds & NUMBERS and others & SIZED:
        yield from (f"{name} < len({other})", f"{name} == len({other})", f"{name} == len({other}) - 1")
    if (kinds & others or not (kinds and others)) and name < other:
        yield from (f"{name} {sign} {other}" for sign in ("==", "!=", "<", ">", "<=", ">="))


def constants_of(page: SourceText, statement: ast.stmt) -> tuple[list[str], list[str]]:
    """Numbers and short texts that stand in the statement's function or are wanted by tests."""
    function = page.function(statement)
    numbers: dict[str, None] = {}
    texts: dict[str, None] = {}
    for node in page.loads(ast.Constant):
        if page.function(node) is not function or isinstance(page.parents[node], ast.JoinedStr):
            continue
        match node:
            case ast.Constant(value=bool() | None):
                pass
            case ast.Constant(value=int() | float()):
                numbers.setdefault(page.text(node))
            case ast.Constant(value=str(value)) if len(value) <= 3:
                texts.update(dict.fromkeys([page.text(node), *(repr(character) for character in value)]))
    return list(numbers)[:_MOST_CONSTANTS], list(texts)[:_MOST_CONSTANTS]


def _first(*parts: str | list[str]) -> list[str]:
    """Texts in order, each once."""
    flat = [each for part in parts for each in ([part] if isinstance(part, str) else part)]
    return list(dict.fromkeys(flat))
