"""Writes and reads frames as lines of plain text: a few-shot prompt for models without the special tokens.

    call {"a": "1", "b": "2"} => def f(a, b):
    line {"a": "..", "b": ".."} =>     a = a + b
    return "3" =>     return a
    exception "ZeroDivisionError: ..." =>     return 1 // a
    end

One frame a line: the event, the locals (or the value returned or raised) as JSON, and behind ` => ` the source line as
written, indentation included. The prompt explains this, shows two example runs, then the known frames of the program's
own run. A line is split into pieces and then read by `meta_tokens.py`. Knows no backend.
"""

import json
from collections.abc import Iterator

from cwm_agent.oracles.formats.meta_tokens import read
from cwm_agent.oracles.history_protocol import Ended, HistoryQuery, Malformed
from cwm_agent.views.history.frame_format import EVENT_MARKS, MARK_EVENTS, Mark, Piece, marked_source, prompt
from envs.execution.state.frames import Event
from envs.execution.state.history_frames import HistoryFrame

ARROW = " => "
END = "end"
_EVENTS: dict[str, Event] = {event: event for event in EVENT_MARKS}
INTRODUCTION = """\
Runs of Python programs, one step a line. A step says what happens (call, line, return or exception), then the local
variables, or what is returned or raised, as JSON of their reprs, and behind the arrow the line of the program that runs
next, as it is written. ".." stands for a value that has not changed. A run begins at the function that is marked.

Program:
def f(n, names):  # << START_OF_TRACE
    total = n * 2
    for name in names:
        if name == 'b':
            total += 1
    return [total, names]

Run:
call {"n": "3", "names": "['a', 'b']"} => def f(n, names):
line {"n": "..", "names": ".."} =>     total = n * 2
line {"n": "..", "names": "..", "total": "6"} =>     for name in names:
line {"n": "..", "names": "..", "total": "..", "name": "'a'"} =>         if name == 'b':
line {"n": "..", "names": "..", "total": "..", "name": ".."} =>     for name in names:
line {"n": "..", "names": "..", "total": "..", "name": "'b'"} =>         if name == 'b':
line {"n": "..", "names": "..", "total": "..", "name": ".."} =>             total += 1
line {"n": "..", "names": "..", "total": "7", "name": ".."} =>     for name in names:
line {"n": "..", "names": "..", "total": "..", "name": ".."} =>     return [total, names]
return "[7, ['a', 'b']]" =>     return [total, names]

Program:
def half(x):
    return 10 // x

def g(x):  # << START_OF_TRACE
    y = half(x)
    return y

Run:
call {"x": "0"} => def g(x):
line {"x": ".."} =>     y = half(x)
call {"x": "0"} => def half(x):
line {"x": ".."} =>     return 10 // x
exception "ZeroDivisionError('integer division or modulo by zero')" =>     return 10 // x
exception "ZeroDivisionError('integer division or modulo by zero')" =>     y = half(x)
end

"""
"""The beginning of every prompt; its two runs are real ones."""


def head_text(query: HistoryQuery) -> str:
    """Return the prompt up to the place of the first frame."""
    return f"{INTRODUCTION}Program:\n{marked_source(query.program)}\nRun:\n"


def frame_lines(query: HistoryQuery) -> Iterator[str]:
    """Yield the frames so far, one line each."""
    pieces = prompt(query.program, query.frames)
    for _ in range(3):  # the program, which the head contains
        next(pieces)
    frame: list[Piece] = []
    for piece in pieces:
        frame.append(piece)
        if piece is Mark.FRAME:
            yield _line(frame)
            frame = []


def _line(frame: list[Piece]) -> str:
    event = MARK_EVENTS[frame[0]]  # type: ignore[index]  # frames begin with their event
    texts = [piece for piece in frame if isinstance(piece, str)]
    answer, action = texts if event in ("call", "line") else reversed(texts)
    return f"{event} {answer}{ARROW}{action}\n"


def read_line(query: HistoryQuery, text: str) -> HistoryFrame | Ended | Malformed:
    """Return the frame of the first line of a text, the end, or Malformed with the reason."""
    line = text.partition("\n")[0]
    pieces = _pieces(line)
    return pieces if isinstance(pieces, Malformed) else read(query, pieces, line)


def values_end(text: str) -> int | None:
    """Return where the values and the arrow behind them end; None if they do not. A value may contain an arrow too."""
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return end + len(ARROW) if text[end:].startswith(ARROW) else None


def _pieces(line: str) -> list[Piece] | Malformed:
    """Return a line as the pieces of Meta's format."""
    if line.strip() == END:
        return [Mark.END]
    word, _, rest = line.partition(" ")
    event = _EVENTS.get(word)
    if event is None:
        return Malformed(line[:2_000], f"a line that begins with {word[:40]!r} and no event")
    try:
        _, end = json.JSONDecoder().raw_decode(rest)
    except (ValueError, RecursionError) as error:
        return Malformed(line[:2_000], f"no JSON behind the event: {str(error)[:100]}")
    answer, tail = rest[:end], rest[end:]
    if not tail.startswith(ARROW):
        return Malformed(line[:2_000], "no arrow behind the values")
    action = tail.removeprefix(ARROW)
    if event in ("call", "line"):
        return [EVENT_MARKS[event], answer, Mark.ACTION, action, Mark.FRAME]
    return [EVENT_MARKS[event], Mark.ACTION, action, Mark.ARG, answer, Mark.FRAME]
