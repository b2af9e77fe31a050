"""Verifies programs that draw: many imagined runs of one call beside many real ones, as distributions.

Run i is seeded with i; imagined runs take seeds that no real run has, so the samples are independent, as those of a
model that does not know the seed. Draws are made by rule from the seed in the frame, everything else by the oracle.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Any

from cwm_agent import defaults
from cwm_agent.imagination.rollout_loop import Rollout, RolloutSettings, RolloutStart, imagine_each
from cwm_agent.oracles.protocol import Oracle, Query, ScoresAnswers, Unanswerable
from cwm_agent.verification.chance.outcome_distributions import (
    DistributionComparison,
    OutcomeCalibration,
    coverage,
    shares,
    total_variation,
)
from envs.execution.decompose.program import Program, decomposed
from envs.execution.state.effects import Effect
from envs.execution.state.frames import Frame, Outcome
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.stepper.first_frame import first_frame
from envs.execution.stepper.stepper import Stepper
from envs.execution.tracer.reality import Reality
from envs.execution.tracer.tracer import TraceLimits

_WIDTH = 256
_NOT_BEGUN = ("?not begun",)


@dataclass(frozen=True, slots=True)
class ChanceCall:
    """One call to compare."""

    id: str
    source: str
    entry: str
    arguments: str
    world: tuple[tuple[str, Any], ...] = ()
    """What the world gives beside the seed, as rows of its record."""


@dataclass(frozen=True, slots=True)
class ChanceSettings:
    """How many runs are compared, and how long one may be."""

    runs: int = 100
    """Imagined runs of a call, and real runs in each of two samples."""
    steps: int = defaults.ROLLOUT_STEPS


@dataclass(frozen=True, slots=True)
class ChanceResult:
    """What was compared, and what could not be."""

    found: tuple[DistributionComparison, ...]
    calibration: OutcomeCalibration
    of_real: OutcomeCalibration
    """The same of one real sample beside another: what chance alone gives."""
    problems: tuple[str, ...]
    """`id: reason` of calls that could not be run or begun."""
    tokens: int


def compare_calls(
    calls: Sequence[ChanceCall], oracle: Oracle, reality: Reality, settings: ChanceSettings | None = None
) -> ChanceResult:
    """Each call's imagined outcomes beside its real ones."""
    settings = settings or ChanceSettings()
    real: dict[str, list[str]] = {}
    starts: list[tuple[str, RolloutStart]] = []
    problems: list[str] = []
    for call in calls:
        try:
            program = decomposed(call.source, call.entry)
            real[call.id] = _real(call, program, reality, settings)
            starts += [(call.id, start) for start in _starts(call, program, settings)]
        except ExecutionError as error:
            real.pop(call.id, None)
            problems.append(f"{call.id}: {error}")
    imagined, tokens = _imagined(starts, oracle, settings)
    calibration, of_real = OutcomeCalibration(), OutcomeCalibration()
    for name, outcomes in real.items():
        calibration.add(shares(imagined[name] or _NOT_BEGUN), shares(outcomes[: settings.runs]))
        of_real.add(shares(outcomes[settings.runs :]), shares(outcomes[: settings.runs]))
    found = [_compared(each, imagined[each], real[each]) for each in real]
    return ChanceResult(tuple(found), calibration, of_real, tuple(problems), tokens)


def _worlds(call: ChanceCall, first: int, count: int) -> list[dict[str, Any]]:
    return [{**dict(call.world), "seed": seed} for seed in range(first, first + count)]


def _real(call: ChanceCall, program: Program, reality: Reality, settings: ChanceSettings) -> list[str]:
    """The outcomes of twice as many real runs as imagined ones."""
    worlds = _worlds(call, 0, 2 * settings.runs)
    outcomes = reality.outcomes(program, call.arguments, worlds, TraceLimits(steps=settings.steps))
    return [outcome_text(outcome) for outcome in outcomes]


def _starts(call: ChanceCall, program: Program, settings: ChanceSettings) -> Iterator[RolloutStart]:
    for world in _worlds(call, 2 * settings.runs, settings.runs):
        frame = first_frame(program, call.arguments, world=world)
        if isinstance(frame, Frame):
            yield RolloutStart(program, frame)


def _imagined(
    starts: Sequence[tuple[str, RolloutStart]], oracle: Oracle, settings: ChanceSettings
) -> tuple[dict[str, list[str]], int]:
    rollouts = RolloutSettings(steps=settings.steps, whole=False)
    found: dict[str, list[str]] = defaultdict(list)
    tokens = 0
    for number, rollout in imagine_each(((start, rollouts) for _, start in starts), oracle, width=_WIDTH):
        found[starts[number][0]].append(_end_text(rollout))
        tokens += rollout.tokens
    return found, tokens


def outcome_text(outcome: Outcome) -> str:
    """An outcome as one text; a run that was cut off is an outcome of its own."""
    return f"{outcome.ending} {outcome.value}"


def _end_text(rollout: Rollout) -> str:
    return f"?{rollout.end}" if rollout.outcome is None else outcome_text(rollout.outcome)


def _compared(name: str, imagined: Sequence[str], real: Sequence[str]) -> DistributionComparison:
    half = len(real) // 2
    said = shares(imagined or _NOT_BEGUN)
    return DistributionComparison(
        name,
        total_variation(said, shares(real[:half])),
        total_variation(shares(real[:half]), shares(real[half:])),
        coverage(said, real),
        sum(share for value, share in said.items() if not value.startswith("?")),
    )


@dataclass(frozen=True, slots=True)
class AskedDraw:
    """A draw for which a model was asked, beside the rule."""

    statement: str
    total_variation: float
    """Of the model's distribution over the possible values from the rule's."""
    mass: float
    """The probability that the model gives all possible values together."""
    values: int


def asked_draws(frames: Sequence[Frame], program: Program, oracle: ScoresAnswers) -> Iterator[AskedDraw]:
    """The model's own distribution of each draw of a real run whose possible values a rule knows."""
    stepper = Stepper(program)
    for frame in frames:
        drawn = stepper.draw(frame)
        if drawn is None or "=" not in drawn[0].statement:
            continue
        question, table = drawn
        target = question.statement.partition(" = ")[0]
        effects = [Effect(bound=((target, value),)) for value in table]
        said = oracle.scores(Query(program, frame, replace(question, globals=()), "local"), effects)
        if isinstance(said, Unanswerable):
            continue
        chances = dict(zip(table, map(exp, said), strict=True))
        mass = sum(chances.values())
        scaled = {value: chance / mass for value, chance in chances.items()} if mass > 0 else {}
        yield AskedDraw(question.statement, total_variation(scaled, table), mass, len(table))
