"""Edits that insert a statement at any place, built from the variables and constants of the function.

Alone such a statement seldom repairs a program. One that fixes a failing test and breaks others is often the missing
statement without its condition; the search then tries it under conditions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.guessed_types import NEUTRAL_VALUES, NUMBERS
from envs.editing.source_text import Replacement, SourceText
from envs.editing.unlikely.place_conditions import constants_of
from envs.editing.variable_scopes import bound_by

_EXITS = (ast.Return, ast.Break, ast.Continue, ast.Raise)
_MAX_NAMES = 5
_NEUTRAL = {type_name: values for type_name, values in NEUTRAL_VALUES.items() if type_name != "dict"}


def statements(code: SourceText) -> Iterator[Replacement]:
    """Inserts assignments, updates and exits before each statement and at the end of each block."""
    for block in code.blocks:
        function = block.owner if isinstance(block.owner, ast.FunctionDef) else code.function(block.owner)
        if not isinstance(function, ast.FunctionDef):
            continue
        for statement in block.statements:
            if code.own_lines(statement) is None:
                continue
            for text in _new_statements(code, function, statement, ()):
                yield code.insert_before("add-statement", statement, text)
        last = block.statements[-1]
        if not isinstance(last, _EXITS) and code.own_lines(last) is not None:
            for text in _new_statements(code, function, last, bound_by(last)):
                if not (isinstance(block.owner, ast.For | ast.While) and text == "continue"):
                    yield code.insert_after("add-statement", last, text)


def _new_statements(
    code: SourceText, function: ast.FunctionDef, statement: ast.stmt, bound: tuple[str, ...]
) -> Iterator[str]:
    names = list(dict.fromkeys([*bound, *code.near_names(statement, _MAX_NAMES)]))
    for name in names:
        yield from _updates(code, statement, name, names)
    yield from _returns(code, function, names)
    if code.loop(statement):
        yield from ("continue", "break")


def _updates(code: SourceText, statement: ast.stmt, name: str, names: list[str]) -> Iterator[str]:
    """Statements that assign or update a variable, by its guessed type."""
    types = code.types.of_name(name)
    numbers, texts = constants_of(code, statement)
    others = [each for each in names if each != name]
    alike = [each for each in others if types and code.types.of_name(each) & types]
    yield from (f"{name} = {value}" for type_name in sorted(types) for value in _NEUTRAL.get(type_name, ()))
    yield from (f"{name} = {other}" for other in (alike if types else others))
    if types & NUMBERS or not types:
        for value in dict.fromkeys(["1", *(each for each in numbers if each not in ("0", "1")), *alike]):
            yield from (f"{name} += {value}", f"{name} -= {value}")
        yield from (
            f"{name} {sign}= {value}" for value in numbers if value not in ("0", "1") for sign in ("*", "//", "%")
        )
        yield from (f"{name} *= {other}" for other in alike)
        yield f"{name} = -{name}"
    if "text" in types:
        yield from (f"{name} += {value}" for value in [*texts, *alike])
        yield from (f"{name} = {name}.{method}()" for method in ("strip", "lower"))
        yield f"{name} = {name}[1:]"
    if "list" in types:
        yield from (f"{name}.append({other})" for other in others)
        yield from (f"{name}.pop()", f"{name}.pop(0)", f"{name}.sort()", f"{name}.reverse()")
    if "set" in types:
        yield from (f"{name}.add({other})" for other in others)
    if "dict" in types:
        for key in others:
            values = [other for other in others if other != key]
            yield from (f"{name}[{key}] = {value}" for value in ["0", "1", *values])


def _returns(code: SourceText, function: ast.FunctionDef, names: list[str]) -> Iterator[str]:
    """Return statements: values the function returns elsewhere, values tests expect, neutral values, variables."""
    returned = [node.value for node in code.nodes if isinstance(node, ast.Return) and node.value]
    own = [value for value in returned if code.function(value) is function]
    constants = [code.text(value) for value in own if isinstance(value, ast.Constant | ast.List | ast.Dict | ast.Tuple)]
    types = frozenset().union(*(code.types.of(value) for value in own))
    fitting = [name for name in names if not types or code.types.name_may_be(name, types)]
    neutral = [value for type_name in sorted(types) for value in _NEUTRAL.get(type_name, ())]
    short = [text for text in constants if "\n" not in text and len(text) <= 20]
    yield from (f"return {value}" for value in dict.fromkeys([*short, *code.expected, *neutral, *fitting]))
