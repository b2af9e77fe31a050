"""Builds the first frame of a call in the history view, from text alone; runs nothing and knows no oracle."""

from collections.abc import Mapping
from typing import Any

from envs.execution.decompose.program import Program
from envs.execution.sources.source_set import SOURCE_NAMES
from envs.execution.state.frames import Bindings, Outcome
from envs.execution.state.history_frames import HistoryFrame
from envs.execution.state.value_grammar import expanded
from envs.execution.stepper.first_frame import first_frame


def history_call(
    program: Program, arguments: str, lent: Bindings = (), world: Mapping[str, Any] | None = None
) -> HistoryFrame | Outcome:
    """Return the first frame of a history, or the outcome of a call that Python refuses.

    It is the one frame that shows the sources of the `world`, if the program reads any. Raises Unsupported if only a
    real run can tell; `lent` are module variables taken from a real run.
    """
    found = first_frame(program, arguments, lent, world)
    if isinstance(found, Outcome):
        return found
    heap = dict(found.heap)
    rows = tuple((name, expanded(text, heap)) for name, text in found.locals)
    rows = _ordered(program, found.function, found.line, rows)
    sources = tuple(row for row in found.globals if row[0] in SOURCE_NAMES)
    return HistoryFrame("call", program.lines[found.line - 1], (found.line,), (*rows, *sources))


def _ordered(program: Program, function: str, line: int, rows: Bindings) -> Bindings:
    """Return bindings in the order in which a function names its variables."""
    code = program.codes().get((function, line))
    names = list(code.co_varnames) if code is not None else []
    return tuple(sorted(rows, key=lambda row: names.index(row[0]) if row[0] in names else len(names)))
