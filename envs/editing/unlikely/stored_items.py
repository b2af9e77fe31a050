"""Edits that insert a store to an item: `self.values[index] = value`, `stock[name] -= count`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.guessed_types import NUMBERS
from envs.editing.source_text import Block, Replacement, SourceText
from envs.editing.variable_scopes import Function

_EXITS = (ast.Return, ast.Break, ast.Continue, ast.Raise)
_MAX_ITEMS = 4
_MAX_VALUES = 3


def stored_items(code: SourceText) -> Iterator[Replacement]:
    """Inserts an assignment or an update of an item at the ends of blocks, with containers and keys that occur."""
    containers = _subscripted(code)
    for function in code.scopes.bodies:
        keys = _keys(code, function)
        if not keys:
            continue
        for block in code.blocks:
            if block.owner is function or code.function(block.owner) is function:
                yield from _stores_in(code, block, containers, keys)


def _stores_in(
    code: SourceText, block: Block, containers: dict[str, str], keys: dict[str, frozenset[str]]
) -> Iterator[Replacement]:
    first, last = block.statements[0], block.statements[-1]
    for statement, insert in ((first, code.insert_before), (last, code.insert_after)):
        if insert == code.insert_after and isinstance(last, _EXITS):
            insert = code.insert_before
        if code.own_lines(statement) is None:
            continue
        bound = {*code.names(statement), *code.own_attributes(statement)}
        visible = [each for each in containers if each in bound][:_MAX_ITEMS]
        for container in visible:
            for key in [each for each, read in keys.items() if read <= bound and each != container][:_MAX_ITEMS]:
                for text in _updates(code, statement, container, key):
                    yield insert("store-item", statement, text)


def _updates(code: SourceText, statement: ast.stmt, container: str, key: str) -> Iterator[str]:
    values = [each for each in code.near_names(statement, 2 * _MAX_VALUES) if each not in (container, key)]
    for value in values[:_MAX_VALUES]:
        yield f"{container}[{key}] = {value}"
        if code.types.name_may_be(value, NUMBERS):
            yield f"{container}[{key}] += {value}"
            yield f"{container}[{key}] -= {value}"


def _subscripted(code: SourceText) -> dict[str, str]:
    """The variables and attributes whose items the program reads or stores."""
    owners = (node.value for node in code.nodes if isinstance(node, ast.Subscript) and not _is_slice(node))
    return {code.text(each): "" for each in owners if isinstance(each, ast.Name | ast.Attribute)}


def _keys(code: SourceText, function: Function) -> dict[str, frozenset[str]]:
    """The keys that a function uses, each with the variables that it reads."""
    found: dict[str, frozenset[str]] = {}
    for node in code.nodes:
        if isinstance(node, ast.Subscript) and not _is_slice(node) and code.function(node) is function:
            names = {each.id for each in ast.walk(node.slice) if isinstance(each, ast.Name)}
            if names:
                found.setdefault(code.text(node.slice), frozenset(names))
    return found


def _is_slice(node: ast.Subscript) -> bool:
    return isinstance(node.slice, ast.Slice)
