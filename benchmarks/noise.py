"""Checks the verifier: does it measure the known error rates of noisy oracles?

    python -m benchmarks.noise [--runs 100] [--rollouts 100] [--json OUT] [--figure docs/noise.svg]

Intervals: each seeded run counts action and state errors per question on straight-line and branching programs, with
exact (Clopper-Pearson) 95 % intervals. The known rates should lie inside the intervals in about 95 of 100 runs.

Reach: for a grid of rates, the depth at which half of the rollouts have diverged (Kaplan-Meier), beside the depth that
the hazard per step predicts. Executes small programs of its own in this process.
"""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, Literal, cast

from scipy.stats import beta

from cwm_agent.imagination.guides import Guide
from cwm_agent.imagination.rollout_loop import Rollout, RolloutSettings, RolloutStart, imagine
from cwm_agent.oracles.backends.exact import ExactOracle
from cwm_agent.oracles.protocol import Answer, Oracle, Query
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.oracles.wrappers.noise import Kind, NoisyOracle, Rates
from cwm_agent.reports.svg_figures import Curve, Panel, PointMark, Scale, figure
from cwm_agent.verification.survival import Observation, bootstrap, predicted_reach, reach
from cwm_agent.verification.verifier import TraceComparison, compare
from envs.execution.decompose.program import Program, decomposed
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import Trace
from envs.execution.state.value_grammar import Unsupported
from envs.execution.stepper.exact_effects import ExactEffects
from envs.execution.stepper.stepper import Stepper
from envs.execution.tracer.reality import Reality
from envs.execution.tracer.tracer import trace

Shape = Literal["straight", "branching"]
FREE = Guide("free")
RATES = (0.003, 0.01, 0.03, 0.1, 0.3)
KNOWN = Rates(action=0.02, state=0.03)
"""Error rates of the interval runs."""


class OwnReality:
    """Effects of statements, executed by Python in this process; only for programs of this module."""

    def __init__(self) -> None:
        self._statements: dict[Program, ExactEffects] = {}

    def effects(self, program: Program, questions: Sequence[tuple[Question, int]]) -> list[Effect | Unsupported]:
        statements = self._statements.setdefault(program, ExactEffects(program))
        return [statements.effect(question, floor) for question, floor in questions]


def exact() -> Oracle:
    """The exact oracle, without a sandbox."""
    return ExactOracle(cast(Reality, OwnReality()))


def source_of(shape: Shape, size: int) -> str:
    """A program of about `size` steps: one operation per line, or a loop with a branch."""
    if shape == "straight":
        lines = ["a = b + 1", "b = c - a", "c = a * 3", "a = c % 97", "c = b + a", "b = a // 2"]
        return "def f(a, b, c):\n" + "".join(f"    {lines[at % len(lines)]}\n" for at in range(size)) + "    return a\n"
    body = "        if a > b:\n            a = a - 7\n        else:\n            b = b - 5\n        a = a + i\n"
    return f"def f(a, b, c):\n    for i in range({size // 5}):\n{body}    return a\n"


@dataclass(frozen=True, slots=True)
class Subject:
    """A program, its real run, and the steps at which the oracle gets a question."""

    program: Program
    real: Trace
    line_asked: tuple[bool, ...]
    """For each frame: whether the oracle decides the next line."""
    state_asked: tuple[bool, ...]
    """For each frame: whether the oracle decides the next state."""


@lru_cache(maxsize=16)
def subject(shape: Shape, size: int) -> Subject:
    """A program with its real run; the exact oracle gets one question per frame to find the steps it decides."""
    program = decomposed(source_of(shape, size), "f")
    real = trace(program, "3, 4, 5")
    stepper, oracle = Stepper(program), exact()
    lines, states = [], []
    for frame in real.frames:
        step = stepper.ask(frame)
        question = step if isinstance(step, Question) else None
        open_line = frame.event == "line" and (question is not None or stepper.is_branch(frame))
        said = oracle.imagine([Query(program, frame, question, "program")])[0].said if open_line else None
        at_loop = program.lines[frame.line - 1].lstrip().startswith("for ")
        says_line = isinstance(said, Answer) and said.line is not None
        lines.append(says_line or (at_loop and frame.event == "line"))
        states.append(question is not None)
    return Subject(program, real, tuple(lines), tuple(states))


