"""Pure core of the trace problem: claims about the next frame, scored against a real run.

A claim is a line number and the changes as text, one per line:

    x = [1, 2]       a variable of the running function that is new or has another value (in full, without labels)
    del x            a variable that is no longer bound
    return 3         the returned value, in the frame where the function returns
    raise KeyError('a')

Temporaries of a decomposed program disappear by rule after their last read; this is no change. Knows no Gymnasium and
no policy, and runs nothing.
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
    """A prediction of the next frame."""

    line: int
    changes: str = ""


@dataclass(frozen=True, slots=True)
class ClaimScore:
    """Which parts of a claim are right."""

    line: bool
    changes: bool

    @property
    def right(self) -> bool:
        return self.line and self.changes


@dataclass(frozen=True, slots=True)
class TraceState:
    """A place in the run: the number of the shown frame, and how many claims were right so far."""

    place: int = 0
    right: int = 0


@dataclass(frozen=True, slots=True)
class TraceCore:
    """One real run as a problem; its states are places in the run."""

    program: Program
    trace: Trace

    def __post_init__(self) -> None:
        if len(self.trace.frames) < 2:
            raise BadEnvOption(f"TraceCore needs a run of two frames or more, got {len(self.trace.frames)}.")

    def initial(self) -> TraceState:
        """The state before the first claim, which shows the frame of the call."""
        return TraceState()

    def frame(self, state: TraceState) -> Frame:
        """The real frame that a state shows."""
        return self.trace.frames[state.place]

    def truth(self, state: TraceState) -> Claim:
        """The right claim about the next frame."""
        before, after = self.trace.frames[state.place], self.trace.frames[state.place + 1]
        return Claim(after.line, "\n".join(changes(before, after, self.program.temporaries)))

    def score(self, state: TraceState, claim: Claim) -> ClaimScore:
        """Compares a claim with the real next frame."""
        truth = self.truth(state)
        return ClaimScore(claim.line == truth.line, normal(claim.changes) == normal(truth.changes))

    def transition(self, state: TraceState, claim: Claim) -> TraceState:
        """The next real frame, whatever the claim."""
        return TraceState(state.place + 1, state.right + self.score(state, claim).right)

    def is_over(self, state: TraceState) -> bool:
        """Whether the state shows the last frame."""
        return state.place >= len(self.trace.frames) - 1


def changes(before: Frame, after: Frame, temporaries: frozenset[str] = frozenset()) -> list[str]:
    """The changes from one frame to the next, as the lines of a claim."""
    old, new = _variables_at(before, after), written_out(after)
    found = [f"{name} = {text}" for name, text in new.items() if old.get(name) != text]
    found += [f"del {name}" for name in old if name not in new and name not in temporaries]
    if after.event in ("return", "exception"):
        word = "return" if after.event == "return" else "raise"
        found.append(f"{word} {expanded(after.arg or 'None', dict(after.heap))}")
    return found


def written_out(frame: Frame) -> dict[str, str]:
    """The variables of the running function with their values in full."""
    heap = dict(frame.heap)
    return {name: expanded(text, heap) for name, text in frame.locals}


def _variables_at(before: Frame, after: Frame) -> dict[str, str]:
    """The variables before the step, of the function that runs after it; empty if it was just called."""
    if after.event == "call" or after.depth > before.depth:
        return {}
    activation = before.stack[after.depth - 1]
    heap = dict(before.heap)
    return {name: expanded(text, heap) for name, text in activation.locals}


def normal(text: str) -> frozenset[str]:
    """Changes as a set, independent of blanks and quoting style."""
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
