"""Beliefs about tests from a model that continues histories: programs as written, rolled out from their calls.

The counterpart of `beliefs.RolloutImaginer` for the history view. Candidates share no cached answers: a history holds
the whole program, so the queries of two candidates always differ.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

from cwm_agent.agent.repair.beliefs import Belief, RolloutImaginer, belief_of
from cwm_agent.imagination.guides import Guide
from cwm_agent.imagination.history_rollouts import (
    FREE,
    HistoryRollout,
    HistorySettings,
    HistoryStart,
    imagine_histories,
)
from cwm_agent.imagination.history_start import history_call
from cwm_agent.imagination.rollout_loop import Rollout
from cwm_agent.imagination.view_adapters import FrameType
from cwm_agent.oracles.history_protocol import HistoryOracle, HistoryPrediction, HistoryQuery
from envs.bounded_cache import MIB, bounded_cache
from envs.execution.decompose.program import Program, decomposed, plain
from envs.execution.sources.source_set import SOURCE_NAMES
from envs.execution.state.frames import Bindings, Frame, Outcome
from envs.execution.state.history_frames import History, HistoryFrame
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.text.source_values import world_of_rows
from envs.execution.tracer.history_recorder import Recorder
from tasks.task import Test
from tasks.traced_calls import traced_call


class MeteredHistory:
    """Passes queries to another oracle and counts them and their tokens."""

    def __init__(self, inner: HistoryOracle) -> None:
        self._inner = inner
        self.tokens = 0
        self.asked = 0
        self.hits = 0
        """Always 0: there is no cache. Reports read the same field from `CachedOracle`."""

    @property
    def name(self) -> str:
        return self._inner.name

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        found = self._inner.continue_(queries)
        self.asked += len(queries)
        self.tokens += sum(each.tokens for each in found)
        return found


@dataclass(frozen=True, slots=True)
class HistoryImaginer:
    """Imagines calls of programs in the history view; configuration only."""

    oracle: HistoryOracle
    guide: Guide = FREE
    steps: int = 1_000
    """Frame limit of a rollout whose test has no limit of its own."""
    until: float | None = None
    """Time on the monotonic clock at which imagining stops; unfinished rollouts stay unknown."""
    module_variables: Bindings = ()
    """Module variables of the buggy program, as its real first frame shows them."""
    limits: Mapping[Test, int] = field(default_factory=dict)
    """Frame limit of a rollout by its test."""
    keep: Callable[[str, Test, Rollout | HistoryRollout], None] | None = None
    """Takes rollouts with their program and test as they end; None where they are not kept."""

    def beliefs(self, calls: Sequence[tuple[str, str, Test]]) -> list[Belief]:
        """A belief for each (source, entry, test), all rolled out together."""
        begun = [self._start(source, entry, test) for source, entry, test in calls]
        starts = [start for start in begun if isinstance(start, HistoryStart)]
        settings = HistorySettings(self.guide, self.steps, until=self.until)
        rollouts = iter(imagine_histories(starts, self.oracle, settings))
        return [
            self._belief(source, test, next(rollouts)) if isinstance(start, HistoryStart) else start
            for start, (source, _, test) in zip(begun, calls, strict=True)
        ]

    def _belief(self, source: str, test: Test, rollout: HistoryRollout) -> Belief:
        if self.keep is not None:
            self.keep(source, test, rollout)
        return belief_of(rollout, test)

    def run(self, source: str, entry: str, test: Test) -> tuple[Program, HistoryRollout] | None:
        """Imagine one test and return its frames; None where it cannot be imagined."""
        start = self._start(source, entry, test)
        if not isinstance(start, HistoryStart):
            return None
        settings = HistorySettings(self.guide, self.steps, until=self.until)
        return start.program, imagine_histories([start], self.oracle, settings)[0]

    def _start(self, source: str, entry: str, test: Test) -> HistoryStart | Belief:
        traced = traced_call(source, entry, test)
        if traced is None:
            return Belief(None, value="a test that can only be run")
        try:
            program = _program_under(traced.source, traced.entry, self.guide)
            call = history_call(program, traced.arguments, self.module_variables, traced.world.record())
        except (ExecutionError, ValueError, RecursionError) as error:
            return Belief(None, value=str(error))
        if isinstance(call, Outcome):
            return Belief(False, value=call.value)
        return HistoryStart(program, call, steps=self.limits.get(test))


@bounded_cache(32 * MIB, per_character=200)
def _program_under(source: str, entry: str, guide: Guide) -> Program:
    """The program as the history view shows it under a guide: as written, or decomposed for the guide grounded."""
    return decomposed(source, entry) if guide.freedom == "grounded" else plain(source, entry)


def real_histories(open_recorder: Callable[[], Recorder]) -> Callable[[Program, HistoryFrame], History | None]:
    """A function that records the real history of a call, for oracles that replay real runs.

    It makes the call from the values that the call's frame shows, in the world that its sources show. It returns None
    where that gives another call, as with values that are no literals or arguments without a name.
    """
    recorder = cache(open_recorder)

    @lru_cache(maxsize=512)
    def real_history(program: Program, call: HistoryFrame) -> History | None:
        try:
            given = [f"{name}={text}" for name, text in call.locals if name not in SOURCE_NAMES]
            found = recorder().history(program, ", ".join(given), world=world_of_rows(call.locals))
        except (ExecutionError, ValueError):
            return None
        return found if found.frames[:1] == (call,) else None

    return real_history


Imaginer = RolloutImaginer | HistoryImaginer
IMAGINERS: dict[FrameType, Callable[..., Imaginer]] = {
    Frame: RolloutImaginer,
    HistoryFrame: lambda oracle, view, guide, **limits: HistoryImaginer(oracle, guide, **limits),
}
"""What imagines the tests of a program, by the kind of frames of its view."""
