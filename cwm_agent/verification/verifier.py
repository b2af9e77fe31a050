"""The verifier: finds the first frame where the imagined and the real run differ, and the kind of error.

    action         a next line that the real run does not take: `impossible` if no edge of the control-flow graph
                   leads there, `branch` if one does
    control-state  a wrong value by which a branch, a loop's end or a handler goes otherwise (`control_decisions.py`)
    state          any other wrong value, by its type
    malformed      the oracle's text is no answer
    outcome        all frames agree and the end does not, or one ended before the other

A spent budget and an unsupported value are no errors: such a rollout counts as right so far, and is censored there.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from cwm_agent.imagination.history_rollouts import HistoryRollout
from cwm_agent.imagination.rollout_loop import Rollout
from cwm_agent.imagination.successors import Successors
from cwm_agent.verification.control_decisions import decides_otherwise
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Frame, Trace
from envs.execution.state.history_frames import History
from envs.execution.state.value_grammar import Unsupported, label_of
from envs.execution.stepper.values.value_rules import class_name
from envs.execution.stepper.values.value_types import type_name

Kind = Literal["action", "control-state", "state", "malformed", "outcome"]
_ITERATORS = frozenset({"iter", "reversed", "enumerate", "zip", "map", "filter"})
_TYPES = frozenset(
    {"bool", "int", "float", "str", "list", "tuple", "dict", "set", "range", "cell"}
    | {"deque", "Counter", "defaultdict", "OrderedDict"}
)
"""Types that are told apart."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first frame that differs."""

    step: int
    """Index of the frame; step - 1 steps were right, none where the very first frame differs."""
    kind: Kind
    detail: str = ""
    """For state the value's type; for action `impossible` or `branch`; else the reason."""


@dataclass(frozen=True, slots=True)
class TraceComparison:
    """The comparison of one rollout with the real run."""

    depth: int
    """Number of identical steps."""
    divergence: Divergence | None
    """None if nothing differs."""
    complete: bool
    """Whether it is identical from the call to the outcome."""
    same_outcome: bool

    @property
    def censored(self) -> bool:
        return self.divergence is None and not self.complete


def compare(program: Program, imagined: Rollout, real: Trace) -> TraceComparison:
    """Return the comparison of a rollout with the real run, with the first difference."""
    found = first_difference(program, imagined.frames, real.frames)
    return judged(imagined, real, None if found is not None and found.kind == "outcome" else found)


def judged(
    imagined: Rollout | HistoryRollout, real: Trace | History, wrong_frame: Divergence | None
) -> TraceComparison:
    """Return the comparison of two runs, given the first frame that differs; without one, of their ends."""
    same_outcome = imagined.outcome is not None and imagined.outcome == real.outcome
    if wrong_frame is not None:
        return TraceComparison(max(0, wrong_frame.step - 1), wrong_frame, False, same_outcome)
    depth = min(len(imagined.frames), len(real.frames)) - 1
    ended = _ending(imagined, real, depth)
    return TraceComparison(depth, ended, ended is None and imagined.end == "outcome" and same_outcome, same_outcome)


def _ending(imagined: Rollout | HistoryRollout, real: Trace | History, depth: int) -> Divergence | None:
    """Return the difference at the end of a rollout whose frames all agree with the real ones; None if none."""
    if imagined.end == "malformed":
        return Divergence(depth + 1, "malformed", imagined.reason)
    if imagined.end in ("unsupported", "truncated") or real.outcome.ending == "truncated":
        return None
    if len(imagined.frames) != len(real.frames):
        early = len(imagined.frames) < len(real.frames)
        return Divergence(depth + 1, "outcome", "ended early" if early else "ended late")
    return None if imagined.outcome == real.outcome else Divergence(depth + 1, "outcome", "another outcome")


def first_difference(program: Program, imagined: Iterable[Frame], real: Iterable[Frame]) -> Divergence | None:
    """Return the first difference of two runs; holds one frame of each, so memory does not grow with their length."""
    before: Frame | None = None
    for index, (guess, truth) in enumerate(zip_longest(imagined, real)):
        if guess is None or truth is None:
            return Divergence(index, "outcome", "ended early" if guess is None else "ended late")
        if guess != truth:
            return _classified(program, index, before, guess, truth=truth)
        before = truth
    return None


def _classified(program: Program, index: int, before: Frame | None, guess: Frame, truth: Frame) -> Divergence:
    if "exception" in (guess.event, truth.event):
        if guess.event != truth.event or class_name(guess.arg or "") != class_name(truth.arg or ""):
            return Divergence(index, "control-state", "exception")
        if guess.arg != truth.arg:  # handlers depend on the class alone
            return Divergence(index, "state", "exception")
    if guess.event != truth.event or guess.depth != truth.depth:
        return Divergence(index, "action", "branch")
    if guess.arg != truth.arg:
        return Divergence(index, "state", value_type(truth.arg or "", truth))
    if guess.line != truth.line:
        possible = before is not None and guess.line in Successors.of(program).after(before.line)
        return Divergence(index, "action", "branch" if possible else "impossible")
    wrong = list(_wrong_values(guess, truth))
    if not wrong:
        return Divergence(index, "state", "object identity")
    decides = next((detail for name, detail in wrong if decides_otherwise(program, guess, truth, name)), None)
    return Divergence(index, "state", wrong[0][1]) if decides is None else Divergence(index, "control-state", decides)


def _wrong_values(guess: Frame, truth: Frame) -> Iterator[tuple[str, str]]:
    """Yield the names whose value differs, with the type it should have; then names of objects that differ."""
    for guessed, held in ((dict(guess.locals), dict(truth.locals)), (dict(guess.globals), dict(truth.globals))):
        for name in sorted(guessed.keys() | held.keys()):
            if guessed.get(name) != held.get(name):
                yield name, value_type(held.get(name, guessed.get(name, "")), truth)
    said_heap, heap = dict(guess.heap), dict(truth.heap)
    for label in sorted(said_heap.keys() | heap.keys()):
        if said_heap.get(label) != heap.get(label):
            owners = [name for name, text in truth.locals if text == f"#{label}"]
            yield from ((name, value_type(f"#{label}", truth)) for name in owners or [f"#{label}"])


def value_type(text: str, frame: Frame) -> str:
    """Return the type of a value by its text; classes of the program are `other`."""
    heap, label = dict(frame.heap), label_of(text)
    content = heap.get(label, "") if label is not None else text
    if not content:
        return "unbound"
    try:
        name = type_name(content, heap)
    except Unsupported:
        name = content.partition("(")[0]
    return "None" if name == "NoneType" else "iterator" if name in _ITERATORS else name if name in _TYPES else "other"
