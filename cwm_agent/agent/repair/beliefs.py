"""What imagination says of a program's tests: a verdict for each, or nothing where it does not know.

A rollout that is unsupported, malformed or cut off says *unknown*, never *fail*. How sure a verdict is follows from the
log-probability of all that was said on the way: a rollout of many unsure steps is sure of little.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from cwm_agent.agent.repair.partial_credit import closeness
from cwm_agent.imagination.guides import GROUNDED, Guide
from cwm_agent.imagination.history_rollouts import HistoryRollout
from cwm_agent.imagination.rollout_loop import ENDLESS, Rollout, RolloutSettings, RolloutStart, imagine
from cwm_agent.oracles.protocol import MarkovView, Oracle, is_deterministic
from envs.execution.decompose.program import Program, decomposed
from envs.execution.state.frames import Bindings, Outcome
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.stepper.first_frame import first_frame
from tasks import CallTest
from tasks.task import Test

TOO_LONG = 0.5
"""How sure it is that a run fails that goes on for much longer than the buggy program's."""


@dataclass(frozen=True, slots=True)
class Belief:
    """What is believed of one test of one program."""

    passes: bool | None
    """None is unknown."""
    sure: float = 1.0
    """Probability that the model gives to all it said on the way."""
    value: str = ""
    """What was imagined to come out, or why that is unknown."""
    close: float = 0.0
    """How close that is to what the test wants."""
    steps: int = 0
    tokens: int = 0


class TestImaginer(Protocol):
    """Whatever imagines a list of tests, in whatever view."""

    def beliefs(self, asked: Sequence[tuple[str, str, Test]]) -> list[Belief]:
        """A belief for each (source, entry, test), all rolled out together."""
        ...

    def run(self, source: str, entry: str, test: Test) -> "tuple[Program, Rollout | HistoryRollout] | None":
        """One test imagined, frame by frame; None where it cannot be."""
        ...


@dataclass(frozen=True, slots=True)
class RolloutImaginer:
    """Imagines calls of programs; configuration only."""

    oracle: Oracle
    view: MarkovView = "local"
    guide: Guide = GROUNDED
    steps: int = 1_000
    """Of one rollout, where its test has no limit of its own."""
    until: float | None = None
    """Time on the monotonic clock at which imagining stops; what is unknown then stays unknown."""
    lent: Bindings = ()
    """Module variables as the real first frame showed them."""
    limits: Mapping[Test, int] = field(default_factory=dict)
    """Steps of a rollout by its test: how long the run may get, going by the real one."""

    def beliefs(self, asked: Sequence[tuple[str, str, Test]]) -> list[Belief]:
        """A belief for each (source, entry, test), all rolled out together."""
        begun = [self.start(source, entry, test) for source, entry, test in asked]
        starts = [start for start in begun if isinstance(start, RolloutStart)]
        rollouts = iter(imagine(starts, self.oracle, self.settings) if starts else ())
        return [
            belief_of(next(rollouts), test) if isinstance(start, RolloutStart) else start
            for start, (_, _, test) in zip(begun, asked, strict=True)
        ]

    def run(self, source: str, entry: str, test: Test) -> tuple[Program, Rollout] | None:
        """One test imagined, frame by frame; None where it cannot be."""
        start = self.start(source, entry, test)
        return (
            (start.program, imagine([start], self.oracle, self.settings)[0])
            if isinstance(start, RolloutStart)
            else None
        )

    @property
    def settings(self) -> RolloutSettings:
        """How rollouts are imagined."""
        endless = is_deterministic(self.oracle)
        return RolloutSettings(view=self.view, guide=self.guide, until=self.until, endless=endless)

    def start(self, source: str, entry: str, test: Test) -> RolloutStart | Belief:
        """Where the rollout of a test begins; a belief where nothing is to be imagined."""
        if not isinstance(test, CallTest):
            return Belief(None, value="a test that can only be run")
        try:
            program = _program(source, entry)
            frame = first_frame(program, test.arguments, self.lent)
        except (ExecutionError, ValueError, RecursionError) as error:
            return Belief(None, value=str(error))
        return (
            Belief(False, value=frame.value)
            if isinstance(frame, Outcome)
            else RolloutStart(program, frame, steps=self.limits.get(test, self.steps))
        )


@lru_cache(maxsize=512)
def _program(source: str, entry: str) -> Program:
    """A candidate decomposed once for all its tests."""
    return decomposed(source, entry)


def belief_of(rollout: Rollout | HistoryRollout, test: Test) -> Belief:
    """A rollout as a belief about a test."""
    assert isinstance(test, CallTest)
    steps = rollout.steps
    sure = math.exp(max(rollout.logprob, -50.0))
    if rollout.end == "truncated" and rollout.reason == ENDLESS:
        return Belief(False, sure, ENDLESS, steps=steps, tokens=rollout.tokens)
    if rollout.end == "truncated" and rollout.reason == "steps":
        return Belief(False, TOO_LONG, "a run that goes on and on", steps=steps, tokens=rollout.tokens)
    if rollout.outcome is None:
        return Belief(None, value=f"{rollout.end}: {rollout.reason}", steps=steps, tokens=rollout.tokens)
    right = rollout.outcome.ending == "returned" and test.accepts_text(rollout.outcome.value)
    value = rollout.outcome.value
    close = closeness(test.expected, value) if rollout.outcome.ending == "returned" else 0.0
    return Belief(right, sure, value, close, steps, rollout.tokens)
