"""Cache of rewritten statements, by their text and by all that their rewriting depends on.

A search over edits decomposes thousands of programs that differ in a line or two; the lines beside the edit come from
this cache. It is right because a rule depends on nothing but the facts of the program, the state of the body and the
statement itself. Knows no rule.
"""

import ast
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import count
from typing import Generic, TypeVar

from envs.bounded_cache import MIB
from envs.execution.decompose.function_body import FunctionBody
from envs.execution.decompose.line_writer import WrittenLine
from envs.execution.syntax.program_structure import first_line

Value = TypeVar("Value")
MOST_STATEMENT_BYTES = 16 * MIB
MOST_BODY_BYTES = 4 * MIB
_STATEMENT_BYTES, _BODY_BYTES, _BYTES_A_CHARACTER = 2_000, 4_000, 20
"""Estimates: of a statement and of a body without their texts, and of a character."""


class _Recent(Generic[Value]):
    """Values by key, of at most so many bytes by estimate; the least recently used half is dropped first."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes // 2
        self._held = 0
        self._young: dict[Hashable, Value] = {}
        self._old: dict[Hashable, Value] = {}

    def get(self, key: Hashable, size: int) -> Value | None:
        found = self._young.get(key)
        if found is None and (found := self._old.get(key)) is not None:
            self.put(key, found, size)
        return found

    def put(self, key: Hashable, value: Value, size: int) -> None:
        if self._held > self._most:
            self._old, self._young, self._held = self._young, {}, 0
        self._young[key] = value
        self._held += size


_Names = tuple[frozenset[str], frozenset[str], tuple[tuple[str, int], ...]]
"""Names given so far, those given to comprehension variables, and the counters."""


@dataclass(frozen=True, slots=True)
class _Written:
    """What a rule wrote for a statement, and how it left the body."""

    line: int
    """Of the statement, when this was written."""
    depth: int
    lines: tuple[WrittenLine, ...]
    unrolled: tuple[tuple[int, str], ...]
    """Counted from the line before the first that was written."""
    origin: int
    remark: str | None
    bound: frozenset[str] | None
    names: _Names
    introduced: frozenset[str]


_statements = _Recent[_Written](MOST_STATEMENT_BYTES)
_bodies = _Recent[int](MOST_BODY_BYTES)
_numbers = count(1)


def cached_rewrite(body: FunctionBody, node: ast.stmt, write: Callable[[], None]) -> None:
    """Lets `write` write the statement, or writes what it wrote when all that it depends on was the same."""
    source, last, writer = body.program.lines, getattr(node, "end_lineno", None), body.writer
    if not source or last is None or writer.remark is not None:
        write()
        return
    text = "\n".join(source[first_line(node) - 1 : last])
    names, around = _names(body), (tuple(body.renames.items()), tuple(body.handlers))
    key = (text, node.col_offset, node.end_col_offset, _surroundings(body), body.bound, names, around)
    size = _STATEMENT_BYTES + _BYTES_A_CHARACTER * len(text)
    found = _statements.get(key, size)
    if found is None:
        _statements.put(key, _noted(body, node, write), size)
    else:
        _write_again(body, node, found, names)


def _surroundings(body: FunctionBody) -> int:
    """A number for what is the same for all statements of a body; equal surroundings have the same."""
    if body.surroundings is None:
        key = (body.program, body.scope, frozenset(body.kinds.items()))
        number = _bodies.get(key, _BODY_BYTES)
        if number is None:
            number = next(_numbers)
            _bodies.put(key, number, _BODY_BYTES)
        body.surroundings = number
    return body.surroundings


def _names(body: FunctionBody) -> _Names:
    names = body.names
    return frozenset(names.given), frozenset(names.variables), tuple(names.counters.items())


def _noted(body: FunctionBody, node: ast.stmt, write: Callable[[], None]) -> _Written:
    writer, names = body.writer, body.names
    start, unrolled, introduced = len(writer.lines), len(writer.unrolled), names.introduced
    names.introduced = set()  # those of functions inside are added to the same
    write()
    added = frozenset(names.introduced)
    names.introduced = introduced
    introduced |= added
    return _Written(
        node.lineno,
        writer.depth,
        tuple(writer.lines[start:]),
        tuple((line - start, operation) for line, operation in writer.unrolled[unrolled:]),
        writer.origin,
        writer.remark,
        body.bound,
        _names(body),
        added,
    )


def _write_again(body: FunctionBody, node: ast.stmt, written: _Written, before: _Names) -> None:
    writer, start = body.writer, len(body.writer.lines)
    deeper, later = writer.depth - written.depth, node.lineno - written.line
    if deeper or later:
        writer.lines += [
            WrittenLine(line.depth + deeper, line.text, line.origin + later, line.atomic) for line in written.lines
        ]
    else:
        writer.lines += written.lines
    writer.unrolled += [(line + start, operation) for line, operation in written.unrolled]
    writer.origin, writer.remark, body.bound = written.origin + later, written.remark, written.bound
    if written.names != before:
        given, variables, counters = written.names
        body.names.given, body.names.variables, body.names.counters = set(given), set(variables), dict(counters)
    body.names.introduced |= written.introduced
