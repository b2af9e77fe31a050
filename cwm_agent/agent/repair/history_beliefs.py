"""Beliefs about tests from a model that continues histories: the programs as written, rolled out from their calls.

The counterpart of `beliefs.RolloutImaginer` for the history view. Nothing is cached from one candidate to another: a
history holds the whole program, so queries of two candidates are never equal.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

from cwm_agent.agent.repair.beliefs import Belief, belief_of
from cwm_agent.imagination.guides import Guide
from cwm_agent.imagination.history_rollouts import (
    FREE,
    HistoryRollout,
    HistorySettings,
    HistoryStart,
    imagine_histories,
)
from cwm_agent.imagination.history_start import history_call
from cwm_agent.oracles.history_protocol import HistoryOracle, HistoryPrediction, HistoryQuery
from envs.execution.decompose.program import Program, decomposed, plain
from envs.execution.state.frames import Bindings, Outcome
from envs.execution.state.history_frames import History, HistoryFrame
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.tracer.history_recorder import Recorder
from tasks import CallTest
from tasks.task import Test


class MeteredHistory:
    """Passes queries on and counts what they cost."""

    def __init__(self, inner: HistoryOracle) -> None:
        self._inner = inner
        self.tokens = 0
        self.asked = 0
        self.hits = 0
        """Always 0; `CachedOracle` has the same counter."""

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
    """Frames of one rollout, where its test has no limit of its own."""
    until: float | None = None
    """Time on the monotonic clock at which imagining stops; what is unknown then stays unknown."""
    lent: Bindings = ()
    """Module variables as the real first frame showed them."""
    limits: Mapping[Test, int] = field(default_factory=dict)
    """Frames of a rollout by its test."""

    def beliefs(self, asked: Sequence[tuple[str, str, Test]]) -> list[Belief]:
        """A belief for each (source, entry, test), all rolled out together."""
        begun = [self._start(source, entry, test) for source, entry, test in asked]
        starts = [start for start in begun if isinstance(start, HistoryStart)]
        settings = HistorySettings(self.guide, self.steps, until=self.until)
        rollouts = iter(imagine_histories(starts, self.oracle, settings))
        return [
            belief_of(next(rollouts), test) if isinstance(start, HistoryStart) else start
            for start, (_, _, test) in zip(begun, asked, strict=True)
        ]

    def run(self, source: str, entry: str, test: Test) -> tuple[Program, HistoryRollout] | None:
        """One test imagined, frame by frame; None where it cannot be."""
        start = self._start(source, entry, test)
        if not isinstance(start, HistoryStart):
            return None
        settings = HistorySettings(self.guide, self.steps, until=self.until)
        return start.program, imagine_histories([start], self.oracle, settings)[0]

    def _start(self, source: str, entry: str, test: Test) -> HistoryStart | Belief:
        if not isinstance(test, CallTest):
            return Belief(None, value="a test that can only be run")
        try:
            program = written(source, entry, self.guide)
            call = history_call(program, test.arguments, self.lent)
        except (ExecutionError, ValueError, RecursionError) as error:
            return Belief(None, value=str(error))
        if isinstance(call, Outcome):
            return Belief(False, value=call.value)
        return HistoryStart(program, call, steps=self.limits.get(test))


@lru_cache(maxsize=512)
def written(source: str, entry: str, guide: Guide) -> Program:
    """The program as the history view shows it under a guide: as written, or decomposed where the guide needs that."""
    return decomposed(source, entry) if guide.freedom == "grounded" else plain(source, entry)


def told_by(open_recorder: Callable[[], Recorder]) -> Callable[[Program, HistoryFrame], History | None]:
    """Real runs for oracles that tell them again: the call is made anew from the values that its frame shows.

    None where that gives another call, as with values that are no literals or arguments that have no name.
    """
    recorder = cache(open_recorder)

    @lru_cache(maxsize=4_096)
    def tell(program: Program, call: HistoryFrame) -> History | None:
        try:
            found = recorder().history(program, ", ".join(f"{name}={text}" for name, text in call.locals))
        except ExecutionError:
            return None
        return found if found.frames[:1] == (call,) else None

    return tell
