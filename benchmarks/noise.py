"""Checks the verifier: does it measure the known error rates of noisy oracles?

    python -m benchmarks.noise [--runs 100] [--rollouts 100] [--json OUT]

Each seeded run counts action and state errors per question on straight-line and branching programs, with exact
(Clopper-Pearson) 95 % intervals. The known rates should lie inside the intervals in about 95 of 100 runs. The depth
that such oracles reach is the study `dose`. Executes small programs of its own in this process.
"""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, cast

from scipy.stats import beta

from cwm_agent.imagination.guides import Guide
from cwm_agent.imagination.rollout_loop import Rollout, RolloutSettings, RolloutStart, imagine
from cwm_agent.oracles.backends.exact import ExactOracle
from cwm_agent.oracles.protocol import Answer, Oracle, Query
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.oracles.wrappers.noise import NoisyOracle, Rates
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
        answer = oracle.imagine([Query(program, frame, question, "program")])[0].said if open_line else None
        at_loop = program.lines[frame.line - 1].lstrip().startswith("for ")
        says_line = isinstance(answer, Answer) and answer.line is not None
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


def main() -> None:
    parser = argparse.ArgumentParser("python -m benchmarks.noise", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--runs", type=int, default=100, help="seeded runs for the interval check")
    parser.add_argument("--rollouts", type=int, default=100, help="rollouts per run")
    parser.add_argument("--size", type=int, default=40, help="approximate steps of the programs of the interval check")
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args()
    began = time.perf_counter()
    inside = covered(options.runs, options.rollouts, options.size)
    print(f"rates {KNOWN} lie inside the intervals, of {options.runs} runs: {inside}")
    if options.json:
        record: dict[str, Any] = {"runs": options.runs, "rollouts": options.rollouts, "rates": asdict(KNOWN)}
        record |= {"inside": inside, "seconds": time.perf_counter() - began}
        options.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
