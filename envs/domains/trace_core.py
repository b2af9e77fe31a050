"""Execution itself as something to be right about: claims about the next frame, scored against the real run.

A claim is a line number and the changes as text, one a line:

    x = [1, 2]       a variable of the running function that is new or has another value (written out, no labels)
    del x            a variable that is gone
    return 3         what the function gives back, in the frame where it leaves
    raise KeyError('a')

Temporaries of a decomposed program disappear by rule when nothing reads them any more: that is no change. This is
the pure core of the trace environment: it knows no Gymnasium, no policy, and no way to run anything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from envs.errors import BadEnvOption
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Frame, Trace
from envs.execution.state.value_grammar import expanded


@dataclass(frozen=True, slots=True)
class Claim:
    """What the next frame is said to be."""

    line: int
    changes: str = ""


@dataclass(frozen=True, slots=True)
class ClaimScore:
    """Which parts of a claim were right."""

    line: bool
    changes: bool

    @property
    def right(self) -> bool:
        return self.line and self.changes


@dataclass(frozen=True, slots=True)
class TraceState:
    """Where the run stands: the frame shown, and how many claims were right so far."""

    place: int = 0
    right: int = 0


@dataclass(frozen=True, slots=True)
class TraceCore:
    """One real run, frame by frame; states are places in it."""

    program: Program
    trace: Trace

    def __post_init__(self) -> None:
        if len(self.trace.frames) < 2:
            raise BadEnvOption("This run has fewer than two frames: there is nothing to claim about it.")

    def initial(self) -> TraceState:
        """The state before the first claim: the call's own frame is shown."""
        return TraceState()

    def frame(self, state: TraceState) -> Frame:
        """The real frame shown in a state."""
        return self.trace.frames[state.place]

    def truth(self, state: TraceState) -> Claim:
        """The claim that is right."""
        before, after = self.trace.frames[state.place], self.trace.frames[state.place + 1]
        return Claim(after.line, "\n".join(changes(before, after, self.program.temporaries)))

    def score(self, state: TraceState, claim: Claim) -> ClaimScore:
        """How a claim compares with the real next frame."""
        truth = self.truth(state)
        return ClaimScore(claim.line == truth.line, normal(claim.changes) == normal(truth.changes))

    def transition(self, state: TraceState, claim: Claim) -> TraceState:
        """The real run goes on, whatever was claimed."""
        return TraceState(state.place + 1, state.right + self.score(state, claim).right)

    def is_over(self, state: TraceState) -> bool:
        """Whether the last frame is shown."""
        return state.place >= len(self.trace.frames) - 1


def changes(before: Frame, after: Frame, temporaries: frozenset[str] = frozenset()) -> list[str]:
    """What is new in a frame, one change a line, sorted by name."""
    old, new = _variables_at(before, after), written_out(after)
    found = [f"{name} = {text}" for name, text in new.items() if old.get(name) != text]
    found += [f"del {name}" for name in old if name not in new and name not in temporaries]
    if after.event in ("return", "exception"):
        word = "return" if after.event == "return" else "raise"
        found.append(f"{word} {expanded(after.arg or 'None', dict(after.heap))}")
    return found


def written_out(frame: Frame) -> dict[str, str]:
    """The variables of the running function with their values written out."""
    heap = dict(frame.heap)
    return {name: expanded(text, heap) for name, text in frame.locals}


def _variables_at(before: Frame, after: Frame) -> dict[str, str]:
    """The variables, as they were, of the function that runs in the later frame; none if it was just entered."""
    if after.event == "call" or after.depth > before.depth:
        return {}
    activation = before.stack[after.depth - 1]
    heap = dict(before.heap)
    return {name: expanded(text, heap) for name, text in activation.locals}


def normal(text: str) -> frozenset[str]:
    """Changes as a set in which blanks and ways of quoting do not count."""
    return frozenset(_normal_rows(text.splitlines()))


def _normal_rows(rows: Iterable[str]) -> Iterable[str]:
    for row in rows:
        name, sign, value = row.partition("=")
        if not row.strip():
            continue
        try:
            yield f"{name.strip()} = {ast.literal_eval(value.strip())!r}" if sign else row.strip()
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            yield " ".join(row.split())