@dataclass(frozen=True, slots=True)
class Counted:
    """Number of errors of one kind among the steps at risk, and the interval of the rate."""

    errors: int
    at_risk: int
    low: float
    high: float

    def holds(self, rate: float) -> bool:
        """Whether a rate lies inside the interval."""
        return self.low <= rate <= self.high


def counted(errors: int, at_risk: int, level: float = 0.95) -> Counted:
    """An error count with the Clopper-Pearson interval of its rate."""
    tail = (1 - level) / 2
    low = 0.0 if errors == 0 else float(beta.ppf(tail, errors, at_risk - errors + 1))
    high = 1.0 if errors == at_risk else float(beta.ppf(1 - tail, errors + 1, at_risk - errors))
    return Counted(errors, at_risk, low, high)


def rolled(one: Subject, oracle: Oracle, rollouts: int, steps: int) -> list[tuple[Rollout, TraceComparison]]:
    """Free rollouts of one program, each compared with the real run."""
    starts = [RolloutStart(one.program, one.real.frames[0])] * rollouts
    found = imagine(starts, oracle, RolloutSettings(guide=FREE, steps=steps))
    return [(each, compare(one.program, each, one.real)) for each in found]


def hazards_of(one: Subject, compared: Sequence[tuple[Rollout, TraceComparison]]) -> dict[str, Counted]:
    """Action and state errors per question; a step with a wrong line is not at risk of a wrong state."""
    errors = {"action": 0, "state": 0}
    at_risk = {"action": 0, "state": 0}
    for _, found in compared:
        kind = None if found.divergence is None else "action" if found.divergence.kind == "action" else "state"
        seen = found.depth + (kind is not None)
        at_risk["action"] += sum(one.line_asked[:seen])
        at_risk["state"] += sum(one.state_asked[: found.depth if kind == "action" else seen])
        if kind is not None:
            errors[kind] += 1
    return {kind: counted(errors[kind], at_risk[kind]) for kind in errors}


def covered(runs: int, rollouts: int, size: int) -> dict[str, dict[str, int]]:
    """The number of seeded runs whose intervals hold the known rates, by shape and kind."""
    shapes: tuple[Shape, ...] = ("straight", "branching")
    found: dict[str, dict[str, int]] = {shape: {"action": 0, "state": 0} for shape in shapes}
    for shape in shapes:
        one, inner = subject(shape, size), CachedOracle(exact())
        for seed in range(runs):
            noisy = NoisyOracle(inner, KNOWN, "iid", seed)
            measured = hazards_of(one, rolled(one, noisy, rollouts, size))
            for kind, rate in asdict(KNOWN).items():
                found[shape][kind] += measured[kind].holds(rate)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachPoint:
    """One point of the figure."""

    shape: Shape
    kind: Kind
    action: float
    state: float
    hazard: float
    """Expected errors per step, averaged over all steps of the program."""
    predicted: float
    measured: int | None
    at_least: int
    low: float
    """95 % bootstrap interval of the measured depth."""
    high: float


