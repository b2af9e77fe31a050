"""Writes frames as pieces (marks and the text between them) in the format of Meta's CWM; knows no tokenizer or model.

    START source FRAME                                   the prompt; the entry line carries a marker
    CALL|LINE locals ACTION source-line FRAME            locals: a JSON object of reprs, `..` for an unchanged one
    RETURN|EXCEPTION ACTION source-line ARG value FRAME  value: a JSON string of a repr
    END                                                  the run is over

`..` stands for a value that was written before in the same function since control last entered it; after a call the
caller's values are written out again, since readers of the format do not look past a return.
"""

import json
from collections.abc import Iterable, Iterator
from enum import Enum

from cwm_agent.views.history.history_state import HistoryState
from envs.bounded_cache import MIB, bounded_cache
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Bindings, Event
from envs.execution.state.history_frames import HistoryFrame

MARKER = "  # << START_OF_TRACE"
SAME = ".."


class Mark(Enum):
    """A separator that is no text: a single token in every encoding."""

    START = "start"
    FRAME = "frame"
    ACTION = "action"
    RETURN = "return"
    CALL = "call"
    LINE = "line"
    EXCEPTION = "exception"
    ARG = "arg"
    END = "end"


Piece = Mark | str
EVENT_MARKS: dict[Event, Mark] = {
    "call": Mark.CALL,
    "line": Mark.LINE,
    "return": Mark.RETURN,
    "exception": Mark.EXCEPTION,
}
MARK_EVENTS = {mark: event for event, mark in EVENT_MARKS.items()}


@bounded_cache(4 * MIB)
def marked_source(program: Program) -> str:
    """Return the source with the marker behind the line on which the entry function is defined."""
    wanted = [line for name, line in program.layout.functions if name == program.entry]
    lines = list(program.lines)
    if wanted:  # if a name is defined twice the last definition counts
        lines[max(wanted) - 1] += MARKER
    return "\n".join(lines) + "\n"


def prompt(program: Program, frames: Iterable[HistoryFrame]) -> Iterator[Piece]:
    """Yield the program and its frames so far, up to the beginning of the next frame."""
    yield from (Mark.START, marked_source(program), Mark.FRAME)
    standing = HistoryState()
    for frame in frames:
        yield from written(frame, standing)
        standing = standing.then(frame)


def written(frame: HistoryFrame, standing: HistoryState) -> tuple[Piece, ...]:
    """Return one frame with its closing separator; `standing` is the state of the history before it."""
    head = (EVENT_MARKS[frame.event],)
    if frame.event in ("call", "line"):
        return (*head, locals_text(frame, standing), Mark.ACTION, frame.action, Mark.FRAME)
    return (*head, Mark.ACTION, frame.action, Mark.ARG, quoted(frame.arg or "None"), Mark.FRAME)


def locals_text(frame: HistoryFrame, standing: HistoryState) -> str:
    """Return the locals as JSON, with `..` for unchanged ones."""
    before = dict(reference(standing, frame.event, frame.depth))
    rows = {name: SAME if before.get(name) == text else text for name, text in frame.locals}
    return _escaped(json.dumps(rows))


def reference(standing: HistoryState, event: Event, depth: int) -> Bindings:
    """Return the values that `..` refers to in a frame of that event and depth."""
    if event != "line" or standing.depth < depth:
        return ()
    level = standing.levels[depth - 1]
    return level.locals if level.said and standing.depth == depth else ()


def quoted(text: str) -> str:
    """Return a value as a JSON string."""
    return _escaped(json.dumps(text))


def _escaped(text: str) -> str:
    """Return JSON that cannot spell a special token of any tokenizer: `<|` opens them all."""
    return text.replace("<|", "\\u003c|")
