"""What imagination says of a program's tests: a belief for each, or nothing where it does not know.

A rollout that is unsupported, malformed or cut off says *unknown*, never *fail*. What it does say is softened by the
log-probability of all that it said: a rollout of many unsure steps believes little.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cwm_agent.imagination.guides import GROUNDED, Guide
from cwm_agent.imagination.loop import Rollout, Settings, Start, imagine
from cwm_agent.oracles.protocol import Oracle, View
from envs.execution.entering import first_frame
from envs.execution.frames import Bindings, Outcome
from envs.execution.program import Program, decomposed
from envs.execution.values import ExecutionError
from tasks import CallTest
from tasks.task import Test

BY_CHANCE = 0.1
"""How likely a test passes where imagination got it wrong."""


@dataclass(frozen=True, slots=True)
class Belief:
    """What is believed of one test of one program."""

    passes: float | None
    """Probability that it passes; None is unknown."""
    value: str = ""
    """What was imagined to come out, or why that is unknown."""
    steps: int = 0
    tokens: int = 0

    @property
    def hopeful(self) -> bool:
        return self.passes is not None and self.passes >= 0.5


@dataclass(frozen=True, slots=True)
class Dreamer:
    """Imagines calls of programs; configuration only."""

    oracle: Oracle
    view: View = "local"
    guide: Guide = GROUNDED
    steps: int = 1_000
    until: float | None = None
    """Time on the monotonic clock at which imagining stops; what is unknown then stays unknown."""
    lent: Bindings = ()
    """Module variables as the real first frame showed them."""

    def beliefs(self, asked: Sequence[tuple[str, str, Test]]) -> list[Belief]:
        """A belief for each (source, entry, test), all rolled out together."""
        starts: list[Start] = []
        found: dict[int, Belief] = {}
        places: list[int] = []
        for index, (source, entry, test) in enumerate(asked):
            start = self._start(source, entry, test)
            if isinstance(start, Start):
                starts.append(start)
                places.append(index)
            else:
                found[index] = start
        settings = Settings(view=self.view, guide=self.guide, steps=self.steps, until=self.until)
        for place, rollout in zip(places, imagine(starts, self.oracle, settings) if starts else [], strict=True):
            found[place] = belief_of(rollout, asked[place][2])
        return [found[index] for index in range(len(asked))]

    def _start(self, source: str, entry: str, test: Test) -> Start | Belief:
        if not isinstance(test, CallTest):
            return Belief(None, "a test that can only be run")
        try:
            program: Program = decomposed(source, entry)
            frame = first_frame(program, test.arguments, self.lent)
        except (ExecutionError, ValueError, RecursionError) as error:
            return Belief(None, str(error))
        return Belief(0.0, frame.value) if isinstance(frame, Outcome) else Start(program, frame)


def belief_of(rollout: Rollout, test: Test) -> Belief:
    """A rollout as a belief about a test."""
    assert isinstance(test, CallTest)
    steps = len(rollout.frames)
    if rollout.outcome is None:
        return Belief(None, f"{rollout.end}: {rollout.reason}", steps, rollout.tokens)
    right = rollout.outcome.ending == "returned" and test.accepts_text(rollout.outcome.value)
    sure = math.exp(max(rollout.logprob, -50.0))
    chance = sure + (1 - sure) * BY_CHANCE if right else (1 - sure) * BY_CHANCE
    return Belief(chance, rollout.outcome.value, steps, rollout.tokens)
