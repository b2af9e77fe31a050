"""Edits that use a name which its function never reads: a limit of a size, a factor, a term."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.guessed_types import NUMBERS
from envs.editing.source_text import Block, Replacement, SourceText
from envs.editing.unread_names import unread
from envs.editing.variable_scopes import Function, bound_by

_ADDING = {"append": "pop(0)", "appendleft": "pop()", "insert": "pop()", "add": "pop()"}
"""Methods that add an item, and how the item that is there longest or last is removed again."""


def size_limits(code: SourceText) -> Iterator[Replacement]:
    """Removes an item of a collection that is as large as an unread name or attribute, before one is added."""
    for function in code.scopes.bodies:
        for limit in (*unread(function), *_unread_attributes(code, function)):
            if not code.types.name_may_be(limit, NUMBERS):
                continue
            for statement in code.statements(ast.Expr, ast.Assign):
                if code.function(statement) is function and code.own_lines(statement) is not None:
                    for owner, removal in _growing(code, statement):
                        text = f"if len({owner}) >= {limit}:\n    {owner}.{removal}"
                        yield code.insert_before("size-limit", statement, text)
                        text = f"if len({owner}) > {limit}:\n    {owner}.{removal}"
                        yield code.insert_after("size-limit", statement, text)


def factors_and_terms(code: SourceText) -> Iterator[Replacement]:
    """Multiplies, adds or subtracts an unread name: in a number that is read, or behind an assignment."""
    for function in code.scopes.bodies:
        names = [name for name in unread(function) if code.types.name_may_be(name, NUMBERS)]
        if not names:
            continue
        for node in code.loads(ast.Name, ast.Subscript, ast.Call, ast.BinOp):
            inside = code.function(node) is function and not code.is_callee(node)
            if inside and code.types.may_be(node, NUMBERS) and not isinstance(code.parents[node], ast.Attribute):
                for name in (each for each in names if each in code.names(node)):
                    for sign, level in (("*", precedence.PRODUCT), ("+", precedence.SUM), ("-", precedence.SUM)):
                        yield code.replace("use-parameter", node, f"{code.operand(node, level)} {sign} {name}", level)
        for block in code.blocks:
            if block.owner is function or code.function(block.owner) is function:
                yield from _updates(code, block, names)


def _updates(code: SourceText, block: Block, names: list[str]) -> Iterator[Replacement]:
    """Updates of a variable right behind the statement that assigns it, or at the start of a loop that binds it."""
    for statement in block.statements:
        if code.own_lines(statement) is None:
            continue
        bound = bound_by(statement)
        visible = [each for each in code.names(statement) if each not in code.scopes.module_names]
        for name in names:
            targets = visible if name in bound else bound  # behind its own assignment any variable may be updated by it
            for target in targets if name in (*visible, *bound) else ():
                if target not in names and code.types.name_may_be(target, NUMBERS):
                    for sign in "*+-":
                        yield code.insert_after("use-parameter", statement, f"{target} {sign}= {name}")
    if isinstance(block.owner, ast.For) and code.own_lines(block.statements[0]) is not None:
        targets = [each.id for each in ast.walk(block.owner.target) if isinstance(each, ast.Name)]
        for target in targets:
            if code.types.name_may_be(target, NUMBERS):
                for name in (each for each in names if each in code.names(block.statements[0])):
                    for sign in "*+-":
                        text = f"{target} {sign}= {name}"
                        yield code.insert_before("use-parameter", block.statements[0], text)


def _unread_attributes(code: SourceText, function: Function) -> list[str]:
    """Attributes of a method's object that the program sets and never reads, such as `self.capacity`."""
    found = code.method(function.body[0])
    if found is None or found[1] is not function:
        return []
    own, _, name = found
    return [f"{name}.{each}" for each in code.members.attributes(own) if not code.members.is_read(each)]


def _growing(code: SourceText, statement: ast.stmt) -> Iterator[tuple[str, str]]:
    """The collection that a statement adds an item to, and how an item is removed from it."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=method))) if method in _ADDING:
            yield code.operand(owner, precedence.ATOM), _ADDING[method]
            if method == "append":
                yield code.operand(owner, precedence.ATOM), "popleft()"
        case ast.Assign(targets=[ast.Subscript(value=owner)]) if not code.types.of(owner) & {"list"}:
            text = code.operand(owner, precedence.ATOM)
            yield text, f"pop(next(iter({text})))"
            yield text, "popitem(last=False)"
