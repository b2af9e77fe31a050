"""Compares rollouts with real runs and sums them up: the figures that `verify` prints for an oracle, view and guide.

In a rollout an error affects all later steps, unlike in `step_accuracy.py`. A case that could not be tried counts as
wrong.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import Any

from cwm_agent import defaults
from cwm_agent.imagination.guides import Guide
from cwm_agent.imagination.rollout_loop import Rollout, RolloutSettings, RolloutStart, imagine_each
from cwm_agent.oracles.protocol import MarkovView, Oracle
from cwm_agent.verification.statistics.calibration import Calibration
from cwm_agent.verification.statistics.survival import Observation, reach, stratified
from cwm_agent.verification.step_accuracy import Case, StepCounts
from cwm_agent.verification.verdict_matrix import Imagined, VerdictMatrix, imagined_verdict, whole_verdict
from cwm_agent.verification.verifier import TraceComparison, compare

WIDTH = 512
"""Rollouts under way together."""
PROGRAM_WIDTH = 32
"""The same where questions show whole programs: the engine keeps keys and values of each program under way, and 512
of them filled both its caches, 2 GiB each."""
Observer = Callable[[str, Any, Any, TraceComparison], None]
"""Takes the name of the guide, the case, its rollout and the comparison, in the types of the view."""


@dataclass(frozen=True, slots=True)
class MeasuredRollouts:
    """One line of the report: an oracle, a view and a guide on one file."""

    programs: int
    attempted: int
    output_exact: float
    trace_exact: float
    step_exact: float
    step_exact_by_type: dict[str, float]
    action_exact: float | None
    by_rule: float
    """Share of all steps that a rule took, pooled over the steps of all rollouts."""
    d50: int | None
    d90: int | None
    kinds: dict[str, int]
    tokens: int
    """Tokens of the rollouts; an answer to a single step before is cached, and costs none."""
    seconds: float
    step_tokens: int
    """Tokens of the single steps, which are asked once for all guides."""
    verdicts: dict[str, Any] | None = None
    """Imagined and real verdicts, of single tests and of whole programs; None if no test was imagined."""
    calibration: dict[str, Any] | None = None
    """Calibration of steps and of rollouts' outcomes; None if the oracle gives no log-probabilities."""
    d50_at_least: int = 0
    """If `d50` is null: no rollout was seen beyond this depth."""
    d90_at_least: int = 0
    copied: float | None = None
    """Share of the oracle's answers to single steps that only copy a loop's next item; None without an answer."""
    completed: float | None = None
    """Share of these answers that say a change, which a rule completes."""
    by_length: list[dict[str, Any]] = field(default_factory=list)
    """Hazard per step, d50 and d90 of programs of similar length, which can be compared fairly."""


