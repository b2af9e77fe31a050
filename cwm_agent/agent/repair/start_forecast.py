"""Says, without decomposing a candidate, whether its tests begin as those of the buggy program do.

A search begins 256 candidates side by side and may end after thirty of them, so a candidate is decomposed when its
first rollout advances. But a call that Python refuses, or a program that cannot be followed, must be known at once: it
finishes before any rollout. Where a candidate differs from the buggy program inside the body of one function alone, and
names nothing there that changes how programs begin, its tests begin as before. Runs nothing.
"""

import ast
import re
from dataclasses import dataclass

from envs.editing.fingerprint import fingerprint
from envs.execution.sources.source_use import used_sources
from tasks.reading.program_text import source_lines

_WORD = re.compile(r"[^\W\d]\w*|[@\\]|\"\"\"|'''")
_RISKY = frozenset(
    "async await class def from global import nonlocal with yield random input open time datetime "
    "@ \\ \"\"\" '''".split()
)
"""Words of a changed line for which nothing is said: new scopes, modules and sources, and texts over several lines."""


@dataclass(frozen=True, slots=True)
class _Body:
    """The lines of a function's body, counted from 0, and the white space in front of its first statement."""

    first: int
    after: int
    indent: str


@dataclass(frozen=True, slots=True)
class StartForecast:
    """The buggy program, with the bodies of its functions; none where its module level holds more than functions."""

    lines: tuple[str, ...]
    bodies: tuple[_Body, ...]

    @classmethod
    def of(cls, source: str) -> "StartForecast":
        """The forecast for edits of a program that can be parsed."""
        lines, tree = tuple(source_lines(source)), ast.parse(source)
        plain = all(map(_is_plain, tree.body)) and not used_sources(source)
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)] if plain else []
        return cls(lines, tuple(body for node in functions if (body := _body(node, lines)) is not None))

    def is_same(self, source: str) -> bool:
        """Whether the tests of a candidate surely begin as the buggy program's do."""
        after, before = source_lines(source), self.lines
        shorter = min(len(before), len(after))
        first = next((at for at in range(shorter) if before[at] != after[at]), shorter)
        last = next((at for at in range(shorter - first) if before[-1 - at] != after[-1 - at]), shorter - first)
        old, new = before[first : len(before) - last], after[first : len(after) - last]
        return (
            any(self._holds(body, first, len(before) - last, new) for body in self.bodies)
            and _RISKY.isdisjoint(_WORD.findall("".join((*old, *new))))
            and fingerprint(source) is not None
        )

    @staticmethod
    def _holds(body: _Body, first: int, after: int, new: list[str]) -> bool:
        """Whether the lines from `first` to `after` stand in a body, and what takes their place does too."""
        return body.first <= first and after <= body.after and all(line.startswith(body.indent) for line in new)


def _is_plain(node: ast.stmt) -> bool:
    """Whether a statement of the module is an import, a text, a function without decorators, or a literal variable."""
    match node:
        case ast.FunctionDef():
            return not node.decorator_list
        case ast.Assign(targets=[ast.Name()], value=value) | ast.Expr(ast.Constant() as value):
            return _is_literal(value)
    return isinstance(node, ast.Import | ast.ImportFrom)


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _body(node: ast.FunctionDef, lines: tuple[str, ...]) -> _Body | None:
    """The lines of a function's body; None where it begins on the line of the header."""
    first, statement = node.body[0].lineno - 1, node.body[0]
    indent = lines[first][: statement.col_offset]
    return _Body(first, node.end_lineno or first, indent) if indent.isspace() else None
