"""The frames of rollouts that were imagined during a search: repeated from the answer cache, or kept when they ended.

A search keeps the last frame of a rollout only, and takes most steps from a cache. Where the oracle's answers are
cached, its rollouts are repeated at the end of the task from the cache alone: the same answers give the same frames,
and nothing is asked or charged. Where they are not (another view, an oracle that samples), whole rollouts are kept.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from cwm_agent.agent.cached_replay import NOT_CACHED, AnswersFromCache, is_repeatable
from cwm_agent.agent.repair.beliefs import Belief, RolloutImaginer, belief_of
from cwm_agent.agent.repair.history_beliefs import HistoryImaginer
from cwm_agent.imagination.history_rollouts import HistoryRollout
from cwm_agent.imagination.rollout_loop import Rollout, RolloutStart, imagine
from cwm_agent.oracles.protocol import CachesAnswers
from tasks.task import Test

MOST_KEPT_FRAMES = 10_000
"""Frames of whole rollouts that are kept; the oldest rollouts go first."""


@dataclass(slots=True)
class KeptRollouts:
    """Whole rollouts as they ended, the last ones, by program and test."""

    rollouts: OrderedDict[tuple[str, Test], Rollout | HistoryRollout] = field(default_factory=OrderedDict)
    _frames: int = 0

    def keeper(self, oracle: object, view: str) -> Callable[[str, Test, Rollout | HistoryRollout], None] | None:
        """What keeps rollouts of an oracle; None where they can be repeated from its cache."""
        return None if is_repeatable(oracle, view) else self.keep

    def keep(self, source: str, test: Test, rollout: Rollout | HistoryRollout) -> None:
        """Keep one rollout, and drop the oldest beyond the limit."""
        self.rollouts[source, test] = rollout
        self._frames += len(rollout.frames)
        while self._frames > MOST_KEPT_FRAMES and len(self.rollouts) > 1:
            self._frames -= len(self.rollouts.popitem(last=False)[1].frames)


@dataclass(frozen=True, slots=True)
class RolloutReplay:
    """Gives the rollout behind a belief again."""

    imaginer: RolloutImaginer | HistoryImaginer
    kept: KeptRollouts

    def rollout(self, source: str, entry: str, test: Test, belief: Belief | None) -> Rollout | HistoryRollout | None:
        """The rollout of a test as it was imagined; None where it cannot be given, or does not lead to the belief."""
        found = self.kept.rollouts.get((source, test)) or self._repeated(source, entry, test)
        if found is None or (belief is not None and not _same(belief_of(found, test), belief)):
            return None
        return found

    def _repeated(self, source: str, entry: str, test: Test) -> Rollout | None:
        imaginer = self.imaginer
        if not isinstance(imaginer, RolloutImaginer) or not is_repeatable(imaginer.oracle, imaginer.view):
            return None
        assert isinstance(imaginer.oracle, CachesAnswers)
        start = imaginer.start(source, entry, test)
        if not isinstance(start, RolloutStart):
            return None
        settings = replace(imaginer.settings, until=None)
        found = imagine([start], AnswersFromCache(imaginer.oracle), settings)[0]
        return None if found.reason == NOT_CACHED else found


def _same(found: Belief, belief: Belief) -> bool:
    return (found.passes, found.value) == (belief.passes, belief.value)
