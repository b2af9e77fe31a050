"""Edits that insert a missing statement, built from code that the program already contains.

A copied statement, an `else`, a guard after a loop, a base case, a `break`, an appended item.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from envs.editing.guessed_types import NEUTRAL_VALUES, NUMBERS, SIZED
from envs.editing.likely.grafts import swapped
from envs.editing.source_text import Block, Replacement, SourceText
from envs.editing.variable_scopes import Function, bound_by, parameters

_EXITS = (ast.Return, ast.Break, ast.Continue, ast.Raise)
_LOOPS = (ast.For, ast.While)
_MAX_COPIED = 12
_MAX_MIRRORED = 4
_USUAL_RESULTS = ("0", "0.0", "1", "1.0", "-1", "''", "None", "True", "False", "[]", "{}", "()", "set()")
"""Values that any program may return for empty input, for no result, or for yes and no."""


def copies(code: SourceText) -> Iterator[Replacement]:
    """Copies a simple statement of the function to another place."""
    for function in code.scopes.bodies:
        known = _simple_statements(code, function)
        for block in _blocks_of(code, function):
            for statement in block.statements:
                if isinstance(statement, _EXITS) or code.own_lines(statement) is None:
                    continue
                for text, names in known.items():
                    if names <= {*code.names(statement), *bound_by(statement)}:
                        yield code.insert_after("insert-copy", statement, text)


def mirrored(code: SourceText) -> Iterator[Replacement]:
    """Copies a simple statement behind itself with two variables swapped that are bound together: `graph[b].add(a)`."""
    for statement in code.statements(ast.Assign, ast.AugAssign, ast.Expr):
        read = [node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id in code.names(node)]
        names = [name for name in dict.fromkeys(read) if name not in code.scopes.module_names]
        if code.function(statement) is None or code.own_lines(statement) is None or len(names) > _MAX_MIRRORED:
            continue
        groups = _bound_together(code, statement)
        for one, other in combinations(names, 2):
            text = swapped(code.text(statement), one, other)
            if "\n" not in text and any({one, other} <= group for group in groups):
                yield code.insert_after("insert-mirror", statement, text)


def _bound_together(code: SourceText, statement: ast.stmt) -> list[set[str]]:
    """Variables that one line of a statement's function binds, and the function's parameters."""
    function = code.function(statement)
    if function is None:
        return []
    targets = (node for node in ast.walk(function) if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Store))
    groups = [{each.id for each in ast.walk(target) if isinstance(each, ast.Name)} for target in targets]
    return [set(parameters(function)), *groups]


def else_branches(code: SourceText) -> Iterator[Replacement]:
    """Adds an `else` with a statement of the function to an `if` without one."""
    for function in code.scopes.bodies:
        known = _simple_statements(code, function) | _exit_statements(code, function)
        for statement in code.statements(ast.If):
            assert isinstance(statement, ast.If)
            if code.function(statement) is not function or statement.orelse or code.own_lines(statement) is None:
                continue
            unit = _unit(code, statement)
            for text, names in known.items():
                fits = code.loop(statement) or text not in ("break", "continue")
                if fits and names <= set(code.names(statement)):
                    yield code.insert_after("insert-else", statement, f"else:\n{unit}{text}")


def exits(code: SourceText) -> Iterator[Replacement]:
    """Adds `break`, `continue` or a `return` of the program at the end of a block without such an exit."""
    for function in code.scopes.bodies:
        returns = [text for text in _exit_statements(code, function) if text.startswith("return")]
        for block in _blocks_of(code, function):
            last = block.statements[-1]
            if isinstance(last, _EXITS) or code.own_lines(last) is None:
                continue
            if isinstance(block.owner, ast.If) and code.loop(block.owner):
                yield code.insert_after("insert-break", last, "break")
                yield code.insert_after("insert-break", last, "continue")
            names = [f"return {name}" for name in code.names(last) if name not in code.scopes.module_names]
            for text in dict.fromkeys([*returns, *names] if block.owner is function else returns):
                yield code.insert_after("insert-return", last, text)


def guards_after_loops(code: SourceText) -> Iterator[Replacement]:
    """Adds `if name: statement` after a loop, to handle a remainder that the loop leaves in a variable."""
    for function in code.scopes.bodies:
        known = _simple_statements(code, function) | _exit_statements(code, function)
        unset = _set_to_none(function)
        for statement in code.statements(*_LOOPS):
            if code.function(statement) is not function or code.own_lines(statement) is None:
                continue
            names = [name for name in code.names(statement) if name not in code.scopes.module_names]
            bound = {name for name in names if code.types.name_may_be(name, SIZED | NUMBERS)}
            for text, used in known.items():
                if text in ("break", "continue") or not used <= {*names, *code.scopes.module_names}:
                    continue
                for name in names:
                    if name in bound and name not in parameters(function):
                        unit = _unit(code, statement)
                        test = f"{name} is not None" if name in unset else name
                        yield code.insert_after("insert-guard", statement, f"if {test}:\n{unit}{text}")


def _set_to_none(function: Function) -> set[str]:
    """The variables of a function that are None at some time."""
    return {
        target.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is None
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def base_cases(code: SourceText) -> Iterator[Replacement]:
    """Adds a base case at the start of a function: for empty input, zero or one, it returns a value."""
    for function in code.scopes.bodies:
        block = next((each for each in _blocks_of(code, function) if each.owner is function), None)
        if block is None or code.own_lines(block.statements[0]) is None:
            continue
        first = block.statements[0]
        unit = code.indent(first)[len(code.indent(function)) :] or "    "
        for name in parameters(function)[:3]:
            if name not in ("self", "cls"):
                for test in _edge_cases(code, name):
                    for value, operator in _base_values(code, function, name).items():
                        yield code.insert_before(operator, first, f"if {test}:\n{unit}return {value}")


def _edge_cases(code: SourceText, name: str) -> list[str]:
    numbers = [f"{name} == 0", f"{name} < 0", f"{name} == 1"] if code.types.name_may_be(name, NUMBERS) else []
    sized = [f"len({name}) == 1"] if code.types.name_may_be(name, SIZED) and not numbers else []
    return [f"not {name}", *numbers, *sized]


def _base_values(code: SourceText, function: Function, name: str) -> dict[str, str]:
    """Values a base case may return, each with its edit class.

    Constants that the function returns or that tests expect, neutral values of its result type, and the parameter.
    A value that occurs in a test only, and is not usual, gets the class `insert-copied-case`: it may fit one test.
    """
    returned = [node.value for node in _own(code, function) if isinstance(node, ast.Return) and node.value]
    constants = [code.text(value) for value in returned if isinstance(value, ast.Constant)]
    types = frozenset().union(*(code.types.of(value) for value in returned))
    guessed = [text for type_name in sorted(types) for text in NEUTRAL_VALUES.get(type_name, ())]
    values = dict.fromkeys([*constants, *code.expected, *(guessed or ["None", "0", "[]"]), name])
    usual = {*constants, *guessed, *_USUAL_RESULTS, name}
    return {value: "insert-base-case" if value in usual else "insert-copied-case" for value in values}


def appends(code: SourceText) -> Iterator[Replacement]:
    """Adds an item to a list or set, after the statement that binds it or at the end of a loop."""
    for function in code.scopes.bodies:
        for block in _blocks_of(code, function):
            for statement in block.statements:
                items = _newly_bound(statement, block)
                if not items or code.own_lines(statement) is None:
                    continue
                for name in code.names(statement):
                    for item in items:
                        yield from _append_calls(code, statement, name, item)


def _append_calls(code: SourceText, statement: ast.stmt, name: str, item: str) -> Iterator[Replacement]:
    for type_name, method in (("list", "append"), ("set", "add")):
        if name != item and code.types.name_may_be(name, frozenset({type_name})) and code.types.of_name(name):
            yield code.insert_after("insert-append", statement, f"{name}.{method}({item})")


def _newly_bound(statement: ast.stmt, block: Block) -> list[str]:
    """Names that a statement binds; at the end of a loop body or a nested block also those bound before it there."""
    if isinstance(statement, _EXITS):
        return []
    names = list(bound_by(statement)) if isinstance(statement, ast.Assign) else []
    if len(names) > 1:
        names.append(f"({', '.join(names)})")
    owner = block.owner
    if isinstance(owner, _LOOPS) and (
        isinstance(statement, ast.For | ast.While | ast.If) or statement is block.statements[-1]
    ):
        place = block.statements.index(statement)
        names += [name for each in block.statements[:place] for name in bound_by(each)]
    if isinstance(owner, ast.For) and statement is block.statements[-1]:
        targets = [each.id for each in ast.walk(owner.target) if isinstance(each, ast.Name)]
        names = [*names, *targets, *([f"({', '.join(targets)})"] if len(targets) > 1 else [])]
    return list(dict.fromkeys(names))


def counts(code: SourceText) -> Iterator[Replacement]:
    """Increments or decrements a number at the end of a block."""
    for function in code.scopes.bodies:
        for block in _blocks_of(code, function):
            last = block.statements[-1]
            if block.owner is function or isinstance(last, _EXITS) or code.own_lines(last) is None:
                continue
            for name in code.names(last):
                if code.types.of_name(name) == {"number"} and name not in code.scopes.module_names:
                    yield code.insert_after("insert-count", last, f"{name} += 1")
                    yield code.insert_after("insert-count", last, f"{name} -= 1")


def _blocks_of(code: SourceText, function: Function) -> Iterator[Block]:
    for block in code.blocks:
        if block.owner is function or code.function(block.owner) is function:
            yield block


def _own(code: SourceText, function: Function) -> Iterator[ast.AST]:
    return (node for node in code.nodes if code.function(node) is function)


def _simple_statements(code: SourceText, function: Function) -> dict[str, frozenset[str]]:
    """Texts of assignments and calls, each with the variables that it reads, in order of appearance."""
    found: dict[str, frozenset[str]] = {}
    for node in _own(code, function):
        simple = isinstance(node, ast.Assign | ast.AugAssign) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        )
        if simple and isinstance(node, ast.stmt) and "\n" not in code.text(node):
            found.setdefault(code.text(node), _needed(code, node))
    return dict(list(found.items())[:_MAX_COPIED])


def _exit_statements(code: SourceText, function: Function) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for node in _own(code, function):
        if isinstance(node, ast.Return) and "\n" not in code.text(node):
            found.setdefault(code.text(node), _needed(code, node))
    return found | {"break": frozenset(), "continue": frozenset()}


def _needed(code: SourceText, statement: ast.stmt) -> frozenset[str]:
    """The variables that a statement reads."""
    names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    bound = set() if isinstance(statement, ast.AugAssign) else set(bound_by(statement))
    reads = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return frozenset((names & set(code.names(statement))) - (bound - reads))


def _unit(code: SourceText, statement: ast.stmt) -> str:
    """One level of indentation, as in this statement's own block."""
    inner = code.indent(statement.body[0])  # type: ignore[attr-defined]
    return inner[len(code.indent(statement)) :] or "    "
