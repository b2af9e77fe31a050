"""Beliefs about a program's tests: each is imagined, and the rollout's end becomes a verdict or *unknown*.

A rollout that is unsupported, malformed or cut off by the budget gives *unknown*, never *fail*. The confidence of a
verdict is the probability that the model gave to all answers of the rollout, so many unsure steps give a low one.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Protocol

from cwm_agent.agent.repair.partial_credit import closeness
from cwm_agent.imagination.guides import GROUNDED, Guide
from cwm_agent.imagination.history_rollouts import HistoryRollout
from cwm_agent.imagination.rollout_loop import NON_TERMINATION, Rollout, RolloutSettings, RolloutStart, imagine
from cwm_agent.oracles.protocol import MarkovView, Oracle, is_deterministic
from envs.bounded_cache import MIB, bounded_cache
from envs.execution.decompose.program import Program, decomposed
from envs.execution.state.frames import Bindings, Outcome
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.stepper.first_frame import first_frame
from tasks import CodeTest
from tasks.task import Test
from tasks.traced_calls import TracedCall, traced_call

STEP_LIMIT_CONFIDENCE = 0.5
"""Confidence that a test fails whose run is much longer than the buggy program's."""


@dataclass(frozen=True, slots=True)
class Belief:
    """What is believed of one test of one program."""

    passes: bool | None
    """None is unknown."""
    confidence: float = 1.0
    """Probability that the model gave to all answers of the rollout."""
    _: KW_ONLY
    value: str = ""
    """The imagined result, or why it is unknown."""
    close: float = 0.0
    """How close the result is to the expected one, from 0 to 1."""
    steps: int = 0
    tokens: int = 0
    line: int | None = None
    """Where a rollout without an outcome stopped, as a line of the program as it is written."""

    @property
    def is_answered(self) -> bool:
        """Whether a rollout came to this verdict; a rule about the program alone may too, or nothing is known."""
        return self.passes is not None and self.steps > 0


class TestImaginer(Protocol):
    """Imagines a list of tests, in any view."""

    def beliefs(self, calls: Sequence[tuple[str, str, Test]]) -> list[Belief]:
        """A belief for each (source, entry, test), all rolled out together."""
        ...

    def run(self, source: str, entry: str, test: Test) -> "tuple[Program, Rollout | HistoryRollout] | None":
        """Imagine one test and return its frames; None where it cannot be imagined."""
        ...


@dataclass(frozen=True, slots=True)
class RolloutImaginer:
    """Imagines calls of programs; configuration only."""

    oracle: Oracle
    view: MarkovView = "local"
    guide: Guide = GROUNDED
    steps: int = 1_000
    """Step limit of a rollout whose test has no limit of its own."""
    until: float | None = None
    """Time on the monotonic clock at which imagining stops; unfinished rollouts stay unknown."""
    module_variables: Bindings = ()
    """Module variables of the buggy program, as its real first frame shows them."""
    limits: Mapping[Test, int] = field(default_factory=dict)
    """Step limit of a rollout by its test, derived from the length of the real run."""
    tokens: int | None = None
    """Tokens after which a rollout stops and stays unknown; None for no limit."""
    keep: Callable[[str, Test, Rollout | HistoryRollout], None] | None = None
    """Takes whole rollouts with their program and test as they end; None where they are not kept."""

    def beliefs(self, calls: Sequence[tuple[str, str, Test]]) -> list[Belief]:
        """A belief for each (source, entry, test), all rolled out together."""
        begun = [self.start(source, entry, test) for source, entry, test in calls]
        starts = [start for start in begun if isinstance(start, RolloutStart)]
        rollouts = iter(imagine(starts, self.oracle, self.settings) if starts else ())
        return [
            self.belief(source, test, next(rollouts), start.program) if isinstance(start, RolloutStart) else start
            for start, (source, _, test) in zip(begun, calls, strict=True)
        ]

    def belief(self, source: str, test: Test, rollout: Rollout, program: Program | None = None) -> Belief:
        """The belief that follows from a rollout, which is kept where that is wanted."""
        if self.keep is not None:
            self.keep(source, test, rollout)
        return belief_of(rollout, test, program)

    def run(self, source: str, entry: str, test: Test) -> tuple[Program, Rollout] | None:
        """Imagine one test and return its frames; None where it cannot be imagined."""
        start = self.start(source, entry, test)
        return (
            (start.program, imagine([start], self.oracle, self.settings)[0])
            if isinstance(start, RolloutStart)
            else None
        )

    @property
    def settings(self) -> RolloutSettings:
        """The settings of each rollout; non-termination is detected where answers do not vary."""
        deterministic = is_deterministic(self.oracle)
        return RolloutSettings(
            view=self.view,
            guide=self.guide,
            until=self.until,
            tokens=self.tokens,
            detects_non_termination=deterministic,
        )

    def start(self, source: str, entry: str, test: Test) -> RolloutStart | Belief:
        """The start of a test's rollout; a belief where no rollout is needed or possible."""
        call = traced_call(source, entry, test, tuple(self.limits))
        if call is None:
            return Belief(None, value="a test that can only be run")
        try:
            program = program_of(call)
            frame = first_frame(program, call.arguments, self.module_variables, call.world.record())
        except (ExecutionError, ValueError, RecursionError) as error:
            return Belief(None, value=str(error))
        return (
            Belief(False, value=frame.value)
            if isinstance(frame, Outcome)
            else RolloutStart(program, frame, steps=self.limits.get(test, self.steps))
        )


def program_of(call: TracedCall) -> Program:
    """The decomposed program of a test's call."""
    return replace(_program(call.source, call.first), entry=call.entry)


@bounded_cache(32 * MIB, per_character=100)
def _program(source: str, entry: str) -> Program:
    """The decomposed program, computed once for all its tests."""
    return decomposed(source, entry)


def belief_of(rollout: Rollout | HistoryRollout, test: Test, program: Program | None = None) -> Belief:
    """The belief about a test that follows from its rollout; with its program it says where the rollout stopped."""
    assert not isinstance(test, CodeTest)
    steps = rollout.steps
    confidence = math.exp(max(rollout.logprob, -50.0))
    if rollout.end == "truncated" and rollout.reason == NON_TERMINATION:
        return Belief(False, confidence, value=NON_TERMINATION, steps=steps, tokens=rollout.tokens)
    if rollout.end == "truncated" and rollout.reason == "steps":
        return Belief(False, STEP_LIMIT_CONFIDENCE, value="over the step limit", steps=steps, tokens=rollout.tokens)
    if rollout.outcome is None:
        last = rollout.frames[-1] if program is not None and isinstance(rollout, Rollout) and rollout.frames else None
        line = program.origin[last.line - 1] if program is not None and last is not None else None
        value = f"{rollout.end}: {rollout.reason}"
        return Belief(None, value=value, steps=steps, tokens=rollout.tokens, line=line)
    right = rollout.outcome.ending == "returned" and test.accepts_text(rollout.outcome.value)
    value = rollout.outcome.value
    close = closeness(test.expected, value) if rollout.outcome.ending == "returned" else 0.0
    return Belief(right, confidence, value=value, close=close, steps=steps, tokens=rollout.tokens)
