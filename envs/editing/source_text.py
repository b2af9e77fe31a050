"""A program as text and syntax tree: positions of nodes, visible names, and replacements.

A family of edits takes a `SourceText` and yields `Replacement`s. Annotations, decorators, docstrings and headers of
definitions are never edited. Knows no family.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from envs.editing import precedence
from envs.editing.class_members import ClassFacts, ClassMembers, receiver
from envs.editing.edit import Edit
from envs.editing.guessed_types import GuessedTypes
from envs.editing.variable_scopes import Function, Scopes
from envs.execution.syntax.program_structure import program_warnings_ignored
from tasks.reading.program_text import source_lines

_LOOPS = (ast.For, ast.While, ast.AsyncFor)
_MAX_ATTRIBUTES = 3


@dataclass(frozen=True, slots=True)
class Replacement:
    """A replacement of source[start:end] by `after`; whether the result compiles is not known yet."""

    operator: str
    start: int
    end: int
    after: str


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive statements at one indentation, and the node that they belong to."""

    owner: ast.AST
    field: str
    statements: tuple[ast.stmt, ...]


class SourceText:
    """One parsed program with its index of nodes, blocks and scopes."""

    def __init__(self, source: str, expected: tuple[str, ...] = ()) -> None:
        self.source = source
        self.expected = expected
        """Constants that visible tests expect as results."""
        with program_warnings_ignored():
            self.tree = ast.parse(source)
        self._lines = source_lines(source) or [""]
        self._starts = [0, *accumulate(map(len, self._lines))]
        self.parents: dict[ast.AST, ast.AST] = {}
        self.nodes: list[ast.AST] = list(self._walk(self.tree))
        """Every node that may be edited, outermost first."""
        self.scopes = Scopes(self.tree)
        self.types = GuessedTypes(self.tree)
        self.members = ClassMembers(self.tree)
        self._attributes: dict[ast.stmt, list[str]] = {}

    def _walk(self, node: ast.AST) -> Iterator[ast.AST]:
        for child in _code_of(node):
            self.parents[child] = node
            if isinstance(child, ast.JoinedStr) and not self._positions_hold(child):
                continue
            yield child
            yield from self._walk(child)

    def _positions_hold(self, text: ast.JoinedStr) -> bool:
        """Whether the parser gives right positions inside this f-string; before Python 3.12 it may not."""
        parts = [part.value for part in text.values if isinstance(part, ast.FormattedValue)]
        return all(_parses_as(self.text(part), part) for part in parts)

    # Positions

    def offset(self, line: int, column: int) -> int:
        """Character offset of a place that the tree gives as line and byte."""
        text = self._lines[line - 1]
        return self._starts[line - 1] + (column if text.isascii() else len(text.encode()[:column].decode()))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Character offsets of the start and end of a node."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.offset(node.lineno, node.col_offset)
        return start, self.offset(node.end_lineno, node.end_col_offset)

    def text(self, node: ast.expr | ast.stmt) -> str:
        """The source text of a node."""
        start, end = self.span(node)
        return self.source[start:end]

    def loads(self, *types: type[ast.expr]) -> Iterator[ast.expr]:
        """The expressions of these types whose value is read, outermost first."""
        for node in self.nodes:
            if isinstance(node, types or ast.expr) and _is_read(node):
                yield node

    def statements(self, *types: type[ast.stmt]) -> Iterator[ast.stmt]:
        """The statements of these types, outermost first."""
        return (node for node in self.nodes if isinstance(node, types))

    # Context of a node

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that contains a node."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def function(self, node: ast.AST) -> Function | None:
        """The innermost function around a node; None at module level."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, Function):
                return node
        return None

    def loop(self, statement: ast.stmt) -> ast.stmt | None:
        """The innermost loop around a statement in its function; None if there is none."""
        node: ast.AST = statement
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, _LOOPS):
                return node
            if isinstance(node, Function | ast.ClassDef):
                return None
        return None

    def is_callee(self, node: ast.expr) -> bool:
        """Whether a node is the function part of a call."""
        parent = self.parents[node]
        return isinstance(parent, ast.Call) and parent.func is node

    def names(self, node: ast.AST) -> tuple[str, ...]:
        """The variables that are bound at a node, innermost scope first."""
        return self.scopes.visible(node, self.statement(node), self.parents)

    def near_names(self, node: ast.AST, limit: int) -> list[str]:
        """At most `limit` local variables that are bound at a node, the last bound ones first, then attributes.

        Of the attributes of a method's object, such as `self.size`, the first `_MAX_ATTRIBUTES` are added.
        """
        own = [name for name in self.names(node) if name not in self.scopes.module_names][::-1][:limit]
        return [*own, *self.own_attributes(node)[:_MAX_ATTRIBUTES]]

    def method(self, node: ast.AST) -> tuple[ClassFacts, Function, str] | None:
        """The class, the method and the name of the method's object around a node; None outside methods."""
        function = self.function(node)
        while function is not None:
            name = receiver(function, self.parents)
            if name is not None:
                return self.members.classes[self.parents[function].name], function, name  # type: ignore[attr-defined]
            function = self.function(function)
        return None

    def own_attributes(self, node: ast.AST) -> list[str]:
        """Texts such as `self.size` that can be read at a node, those first that its method mentions."""
        if not self.members.classes:
            return []
        statement = self.statement(node)
        if statement not in self._attributes:
            self._attributes[statement] = self._attributes_at(statement)
        return self._attributes[statement]

    def _attributes_at(self, statement: ast.stmt) -> list[str]:
        if (found := self.method(statement)) is None:
            return []
        own, method, name = found
        return [f"{name}.{each}" for each in self.members.readable(own, method, statement.lineno)]

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Every block of statements except class bodies and the module body, outermost first."""
        found = []
        for node in self.nodes:
            for field in ("body", "orelse", "finalbody"):
                block = getattr(node, field, None)
                if isinstance(block, list) and block and not isinstance(node, ast.ClassDef):
                    found.append(Block(node, field, tuple(_without_docstring(node, block))))
        return tuple(block for block in found if block.statements)

    @cached_property
    def block_of(self) -> dict[ast.stmt, Block]:
        """The block of each statement."""
        return {statement: block for block in self.blocks for statement in block.statements}

    # Replacements

    def replace(self, operator: str, node: ast.expr, text: str, level: int = precedence.ATOM) -> Replacement:
        """Replaces an expression by a text of this precedence level; adds parentheses where Python needs them."""
        start, end = self.span(node)
        if level < precedence.needed(self.parents[node], node) and not self._enclosed(start, end):
            text = f"({text})"
        return Replacement(operator, start, end, text)

    def operand(self, node: ast.expr, needed: int) -> str:
        """The text of an expression as an operand, in parentheses if its precedence is below `needed`."""
        text = self.text(node)
        return f"({text})" if precedence.of(node) < needed else text

    def _enclosed(self, start: int, end: int) -> bool:
        return self.source[:start].rstrip().endswith("(") and self.source[end:].lstrip().startswith(")")

    def own_lines(self, statement: ast.stmt) -> tuple[int, int] | None:
        """Offsets of the whole lines of a statement; None if it shares a line with other code or has decorators."""
        assert statement.end_lineno is not None
        start, end = self._starts[statement.lineno - 1], self._starts[statement.end_lineno]
        first, last = self.span(statement)
        before, after = self.source[start:first], self.source[last:end].strip()
        if before.strip() or (after and not after.startswith("#")) or getattr(statement, "decorator_list", None):
            return None
        return start, end

    def indent(self, statement: ast.stmt) -> str:
        """The indentation of a statement."""
        line = self._lines[statement.lineno - 1]
        return line[: len(line) - len(line.lstrip())]

    def insert_after(self, operator: str, statement: ast.stmt, text: str, indent: str | None = None) -> Replacement:
        """Inserts lines after a statement, at its indentation or at `indent`."""
        assert statement.end_lineno is not None
        end = self._starts[statement.end_lineno]
        end -= self._lines[statement.end_lineno - 1].endswith("\n")
        indent = self.indent(statement) if indent is None else indent
        return Replacement(operator, end, end, "".join(f"\n{indent}{line}" for line in text.splitlines()))

    def insert_before(self, operator: str, statement: ast.stmt, text: str) -> Replacement:
        """Inserts lines before a statement, at its indentation."""
        start = self._starts[statement.lineno - 1]
        indent = self.indent(statement)
        return Replacement(operator, start, start, "".join(f"{indent}{line}\n" for line in text.splitlines()))

    def edit(self, replacement: Replacement) -> Edit:
        """The edit that a replacement makes."""
        line = self.source.count("\n", 0, replacement.start)
        column = replacement.start - self._starts[line]
        before = self.source[replacement.start : replacement.end]
        return Edit(line + 1, column, before, replacement.after, operator=replacement.operator)

    @cached_property
    def _definitions(self) -> list[tuple[int, int]]:
        """Line spans of the top-level definitions; empty if a `__future__` import changes how they compile."""
        if any(isinstance(each, ast.ImportFrom) and each.module == "__future__" for each in self.tree.body):
            return []
        found = [self.own_lines(each) for each in self.tree.body if isinstance(each, Function | ast.ClassDef)]
        return [lines for lines in found if lines is not None]

    def enclosing_definition(self, replacement: Replacement) -> tuple[int, int]:
        """The span that must be compiled to check a replacement: one top-level definition, or the whole program."""
        within = (each for each in self._definitions if each[0] < replacement.start and replacement.end <= each[1])
        return next(within, (0, len(self.source)))


def _code_of(node: ast.AST) -> Iterable[ast.AST]:
    """The children of a node that may be edited."""
    match node:
        case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body):
            defaults = [*node.args.defaults, *(each for each in node.args.kw_defaults if each)]
            return [*defaults, *_without_docstring(node, body)]
        case ast.ClassDef(body=body) | ast.Module(body=body):
            return _without_docstring(node, body)
        case ast.AnnAssign(target=target, value=value):
            return [target, *([value] if value else [])]
        case ast.Import() | ast.ImportFrom() | ast.Global() | ast.Nonlocal():
            return []
        case ast.arguments():
            return []
    return ast.iter_child_nodes(node)


def _without_docstring(node: ast.AST, body: list[ast.stmt]) -> list[ast.stmt]:
    if not isinstance(node, Function | ast.ClassDef | ast.Module) or not body:
        return body
    match body[0]:
        case ast.Expr(value=ast.Constant(value=str())):
            return body[1:]
    return body


def _is_read(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Load | None)


def _parses_as(text: str, node: ast.expr) -> bool:
    try:
        with program_warnings_ignored():
            return ast.dump(ast.parse(f"({text})", mode="eval").body) == ast.dump(node)
    except SyntaxError:
        return False
