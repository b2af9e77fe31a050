"""Candidate conditions at a place of a program: on its variables, their lengths, and comparisons of two.

Most of them make no sense in a program, so they serve edits that already help and lack a condition. Knows no tests and
no edits.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.guessed_types import NUMBERS, SIZED
from envs.editing.likely.booleans import is_condition
from envs.editing.source_text import SourceText

_MAX_NAMES = 6
_MAX_CONSTANTS = 6
_HOLDERS = frozenset({"list", "set", "dict", "tuple", "text"})
_MAX_LENGTH = 40
"""Characters of a condition that is copied."""


def candidate_conditions(code: SourceText, statement: ast.stmt, bound: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Conditions that are legal before a statement, those of the function first; `bound` names count as bound too."""
    names = list(dict.fromkeys([*bound, *code.near_names(statement, _MAX_NAMES)]))
    visible = {*names, *code.names(statement)}
    found = [*_existing_conditions(code, statement, visible)]
    for name in names:
        found += _conditions_on_one(code, statement, name)
        found += _attributes_of(code, statement, name)
    for name in names:
        for other in names:
            if name != other:
                found += _comparisons_of_two(code, name, other)
    return tuple(dict.fromkeys(found))


def _existing_conditions(code: SourceText, statement: ast.stmt, visible: set[str]) -> Iterator[str]:
    """The conditions of the function at other places, and their negations."""
    function = code.function(statement)
    for node in code.loads():
        if code.function(node) is not function or not is_condition(code, node) or isinstance(node, ast.BoolOp):
            continue
        text = code.text(node)
        read = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} & set(code.names(node))
        if read and read <= visible and len(text) <= _MAX_LENGTH and "\n" not in text:
            yield text
            yield text.removeprefix("not ") if text.startswith("not ") else f"not {_bracketed(node, text)}"


def _bracketed(node: ast.expr, text: str) -> str:
    return text if isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Attribute) else f"({text})"


def _conditions_on_one(code: SourceText, statement: ast.stmt, name: str) -> Iterator[str]:
    """Conditions on one variable, by its guessed type."""
    types = code.types.of_name(name)
    numbers, texts = constants_of(code, statement)
    if types & SIZED or not types:
        yield from (name, f"not {name}")
    if types & SIZED:
        yield from (f"len({name}) == 1", f"len({name}) < 2", f"len({name}) > 1")
        yield from (f"len({name}) {sign} {value}" for value in numbers if value not in ("0", "1") for sign in _SIGNS)
    if types & NUMBERS:
        yield from (f"{name} {sign} {value}" for value in _unique("0", "1", numbers) for sign in _SIGNS)
        yield from (f"{name} % 2 == 0", f"{name} % 2 == 1")
    if "text" in types or not types:
        yield from (f"{name} {sign} {value}" for value in texts for sign in ("==", "!="))
    if "text" in types:
        yield from (f"{name}.{method}()" for method in ("isdigit", "isalpha", "isupper", "isspace"))
    if not types & _HOLDERS:
        yield from (f"{name} is None", f"{name} is not None")
    if not types:
        yield from (f"{name} == 0", f"{name} < 0", f"{name} > 0")


_SIGNS = ("==", "<", ">", "!=")


def _attributes_of(code: SourceText, statement: ast.stmt, name: str) -> Iterator[str]:
    """The attributes of a variable that its function reads or sets, and what they lack, as conditions."""
    function = code.function(statement)
    if not code.members.classes or function is None:
        return
    nodes = (node for node in ast.walk(function) if isinstance(node, ast.Attribute))
    owned = (node.attr for node in nodes if isinstance(node.value, ast.Name) and node.value.id == name)
    known = {each for one in code.members.classes.values() for each in code.members.attributes(one)}
    for attribute in dict.fromkeys(each for each in owned if each in known):
        yield from (f"{name}.{attribute}", f"not {name}.{attribute}")


def _comparisons_of_two(code: SourceText, name: str, other: str) -> Iterator[str]:
    """Comparisons of two variables, by their guessed types."""
    types, others = (code.types.of_name(each) for each in (name, other))
    hashable = not types & {"list", "set", "dict"}
    if others & _HOLDERS and hashable and not (types == {"number"} and "text" in others):
        yield from (f"{name} in {other}", f"{name} not in {other}")
    if types & NUMBERS and others & SIZED:
        yield from (f"{name} < len({other})", f"{name} == len({other})", f"{name} == len({other}) - 1")
    if (types & others or not (types and others)) and name < other:
        yield from (f"{name} {sign} {other}" for sign in ("==", "!=", "<", ">", "<=", ">="))


def constants_of(code: SourceText, statement: ast.stmt) -> tuple[list[str], list[str]]:
    """Numbers and short strings, as source text, in the function of a statement."""
    function = code.function(statement)
    numbers: dict[str, None] = {}
    texts: dict[str, None] = {}
    for node in code.loads(ast.Constant):
        if code.function(node) is not function or isinstance(code.parents[node], ast.JoinedStr):
            continue
        match node:
            case ast.Constant(value=bool() | None):
                pass
            case ast.Constant(value=int() | float()):
                numbers.setdefault(code.text(node))
            case ast.Constant(value=str(value)) if len(value) <= 3:
                texts.update(dict.fromkeys([code.text(node), *(repr(character) for character in value)]))
    return list(numbers)[:_MAX_CONSTANTS], list(texts)[:_MAX_CONSTANTS]


def _unique(*parts: str | list[str]) -> list[str]:
    """The texts in order, without duplicates."""
    flat = [each for part in parts for each in ([part] if isinstance(part, str) else part)]
    return list(dict.fromkeys(flat))
