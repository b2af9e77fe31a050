"""A program as text and tree at once: what stands where, what may be named there, and how to replace it.

Families of edits ask a Page and yield Drafts. Only code is offered: no annotations, decorators, docstrings or
headers of definitions. Knows no family.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from envs.editing import precedence
from envs.editing.edit import Edit
from envs.editing.guessed_types import GuessedTypes
from envs.editing.variable_scopes import Scopes

Function = ast.FunctionDef | ast.AsyncFunctionDef
_LOOPS = (ast.For, ast.While, ast.AsyncFor)


@dataclass(frozen=True, slots=True)
class EditDraft:
    """A replacement by place in the text, before it is known to compile."""

    operator: str
    start: int
    end: int
    after: str


@dataclass(frozen=True, slots=True)
class Block:
    """Statements that follow each other at one indentation, and what they belong to."""

    owner: ast.AST
    field: str
    statements: tuple[ast.stmt, ...]

    def after(self, statement: ast.stmt) -> ast.stmt | None:
        """The statement that follows in this block."""
        place = self.statements.index(statement) + 1
        return self.statements[place] if place < len(self.statements) else None


class SourceText:
    """One program, parsed and indexed."""

    def __init__(self, source: str, wanted: tuple[str, ...] = ()) -> None:
        self.source = source
        self.wanted = wanted
        """Constants that the program should give back for some arguments."""
        self.tree = ast.parse(source)
        self._lines = source.splitlines(keepends=True) or [""]
        self._starts = [0, *accumulate(map(len, self._lines))]
        self.parents: dict[ast.AST, ast.AST] = {}
        self.nodes: list[ast.AST] = list(self._walk(self.tree))
        """Every node that may be edited, outermost first."""
        self.scopes = Scopes(self.tree)
        self.kinds = GuessedTypes(self.tree, self.scopes)

    def _walk(self, node: ast.AST) -> Iterator[ast.AST]:
        for child in _code_of(node):
            self.parents[child] = node
            if isinstance(child, ast.JoinedStr) and not self._positions_hold(child):
                continue
            yield child
            yield from self._walk(child)

    def _positions_hold(self, text: ast.JoinedStr) -> bool:
        """Whether the parser says where the parts of this f-string stand; before Python 3.12 it may not."""
        parts = [part.value for part in text.values if isinstance(part, ast.FormattedValue)]
        return all(_parses_as(self.text(part), part) for part in parts)

    # What stands where

    def offset(self, line: int, column: int) -> int:
        """Characters before a place that the tree gives as line and byte."""
        text = self._lines[line - 1]
        return self._starts[line - 1] + (column if text.isascii() else len(text.encode()[:column].decode()))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Where a node begins and ends in the source."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.offset(node.lineno, node.col_offset)
        return start, self.offset(node.end_lineno, node.end_col_offset)

    def text(self, node: ast.expr | ast.stmt) -> str:
        """A node as it is written."""
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

    # What surrounds a node

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that a node belongs to."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def function(self, node: ast.AST) -> Function | None:
        """The function that a node stands in; None at module level."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, Function):
                return node
        return None

    def loop(self, statement: ast.stmt) -> ast.stmt | None:
        """The innermost loop around a statement, within its function."""
        node: ast.AST = statement
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, _LOOPS):
                return node
            if isinstance(node, Function | ast.ClassDef):
                return None
        return None

    def names(self, node: ast.AST) -> tuple[str, ...]:
        """The variables that have a value where a node stands, in order of appearance."""
        return self.scopes.visible(node, self.statement(node), self.parents)

    def near_names(self, node: ast.AST, most: int) -> list[str]:
        """The function's own variables, those bound last before a node first, so many at most."""
        own = [name for name in self.names(node) if name not in self.scopes.data]
        return own[::-1][:most]

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Every run of statements in functions, outermost first."""
        found = []
        for node in self.nodes:
            for field in ("body", "orelse", "finalbody"):
                block = getattr(node, field, None)
                if isinstance(block, list) and block and not isinstance(node, ast.ClassDef):
                    found.append(Block(node, field, tuple(_without_docstring(node, block))))
        return tuple(block for block in found if block.statements)

    @cached_property
    def block_of(self) -> dict[ast.stmt, Block]:
        """The block of each statement in a function."""
        return {statement: block for block in self.blocks for statement in block.statements}

    # Replacing

    def replace(self, operator: str, node: ast.expr, text: str, binds: int = precedence.ATOM) -> EditDraft:
        """Another expression in the place of one; parentheses are put where Python needs them."""
        start, end = self.span(node)
        if binds < precedence.needed(self.parents[node], node) and not self._enclosed(start, end):
            text = f"({text})"
        return EditDraft(operator, start, end, text)

    def operand(self, node: ast.expr, needed: int) -> str:
        """An expression as an operand of something that needs this much binding."""
        text = self.text(node)
        return f"({text})" if precedence.of(node) < needed else text

    def _enclosed(self, start: int, end: int) -> bool:
        return self.source[:start].rstrip().endswith("(") and self.source[end:].lstrip().startswith(")")

    def own_lines(self, statement: ast.stmt) -> tuple[int, int] | None:
        """Where the whole lines of a statement begin and end; None where it shares a line with another."""
        assert statement.end_lineno is not None
        start, end = self._starts[statement.lineno - 1], self._starts[statement.end_lineno]
        first, last = self.span(statement)
        before, after = self.source[start:first], self.source[last:end].strip()
        if before.strip() or (after and not after.startswith("#")) or getattr(statement, "decorator_list", None):
            return None
        return start, end

    def indent(self, statement: ast.stmt) -> str:
        """The blanks before a statement."""
        line = self._lines[statement.lineno - 1]
        return line[: len(line) - len(line.lstrip())]

    def insert_after(self, operator: str, statement: ast.stmt, text: str, indent: str | None = None) -> EditDraft:
        """Lines put behind a statement, at its indentation or another."""
        assert statement.end_lineno is not None
        end = self._starts[statement.end_lineno]
        end -= self._lines[statement.end_lineno - 1].endswith("\n")
        indent = self.indent(statement) if indent is None else indent
        return EditDraft(operator, end, end, "".join(f"\n{indent}{line}" for line in text.splitlines()))

    def insert_before(self, operator: str, statement: ast.stmt, text: str) -> EditDraft:
        """Lines put before a statement, at its indentation."""
        start = self._starts[statement.lineno - 1]
        indent = self.indent(statement)
        return EditDraft(operator, start, start, "".join(f"{indent}{line}\n" for line in text.splitlines()))

    def edit(self, draft: EditDraft) -> Edit:
        """A draft as an edit."""
        line = self.source.count("\n", 0, draft.start)
        column = draft.start - self._starts[line]
        return Edit(line + 1, column, self.source[draft.start : draft.end], draft.after, draft.operator)

    @cached_property
    def _parts(self) -> list[tuple[int, int]]:
        """Where the top-level definitions stand, whole lines each; none where a `__future__` changes what they mean."""
        if any(isinstance(each, ast.ImportFrom) and each.module == "__future__" for each in self.tree.body):
            return []
        found = [self.own_lines(each) for each in self.tree.body if isinstance(each, Function | ast.ClassDef)]
        return [lines for lines in found if lines is not None]

    def part(self, draft: EditDraft) -> tuple[int, int]:
        """The part of the program that decides whether a draft compiles and what it means: one definition, or all."""
        within = (each for each in self._parts if each[0] < draft.start and draft.end <= each[1])
        return next(within, (0, len(self.source)))


def _code_of(node: ast.AST) -> Iterable[ast.AST]:
    """The children that are code."""
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
        return ast.dump(ast.parse(f"({text})", mode="eval").body) == ast.dump(node)
    except SyntaxError:
        return False
