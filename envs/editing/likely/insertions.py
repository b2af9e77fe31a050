"""Edits that add what was forgotten, made of what the program already contains.

A statement copied to another place, an `else`, a guard behind a loop, a base case, a `break`, an item appended.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.guessed_types import NUMBERS, SIZED
from envs.editing.source_text import Block, EditDraft, Function, SourceText
from envs.editing.variable_scopes import bound_by, parameters

_LEAVES = (ast.Return, ast.Break, ast.Continue, ast.Raise)
_LOOPS = (ast.For, ast.While)
_MOST_COPIED = 12
_NEUTRAL = ("0", "0.0", "1", "1.0", "-1", "''", "None", "True", "False", "[]", "{}", "()", "set()")
"""Values that mean nothing given, nothing found, yes or no, in any program."""


def copies(page: SourceText) -> Iterator[EditDraft]:
    """A simple statement of the function once more in another place."""
    for function in page.scopes.functions.values():
        known = _simple_statements(page, function)
        for block in _blocks_of(page, function):
            for statement in block.statements:
                if isinstance(statement, _LEAVES) or page.own_lines(statement) is None:
                    continue
                for text, names in known.items():
                    if names <= {*page.names(statement), *bound_by(statement)}:
                        yield page.insert_after("insert-copy", statement, text)


def else_branches(page: SourceText) -> Iterator[EditDraft]:
    """An `else` for an `if` without one, holding a statement of the function."""
    for function in page.scopes.functions.values():
        known = _simple_statements(page, function) | _leaving_statements(page, function)
        for statement in page.statements(ast.If):
            assert isinstance(statement, ast.If)
            if page.function(statement) is not function or statement.orelse or page.own_lines(statement) is None:
                continue
            unit = _unit(page, statement)
            for text, names in known.items():
                fits = page.loop(statement) or text not in ("break", "continue")
                if fits and names <= set(page.names(statement)):
                    yield page.insert_after("insert-else", statement, f"else:\n{unit}{text}")


def leaves(page: SourceText) -> Iterator[EditDraft]:
    """`break`, `continue` or a `return` of the program at the end of a block that does not leave yet."""
    for function in page.scopes.functions.values():
        returns = [text for text in _leaving_statements(page, function) if text.startswith("return")]
        for block in _blocks_of(page, function):
            last = block.statements[-1]
            if isinstance(last, _LEAVES) or page.own_lines(last) is None:
                continue
            if isinstance(block.owner, ast.If) and page.loop(block.owner):
                yield page.insert_after("insert-break", last, "break")
                yield page.insert_after("insert-break", last, "continue")
            names = [f"return {name}" for name in page.names(last) if name not in page.scopes.data]
            for text in dict.fromkeys([*returns, *names] if block.owner is function else returns):
                yield page.insert_after("insert-return", last, text)


def guards_behind_loops(page: SourceText) -> Iterator[EditDraft]:
    """Behind a loop: what is left over is handled, if there is something left."""
    for function in page.scopes.functions.values():
        known = _simple_statements(page, function) | _leaving_statements(page, function)
        for statement in page.statements(*_LOOPS):
            if page.function(statement) is not function or page.own_lines(statement) is None:
                continue
            names = [name for name in page.names(statement) if name not in page.scopes.data]
            bound = {name for name in names if page.kinds.name_may(name, SIZED | NUMBERS)}
            for text, used in known.items():
                if text in ("break", "continue") or not used <= {*names, *page.scopes.data}:
                    continue
                for name in names:
                    if name in bound and name not in parameters(function):
                        unit = _unit(page, statement)
                        yield page.insert_after("insert-guard", statement, f"if {name}:\n{unit}{text}")


def base_cases(page: SourceText) -> Iterator[EditDraft]:
    """At the start of a function: nothing, zero or one given, and a value given back at once."""
    for function in page.scopes.functions.values():
        block = next((each for each in _blocks_of(page, function) if each.owner is function), None)
        if block is None or page.own_lines(block.statements[0]) is None:
            continue
        first = block.statements[0]
        unit = page.indent(first)[len(page.indent(function)) :] or "    "
        for name in parameters(function)[:3]:
            if name not in ("self", "cls"):
                for test in _edge_cases(page, name):
                    for value, operator in _base_values(page, function, name).items():
                        yield page.insert_before(operator, first, f"if {test}:\n{unit}return {value}")


def _edge_cases(page: SourceText, name: str) -> list[str]:
    numbers = [f"{name} == 0", f"{name} < 0", f"{name} == 1"] if page.kinds.name_may(name, NUMBERS) else []
    sized = [f"len({name}) == 1"] if page.kinds.name_may(name, SIZED) and not numbers else []
    return [f"not {name}", *numbers, *sized]


def _base_values(page: SourceText, function: Function, name: str) -> dict[str, str]:
    """Constants that the function gives back or should, the neutral ones of the kind it gives back, a parameter.

    Each with its class: a value that stands in a test alone and is nothing special may only repeat that test.
    """
    returned = [node.value for node in _own(page, function) if isinstance(node, ast.Return) and node.value]
    constants = [page.text(value) for value in returned if isinstance(value, ast.Constant)]
    kinds = frozenset().union(*(page.kinds.of(value) for value in returned))
    neutral = {"number": ["0", "1"], "text": ['""'], "list": ["[]"], "dict": ["{}"], "bool": ["True", "False"]}
    guessed = [text for kind in sorted(kinds) for text in neutral.get(kind, [])]
    values = dict.fromkeys([*constants, *page.wanted, *(guessed or ["None", "0", "[]"]), name])
    meant = {*constants, *guessed, *_NEUTRAL, name}
    return {value: "insert-base-case" if value in meant else "insert-copied-case" for value in values}


def appends(page: SourceText) -> Iterator[EditDraft]:
    """An item put into a list or set, behind the statement that made it or at the end of a loop."""
    for function in page.scopes.functions.values():
        for block in _blocks_of(page, function):
            for statement in block.statements:
                made = _made(statement, block)
                if not made or page.own_lines(statement) is None:
                    continue
                for name in page.names(statement):
                    for item in made:
                        yield from _put(page, statement, name, item)


def _put(page: SourceText, statement: ast.stmt, name: str, item: str) -> Iterator[EditDraft]:
    for kind, method in (("list", "append"), ("set", "add")):
        if name != item and page.kinds.name_may(name, frozenset({kind})) and _has_kind(page, name):
            yield page.insert_after("insert-append", statement, f"{name}.{method}({item})")


def _has_kind(page: SourceText, name: str) -> bool:
    return bool(page.kinds.of(ast.Name(name, ast.Load())))


def _made(statement: ast.stmt, block: Block) -> list[str]:
    """What was bound by this statement; where it is a block, or ends one, what was bound in this block before."""
    if isinstance(statement, _LEAVES):
        return []
    names = list(bound_by(statement)) if isinstance(statement, ast.Assign) else []
    owner = block.owner
    if isinstance(owner, _LOOPS) and (
        isinstance(statement, ast.For | ast.While | ast.If) or statement is block.statements[-1]
    ):
        place = block.statements.index(statement)
        names += [name for each in block.statements[:place] for name in bound_by(each)]
    if isinstance(owner, ast.For) and statement is block.statements[-1]:
        names = [*names, *(each.id for each in ast.walk(owner.target) if isinstance(each, ast.Name))]
    return list(dict.fromkeys(names))


def counts(page: SourceText) -> Iterator[EditDraft]:
    """A number counted up or down at the end of a block."""
    for function in page.scopes.functions.values():
        for block in _blocks_of(page, function):
            last = block.statements[-1]
            if block.owner is function or isinstance(last, _LEAVES) or page.own_lines(last) is None:
                continue
            for name in page.names(last):
                if page.kinds.of(ast.Name(name, ast.Load())) == {"number"} and name not in page.scopes.data:
                    yield page.insert_after("insert-count", last, f"{name} += 1")
                    yield page.insert_after("insert-count", last, f"{name} -= 1")


def _blocks_of(page: SourceText, function: Function) -> Iterator[Block]:
    for block in page.blocks:
        if block.owner is function or page.function(block.owner) is function:
            yield block


def _own(page: SourceText, function: Function) -> Iterator[ast.AST]:
    return (node for node in page.nodes if page.function(node) is function)


def _simple_statements(page: SourceText, function: Function) -> dict[str, frozenset[str]]:
    """Texts of assignments and calls, with the variables they need, in order of appearance."""
    found: dict[str, frozenset[str]] = {}
    for node in _own(page, function):
        simple = isinstance(node, ast.Assign | ast.AugAssign) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        )
        if simple and isinstance(node, ast.stmt) and "\n" not in page.text(node):
            found.setdefault(page.text(node), _needed(page, node))
    return dict(list(found.items())[:_MOST_COPIED])


def _leaving_statements(page: SourceText, function: Function) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for node in _own(page, function):
        if isinstance(node, ast.Return) and "\n" not in page.text(node):
            found.setdefault(page.text(node), _needed(page, node))
    return found | {"break": frozenset(), "continue": frozenset()}


def _needed(page: SourceText, statement: ast.stmt) -> frozenset[str]:
    """The variables that a statement reads."""
    names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    made = set() if isinstance(statement, ast.AugAssign) else set(bound_by(statement))
    reads = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return frozenset((names & set(page.names(statement))) - (made - reads))


def _unit(page: SourceText, statement: ast.stmt) -> str:
    """One level of indentation, as this statement's own block is written."""
    inner = page.indent(statement.body[0])  # type: ignore[attr-defined]
    return inner[len(page.indent(statement)) :] or "    "