def reach_point(shape: Shape, kind: Kind, rates: Rates, *, rollouts: int, size: int, seed: int = 1) -> ReachPoint:
    """The depth at which half of the rollouts have diverged, predicted and measured."""
    one = subject(shape, size)
    steps = len(one.real) - 1
    hazard = sum(
        1 - (1 - rates.action * line) * (1 - rates.state * state)
        for line, state in zip(one.line_asked[:steps], one.state_asked[:steps], strict=True)
    )
    hazard /= steps
    predicted = predicted_reach(hazard, 0.5)
    limit = min(size * 2, int(4 * predicted) + 20)
    inner = CachedOracle(exact())
    compared: list[TraceComparison] = []
    if kind == "iid":
        compared = [each for _, each in rolled(one, NoisyOracle(inner, rates, kind, seed), rollouts, limit)]
    else:  # all rollouts of one systematic oracle are equal
        for number in range(rollouts):
            noisy = NoisyOracle(inner, rates, kind, 1_000 * seed + number)
            compared += [each for _, each in rolled(one, noisy, 1, limit)]
    observations = [Observation(each.depth, each.divergence.kind if each.divergence else None) for each in compared]
    half = reach(observations, 0.5)
    span = bootstrap([[each] for each in observations], _half, Random(seed), draws=200)
    return ReachPoint(
        shape=shape,
        kind=kind,
        action=rates.action,
        state=rates.state,
        hazard=hazard,
        predicted=predicted,
        measured=half.depth,
        at_least=half.at_least,
        low=span.low,
        high=span.high,
    )


def _half(observations: Sequence[Observation]) -> float:
    return float(reach(observations, 0.5).at_least)


def reach_points(rollouts: int, size: int, rates: Sequence[float] = RATES) -> list[ReachPoint]:
    """Both shapes, both kinds of noise, all rates; half of each rate is action errors, half state errors."""
    shapes: tuple[Shape, ...] = ("straight", "branching")
    kinds: tuple[Kind, ...] = ("iid", "systematic")
    wanted = [(shape, kind, Rates(rate / 2, rate / 2)) for shape in shapes for kind in kinds for rate in rates]
    return [reach_point(*each, rollouts=rollouts, size=size, seed=seed) for seed, each in enumerate(wanted, start=1)]


def reach_figure(points: Sequence[ReachPoint]) -> str:
    """An SVG of predicted (x) against measured (y) d50 on logarithmic axes, with 95 % intervals and the diagonal."""
    ends, ticks = (1.0, 1_000.0), (1.0, 10.0, 100.0, 1_000.0)
    marks: dict[str, list[PointMark]] = {}
    for point in points:
        if point.measured is not None:
            mark = PointMark(point.predicted, point.measured, point.low, point.high)
            marks.setdefault(f"{point.shape}, {point.kind}", []).append(mark)
    curves = [Curve(label, tuple(found), joined=False) for label, found in marks.items()]
    diagonal = Curve("predicted = measured", tuple(PointMark(end, end) for end in ends), dashed=True, marked=False)
    x, y = (Scale(f"{name} d50, steps", *ends, ticks, powers=True) for name in ("predicted", "measured"))
    title = "Depth that half of the rollouts reach: predicted by the hazard, and measured"
    return figure(title, [Panel("", (*curves, diagonal))], x, y, apart=0.0)


def main() -> None:
    parser = argparse.ArgumentParser("python -m benchmarks.noise", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--runs", type=int, default=100, help="seeded runs for the interval check")
    parser.add_argument("--rollouts", type=int, default=100, help="rollouts per run and per point")
    parser.add_argument("--size", type=int, default=40, help="approximate steps of the programs of the interval check")
    parser.add_argument("--json", type=Path, metavar="OUT")
    parser.add_argument("--figure", type=Path, metavar="SVG")
    options = parser.parse_args()
    began = time.perf_counter()
    inside = covered(options.runs, options.rollouts, options.size)
    print(f"rates {KNOWN} lie inside the intervals, of {options.runs} runs: {inside}")
    points = reach_points(options.rollouts, 600)
    for point in points:
        print(f"{point.shape:>10} {point.kind:>10} rate {point.action + point.state:<6} d50 predicted "
              f"{point.predicted:7.1f} measured {point.measured} ({point.low:g} to {point.high:g})")  # fmt: skip
    if options.figure:
        options.figure.write_text(reach_figure(points), encoding="utf-8")
    if options.json:
        record: dict[str, Any] = {"runs": options.runs, "rollouts": options.rollouts, "rates": asdict(KNOWN)}
        record |= {"inside": inside, "points": [asdict(point) for point in points]}
        record["seconds"] = time.perf_counter() - began
        options.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