@dataclass(slots=True)
class RolloutTally:
    """Collects the results of rollouts under one guide."""

    view: MarkovView
    guide: Guide
    steps: int = defaults.ROLLOUT_STEPS
    """Of the longest rollout."""
    programs: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    complete: int = 0
    same_outcome: int = 0
    observations: list[Observation] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    """Steps of the real run behind each observation."""
    verdicts: defaultdict[str, list[tuple[Imagined, bool]]] = field(default_factory=lambda: defaultdict(list))
    """Imagined and real verdicts of tests, by program."""
    calibration: Calibration = field(default_factory=Calibration)
    observer: Observer | None = None
    """Called with each rollout that is compared."""
    tokens: int = 0
    seconds: float = 0.0
    _by_rule: int = 0
    _steps: int = 0

    @property
    def settings(self) -> RolloutSettings:
        return RolloutSettings(view=self.view, guide=self.guide, steps=self.steps)

    @property
    def width(self) -> int:
        """Rollouts that may be under way together."""
        return PROGRAM_WIDTH if self.guide.asks_line or self.view == "program" else WIDTH

    def take(self, case: Case, rollout: Rollout | None) -> TraceComparison | None:
        """Count one case with its rollout; the rollout is None if the case could not be tried."""
        self.programs += 1
        self._judge(case, rollout)
        if rollout is None or case.program is None or case.real is None:
            return None
        found = compare(case.program, rollout, case.real)
        kind = found.divergence.kind if found.divergence else None
        if kind or found.censored:
            self.kinds[kind or f"censored: {rollout.end}"] += 1
        self.observations.append(Observation(found.depth, kind))
        self.lengths.append(len(case.real) - 1)
        self.complete += found.complete
        self.same_outcome += found.same_outcome
        self.ends[rollout.end] += 1
        self.tokens += rollout.tokens
        self._by_rule += rollout.rule_steps
        self._steps += len(rollout.marks) - 1
        if rollout.end == "outcome":
            self.calibration.add(rollout.logprob, found.same_outcome)
        if self.observer is not None:
            self.observer(self.guide.name, case, rollout, found)
        return found

    def add(self, other: "RolloutTally") -> None:
        """Add the results of other rollouts under the same guide."""
        self.programs += other.programs
        self.ends.update(other.ends)
        self.kinds.update(other.kinds)
        self.complete += other.complete
        self.same_outcome += other.same_outcome
        self.observations += other.observations
        self.lengths += other.lengths
        for program, pairs in other.verdicts.items():
            self.verdicts[program] += pairs
        self.calibration.merge(other.calibration)
        self.tokens += other.tokens
        self.seconds += other.seconds
        self._by_rule += other._by_rule
        self._steps += other._steps

    def _judge(self, case: Case, rollout: Rollout | None) -> None:
        if case.test is not None and case.passes is not None:
            imagined = "unknown" if rollout is None else imagined_verdict(rollout, case.test)
            self.verdicts[case.id.partition("#")[0]].append((imagined, case.passes))

    def matrices(self) -> dict[str, VerdictMatrix]:
        """Return the verdicts of single tests, and of each program by all its tests together."""
        tests, programs = VerdictMatrix(), VerdictMatrix()
        for pairs in self.verdicts.values():
            for imagined, passes in pairs:
                tests.add(imagined, passes)
            programs.add(whole_verdict([each for each, _ in pairs]), all(passes for _, passes in pairs))
        return {"tests": tests, "programs": programs}

    def measured(self, steps: StepCounts) -> MeasuredRollouts:
        """Return the figures, with those of the single steps."""
        action = steps.action_share()
        verdicts = {what: matrix.record() for what, matrix in self.matrices().items()} if self.verdicts else None
        half, most = reach(self.observations, 0.5), reach(self.observations, 0.9)
        sure = {"steps": steps.calibration.record(), "outcomes": self.calibration.record()}
        return MeasuredRollouts(
            programs=self.programs,
            attempted=self.ends["outcome"],
            output_exact=self.same_outcome / max(1, self.programs),
            trace_exact=self.complete / max(1, self.programs),
            step_exact=steps.share(),
            step_exact_by_type=steps.types(),
            action_exact=1.0 if self.guide.freedom in ("grounded", "forced") and action is None else action,
            by_rule=self._by_rule / max(1, self._steps),
            copied=steps.copies / steps.answers if steps.answers else None,
            completed=steps.deltas / steps.answers if steps.answers else None,
            d50=half.depth,
            d90=most.depth,
            kinds=dict(sorted(self.kinds.items())),
            tokens=self.tokens,
            seconds=self.seconds,
            step_tokens=steps.tokens,
            verdicts=verdicts,
            calibration=sure if steps.calibration.count else None,
            d50_at_least=half.at_least,
            d90_at_least=most.at_least,
            by_length=[asdict(each) for each in stratified(self.observations, self.lengths)],
        )


def roll(cases: Iterable[Case], tallies: Sequence[RolloutTally], oracle: Oracle) -> None:
    """Roll every case out under each tally's guide and count it; cases may come lazily, and no rollout is kept."""
    began = time.perf_counter()
    under_way: dict[int, tuple[RolloutTally, Case]] = {}
    width = min((tally.width for tally in tallies), default=WIDTH)
    for number, rollout in imagine_each(_starts(cases, tallies, under_way), oracle, width=width):
        tally, case = under_way.pop(number)
        tally.take(case, rollout)
    for tally in tallies:
        tally.seconds += time.perf_counter() - began


def _starts(
    cases: Iterable[Case], tallies: Sequence[RolloutTally], under_way: dict[int, tuple[RolloutTally, Case]]
) -> Iterator[tuple[RolloutStart, RolloutSettings]]:
    """Yield the start of each case under each guide, stored in `under_way` by number; others are counted at once."""
    numbers = count()
    for case in cases:
        for tally in tallies:
            if case.program is None or case.real is None or not case.real.frames:
                tally.take(case, None)
                continue
            under_way[next(numbers)] = tally, case
            yield RolloutStart(case.program, case.real.frames[0], case.real, case.steps), tally.settings
