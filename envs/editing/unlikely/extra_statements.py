"""A statement more at any place: what was forgotten, made of the function's variables and constants.

Alone such a statement seldom repairs anything. But one that mends a failing test and breaks others is what was
forgotten without its condition, and the search asks for conditions then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.guessed_types import NUMBERS, Kind
from envs.editing.source_text import EditDraft, SourceText
from envs.editing.unlikely.place_conditions import constants_of
from envs.editing.variable_scopes import bound_by

_LEAVES = (ast.Return, ast.Break, ast.Continue, ast.Raise)
_MOST_NAMES = 5
_NEUTRAL: dict[Kind, tuple[str, ...]] = {
    "number": ("0", "1"),
    "text": ('""',),
    "list": ("[]",),
    "bool": ("True", "False"),
}


def statements(page: SourceText) -> Iterator[EditDraft]:
    """A variable set or changed, or the function or loop left, before each statement and at the end of each block."""
    for block in page.blocks:
        function = block.owner if isinstance(block.owner, ast.FunctionDef) else page.function(block.owner)
        if not isinstance(function, ast.FunctionDef):
            continue
        for statement in block.statements:
            if page.own_lines(statement) is None:
                continue
            for text in _texts(page, function, statement, ()):
                yield page.insert_before("add-statement", statement, text)
        last = block.statements[-1]
        if not isinstance(last, _LEAVES) and page.own_lines(last) is not None:
            for text in _texts(page, function, last, bound_by(last)):
                if not (isinstance(block.owner, ast.For | ast.While) and text == "continue"):
                    yield page.insert_after("add-statement", last, text)


def _texts(page: SourceText, function: ast.FunctionDef, statement: ast.stmt, bound: tuple[str, ...]) -> Iterator[str]:
    names = list(dict.fromkeys([*bound, *page.near_names(statement, _MOST_NAMES)]))
    for name in names:
        yield from _changes(page, statement, name, names)
    yield from _returns(page, function, names)
    if page.loop(statement):
        yield from ("continue", "break")


def _changes(page: SourceText, statement: ast.stmt, name: str, names: list[str]) -> Iterator[str]:
    """A variable brought up to date, by its kind."""
    kinds = page.kinds.of(ast.Name(name, ast.Load()))
    numbers, texts = constants_of(page, statement)
    others = [each for each in names if each != name]
    alike = [each for each in others if kinds and page.kinds.of(ast.Name(each, ast.Load())) & kinds]
    yield from (f"{name} = {value}" for kind in sorted(kinds) for value in _NEUTRAL.get(kind, ()))
    yield from (f"{name} = {other}" for other in (alike if kinds else others))
    if kinds & NUMBERS or not kinds:
        for value in dict.fromkeys(["1", *(each for each in numbers if each not in ("0", "1")), *alike]):
            yield from (f"{name} += {value}", f"{name} -= {value}")
        yield from (
            f"{name} {sign}= {value}" for value in numbers if value not in ("0", "1") for sign in ("*", "//", "%")
        )
        yield f"{name} = -{name}"
    if "text" in kinds:
        yield from (f"{name} += {value}" for value in [*texts, *alike])
        yield from (f"{name} = {name}.{method}()" for method in ("strip", "lower"))
        yield f"{name} = {name}[1:]"
    if "list" in kinds:
        yield from (f"{name}.append({other})" for other in others)
        yield from (f"{name}.pop()", f"{name}.sort()", f"{name}.reverse()")
    if "set" in kinds:
        yield from (f"{name}.add({other})" for other in others)
    if "dict" in kinds:
        for key in others:
            values = [other for other in others if other != key]
            yield from (f"{name}[{key}] = {value}" for value in ["0", "1", *values])


def _returns(page: SourceText, function: ast.FunctionDef, names: list[str]) -> Iterator[str]:
    """Values given back: what the function gives back elsewhere or should, and its variables."""
    given = [node.value for node in page.nodes if isinstance(node, ast.Return) and node.value]
    own = [value for value in given if page.function(value) is function]
    constants = [page.text(value) for value in own if isinstance(value, ast.Constant | ast.List | ast.Dict | ast.Tuple)]
    kinds = frozenset().union(*(page.kinds.of(value) for value in own))
    fitting = [name for name in names if not kinds or page.kinds.name_may(name, kinds)]
    neutral = [value for kind in sorted(kinds) for value in _NEUTRAL.get(kind, ())]
    short = [text for text in constants if "\n" not in text and len(text) <= 20]
    yield from (f"return {value}" for value in dict.fromkeys([*short, *page.wanted, *neutral, *fitting]))
