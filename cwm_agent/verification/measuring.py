"""What `verify` measures of an oracle on programs, in both ways that matter: step by step on real states, and rolled
out.

Given the real state, each answer is judged by itself (`step_exact`, `action_exact`). Rolled out, an error carries on
to the end (`trace_exact`, `output_exact`). What could not be attempted counts as wrong everywhere.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from cwm_agent.imagination.guides import Guide
from cwm_agent.imagination.loop import Rollout, Settings, Start, imagine
from cwm_agent.oracles.protocol import Answer, Oracle, Query, View
from cwm_agent.verification.survival import Observation, reach
from cwm_agent.verification.verifier import Comparison, compare, value_type
from envs.execution.effects import Question
from envs.execution.frames import Frame, Trace
from envs.execution.program import Program
from envs.execution.stepper import Stepper
from envs.execution.values import Unsupported

_BATCH = 4096


@dataclass(frozen=True, slots=True)
class Case:
    """One program and call with its real run; `problem` says why there is none."""

    id: str
    program: Program | None
    real: Trace | None
    problem: str = ""


@dataclass(slots=True)
class StepCounts:
    """Right and asked, by type of the value a step changes."""

    asked: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    lines_asked: int = 0
    lines_right: int = 0
    logprobs: list[tuple[float, bool]] = field(default_factory=list)
    """Log-probability of each answer and whether it was right, for calibration."""
    wrong: list[tuple[str, str, str]] = field(default_factory=list)
    """Case, question and answer of some wrong steps, to look at."""

    def share(self) -> float:
        return sum(self.right.values()) / max(1, sum(self.asked.values()))

    def by_type(self) -> dict[str, float]:
        return {kind: self.right[kind] / count for kind, count in sorted(self.asked.items())}


def step_queries(cases: Sequence[Case], view: View) -> Iterator[tuple[Case, Query | None, Frame, Frame]]:
    """Every step of the real runs that an oracle has a part in; None for a question that cannot be asked."""
    for case in cases:
        if case.program is None or case.real is None:
            continue
        stepper, frames = Stepper(case.program), case.real.frames
        for index, (frame, following) in enumerate(pairwise(frames)):
            if frame.event != "line":
                continue
            try:
                question = stepper.ask(frame)
            except Unsupported:
                yield case, None, frame, following
                continue
            asked = question if isinstance(question, Question) else None
            if asked is None and not (view != "local" and stepper.is_branch(frame)):
                continue
            history = frames[: index + 1] if view == "history" else ()
            yield case, Query(case.program, frame, asked, view, None, history), frame, following


def count_steps(cases: Sequence[Case], oracle: Oracle, view: View) -> StepCounts:
    """Ask every step of the real runs once, from the real state."""
    counts = StepCounts()
    steppers: dict[Program, Stepper] = {}
    batch: list[tuple[Case, Query, Frame, Frame]] = []

    def flush() -> None:
        predictions = oracle.imagine([query for _, query, _, _ in batch])
        for (case, query, frame, following), prediction in zip(batch, predictions, strict=True):
            stepper = steppers.setdefault(query.program, Stepper(query.program))
            said = prediction.said
            right = isinstance(said, Answer) and _leads_to(stepper, query, said, frame, following)
            kind = changed_type(frame, following)
            counts.asked[kind] += 1
            counts.right[kind] += right
            if query.view != "local" and following.event == "line" and following.depth == frame.depth:
                counts.lines_asked += 1
                counts.lines_right += isinstance(said, Answer) and said.line == following.line
            if prediction.logprob is not None:
                counts.logprobs.append((prediction.logprob, right))
            if not right and query.question is not None:
                counts.wrong.append((case.id, str(query.question), str(said)))
        batch.clear()

    for case, query, frame, following in step_queries(cases, view):
        if query is None:
            counts.asked["unsupported"] += 1
            continue
        batch.append((case, query, frame, following))
        if len(batch) >= _BATCH:
            flush()
    flush()
    return counts


def _leads_to(stepper: Stepper, query: Query, said: Answer, frame: Frame, following: Frame) -> bool:
    """Whether an answer gives the real next frame."""
    try:
        if query.question is None:
            return said.line == following.line
        line = said.line if query.view != "local" else None
        return stepper.tell(frame, said.effect, line) == following
    except (Unsupported, ValueError, KeyError, IndexError, SyntaxError, TypeError, RecursionError):
        return False


def changed_type(frame: Frame, following: Frame) -> str:
    """The type of what a step changed: the value bound, else the object changed, else `nothing`."""
    if following.event == "exception":
        return "exception"
    before = dict(frame.locals)
    for name, text in following.locals:
        if before.get(name) != text:
            return value_type(text, following)
    heap = dict(frame.heap)
    changed = next((label for label, text in following.heap if heap.get(label) != text), None)
    return "nothing" if changed is None else value_type(f"#{changed}", following)


@dataclass(frozen=True, slots=True)
class Measured:
    """One line of the report: an oracle, a view and a guide on one file."""

    programs: int
    attempted: int
    output_exact: float
    trace_exact: float
    step_exact: float
    step_exact_by_type: dict[str, float]
    action_exact: float | None
    by_rule: float
    d50: int | None
    d90: int | None
    kinds: dict[str, int]
    tokens: int
    seconds: float


def measure(
    cases: Sequence[Case], oracle: Oracle, view: View, guide: Guide, steps: StepCounts, *, limit: int = 2_000
) -> tuple[Measured, list[tuple[Case, Rollout, Comparison]]]:
    """Roll every case out and hold it against its real run."""
    began = time.perf_counter()
    ready = [case for case in cases if case.program is not None and case.real is not None and case.real.frames]
    starts = [Start(case.program, case.real.frames[0], case.real) for case in ready if case.program and case.real]
    rollouts = imagine(starts, oracle, Settings(view=view, guide=guide, steps=limit)) if starts else []
    compared = [
        (case, rollout, compare(case.program, rollout, case.real))
        for case, rollout in zip(ready, rollouts, strict=True)
        if case.program and case.real
    ]
    observations = [
        Observation(each.depth, each.divergence.kind if each.divergence else None) for _, _, each in compared
    ]
    kinds: Counter[str] = Counter(each.divergence.kind for _, _, each in compared if each.divergence)
    kinds.update(f"censored: {rollout.end}" for _, rollout, each in compared if each.censored)
    action = steps.lines_right / steps.lines_asked if steps.lines_asked else None
    row = Measured(
        programs=len(cases),
        attempted=sum(rollout.end == "outcome" for _, rollout, _ in compared),
        output_exact=sum(each.same_outcome for _, _, each in compared) / max(1, len(cases)),
        trace_exact=sum(each.complete for _, _, each in compared) / max(1, len(cases)),
        step_exact=steps.share(),
        step_exact_by_type=steps.by_type(),
        action_exact=1.0 if guide.freedom in ("grounded", "forced") and action is None else action,
        by_rule=sum(rollout.by_rule for _, rollout, _ in compared) / max(1, len(compared)),
        d50=reach(observations, 0.5).depth if observations else None,
        d90=reach(observations, 0.9).depth if observations else None,
        kinds=dict(sorted(kinds.items())),
        tokens=sum(rollout.tokens for _, rollout, _ in compared),
        seconds=time.perf_counter() - began,
    )
    return row, compared
