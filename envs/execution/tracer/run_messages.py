"""Messages of a traced run as they leave the sandbox: frames, then the end; knows no frame.

The program can write lines of its own to the channel. What a line is about is checked here, what it holds by the reader
of that record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from envs.execution.sandbox.isolation.message_fields import MalformedMessage, choice, fields, text
from envs.execution.state.frames import Outcome
from envs.execution.state.value_grammar import BadProgram

_LONGEST_REASON = 2_000


@dataclass(frozen=True, slots=True)
class RunMessage:
    """One line of a run."""

    kind: Literal["frame", "end"]
    record: object


def forged_outcome(error: MalformedMessage) -> Outcome:
    """The outcome of a run that sent a message which no run of its program sends."""
    return Outcome("truncated", f"a message that no run of the program sends: {error}")


def run_messages(lines: Iterable[Any], steps: int) -> Iterator[RunMessage]:
    """At most `steps` frames and the end; BadProgram where the run says that it cannot begin.

    Raises MalformedMessage for any other line.
    """
    for number, line in enumerate(lines):
        kind, record = fields(line, 2)
        if choice(kind, ("frame", "end", "bad")) == "bad":
            raise BadProgram(text(record)[:_LONGEST_REASON])
        if kind == "frame" and number >= steps:
            raise MalformedMessage(f"more than {steps:,} frames")
        yield RunMessage("frame" if kind == "frame" else "end", record)
