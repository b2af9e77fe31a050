"""Live temporaries of a function whose exceptions all leave it: each block is gone through from its end.

A loop is gone through twice. What is live at its head is what would be if it were never entered again: the way round
only passes on what it finds there. So the first time tells the head, and the second all lines inside. For every other
function the caller uses the graph (`liveness.py`). Which names a line reads and writes is cached by its text.
"""

import ast
from collections.abc import Mapping, Sequence

from envs.execution.syntax.bindings import accesses
from envs.execution.syntax.program_structure import Function, body_of, is_quiet, is_while_true, nodes_of, own_parts

_HARD = frozenset({ast.Try, ast.TryStar, ast.With, ast.AsyncWith, ast.Match, ast.AsyncFor})
_DEFINING = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef})
_Names = tuple[tuple[str, ...], tuple[str, ...]]
_MOST_KNOWN = 20_000
_known: dict[str, _Names] = {}
"""What lines read and write, by their text."""


class _Hard(Exception):
    """A statement whose exceptions may stay inside, or with code of its own on several lines."""


def live_in_blocks(node: Function, bits: Mapping[str, int], texts: Sequence[str]) -> dict[int, int] | None:
    """What is live before each line of a function; None where only a graph can tell."""
    blocks = _Blocks(bits, texts)
    try:
        blocks.suite(body_of(node), 0, 0, 0)
    except _Hard:
        return None
    return blocks.live


class _Blocks:
    """Goes through the blocks of one function."""

    def __init__(self, bits: Mapping[str, int], texts: Sequence[str]) -> None:
        self.live: dict[int, int] = {}
        self._bits = bits
        self._texts = texts
        self._lines: dict[int, tuple[int, int]] = {}
        self._final = True
        """Whether what is live after the lines now gone through is known, not only for the head of a loop."""

    def suite(self, steps: Sequence[ast.stmt], after: int, end: int, head: int) -> int:
        """What is live before a block: `after` follows it, `end` and `head` a `break` and a `continue` in it."""
        for step in reversed(steps):
            if not is_quiet(step):
                after = self._step(step, after, end, head)
        return after

    def _step(self, step: ast.stmt, after: int, end: int, head: int) -> int:
        reads, writes = self._lines.get(step.lineno) or self._masks(step)
        kind = type(step)
        if kind is ast.For or kind is ast.While:
            return self._loop(step, reads, writes, after, end, head)  # type: ignore[arg-type]
        if kind is ast.If:
            after = self.suite(step.body, after, end, head) | self.suite(step.orelse, after, end, head)  # type: ignore[attr-defined]
        elif kind is ast.Return or kind is ast.Raise:
            after = 0
        elif kind is ast.Break:
            after = end
        elif kind is ast.Continue:
            after = head
        now = self.live[step.lineno] = reads | (after & ~writes)
        return now

    def _loop(self, step: ast.For | ast.While, reads: int, writes: int, after: int, end: int, head: int) -> int:
        stopped = self.suite(step.orelse, after, end, head)
        if is_while_true(step):
            stopped = 0
        final, self._final = self._final, False
        inside = self.suite(step.body, 0, after, 0)
        self._final = final
        now = self.live[step.lineno] = reads | ((inside | stopped) & ~writes)
        if final:
            self.suite(step.body, now, after, now)
        return now

    def _masks(self, step: ast.stmt) -> tuple[int, int]:
        """The temporaries that the line reads, and those it writes."""
        line = step.lineno
        if _last_line(step) != line:
            raise _Hard
        read, written = _names_of(step, self._texts[line - 1])
        found = self._lines[line] = self._mask(read), self._mask(written)
        return found

    def _mask(self, names: Sequence[str]) -> int:
        mask = 0
        for name in names:
            mask |= self._bits.get(name, 0)
        return mask


def _last_line(step: ast.stmt) -> int | None:
    """The last line of a statement's own code; None where its exceptions may stay inside."""
    kind = type(step)
    if kind is ast.If or kind is ast.While:
        return step.test.end_lineno  # type: ignore[attr-defined, no-any-return]
    if kind is ast.For:
        return step.iter.end_lineno  # type: ignore[attr-defined, no-any-return]
    if kind in _DEFINING:
        lines = [step.lineno]
        for part in _header(step):
            lines += [getattr(part, "lineno", step.lineno), getattr(part, "end_lineno", step.lineno)]
        return max(lines) if min(lines) == step.lineno else None
    return None if kind in _HARD else step.end_lineno


def _header(step: ast.stmt) -> list[ast.AST]:
    """The nodes of a statement's own code."""
    match step:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            parts = [*step.decorator_list, step.args, *([step.returns] if step.returns else [])]
        case _:
            parts = own_parts(step)
    return [node for part in parts for node in nodes_of(part)]


def _names_of(step: ast.stmt, text: str) -> _Names:
    """Names that a line reads and names it writes."""
    found = _known.get(text)
    if found is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        found = _known[text] = _looked_up(step)
    return found


def _looked_up(step: ast.stmt) -> _Names:
    nodes = [*_header(step), step] if isinstance(step, ast.FunctionDef) else _header(step)
    found = [(name, bound) for name, _, bound in accesses(nodes)]
    return tuple([name for name, bound in found if not bound]), tuple([name for name, bound in found if bound])
