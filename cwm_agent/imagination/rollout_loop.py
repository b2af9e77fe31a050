"""The rollout loop: many rollouts advance together, so that the oracle answers large batches.

The stepper keeps the heap and the call stack; each frame's mark says whether the oracle had a part in it.
`active_rollout.py` has one rollout under way, `imagined_rollout.py` the data that goes in and comes out.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice
from typing import Generic, TypeVar

from cwm_agent.imagination.active_rollout import ActiveRollout
from cwm_agent.imagination.imagined_rollout import NON_TERMINATION, End, Mark, Rollout, RolloutSettings, RolloutStart
from cwm_agent.oracles.answer_stream import AnswerStream, stream_of
from cwm_agent.oracles.protocol import CachesAnswers, CachesSteps, Oracle, Prediction
from envs.bounded_cache import MIB, bounded_cache
from envs.execution.decompose.program import Program
from envs.execution.stepper.stepper import Stepper

__all__ = [
    "NON_TERMINATION",
    "End",
    "Key",
    "Mark",
    "Rollout",
    "RolloutLoop",
    "RolloutSettings",
    "RolloutStart",
    "imagine",
    "imagine_each",
]
Key = TypeVar("Key", bound=Hashable)


def imagine(starts: Sequence[RolloutStart], oracle: Oracle, settings: RolloutSettings | None = None) -> list[Rollout]:
    """Roll all starts out to their ends, all of them together."""
    settings = settings or RolloutSettings()
    found = dict(imagine_each(((start, settings) for start in starts), oracle, width=max(1, len(starts))))
    return [found[number] for number in range(len(starts))]


def imagine_each(
    wanted: Iterable[tuple[RolloutStart, RolloutSettings]], oracle: Oracle, *, width: int = 512
) -> Iterator[tuple[int, Rollout]]:
    """Yield each rollout with its number as it ends; `width` are under way, and the next one begins when one ends.

    So a few long rollouts do not hold up the others, and the batches stay full.
    """
    waiting = enumerate(wanted)
    imagining: RolloutLoop[int] = RolloutLoop(oracle)
    while True:
        for number, (start, settings) in islice(waiting, width - len(imagining)):
            imagining.begin(number, start, settings)
        if not len(imagining):
            return
        yield from imagining.advance()


@dataclass(frozen=True, slots=True)
class _LaterStart:
    """A rollout that is started when it first advances."""

    start: Callable[[], RolloutStart | None]
    settings: RolloutSettings
    worth: int


class RolloutLoop(Generic[Key]):
    """Rollouts under way together: each may begin at any time and is returned when it ends.

    With a `width`, only so many advance at once: half of them the oldest, half the cheapest so far. Costs have a long
    tail (a tenth of the rollouts takes most of the tokens), so most expensive rollouts wait until the cheap ones are
    done; and the oldest rollout is at most half as fast as it would be alone.
    """

    def __init__(self, oracle: Oracle, width: int | None = None) -> None:
        self._cached = oracle.cached if isinstance(oracle, CachesAnswers) else None
        self._step_cache = oracle.step_cache if isinstance(oracle, CachesSteps) else None
        self._stream: AnswerStream[tuple[Key, int]] = stream_of(oracle)
        self._width = width
        self._active: dict[Key, ActiveRollout | _LaterStart] = {}
        self._levels: dict[Key, int] = {}
        """The level of each of them, which changes only where it advances."""
        self._answers: dict[Key, dict[int, Prediction]] = {}
        """Predictions so far, by rollout; a rollout is here while its queries are under way."""

    def __len__(self) -> int:
        return len(self._active)

    def begin(self, key: Key, start: RolloutStart, settings: RolloutSettings, *, worth: int = 0) -> None:
        """Add one rollout; each `worth` lets it cost four times as much before it waits."""
        run = ActiveRollout(start, _stepper(start.program), settings, worth=worth)
        self._active[key], self._levels[key] = run, run.level

    def begin_later(
        self, key: Key, start: Callable[[], RolloutStart | None], settings: RolloutSettings, *, worth: int = 0
    ) -> None:
        """Add one rollout whose start is computed when it first advances; without a start it is dropped then."""
        self._active[key], self._levels[key] = _LaterStart(start, settings, worth), -worth

    def advance(self) -> list[tuple[Key, Rollout]]:
        """Return the rollouts that ended without the oracle, if any; else ask the oracle and return none.

        So a rollout that has ended is returned at once, and one that has its answers does not wait for the others. Only
        where a rollout of some worth waits for the oracle is it asked in either case: else hundreds of rollouts that
        need no answer, and whose programs must be taken apart first, would come before it.
        """
        served = {key: run for key in self._served() if key not in self._answers and (run := self._started(key))}
        ended = [(key, run.rollout()) for key, run in served.items() if not self._advanced(run)]
        for key, _ in ended:
            del self._active[key], self._levels[key], served[key]
        self._levels.update((key, run.level) for key, run in served.items())
        waiting = [*self._answers, *(key for key, run in served.items() if run.queries)]
        if not ended or any(self._run(key).worth > 0 for key in waiting):
            self._ask_oracle(sorted(served, key=lambda key: -served[key].worth))
        return ended

    def _ask_oracle(self, served: Iterable[Key]) -> None:
        """Ask for some rollouts, as far as there is room, and take the answers that come first."""
        for key in list(served)[: None if self._width is None else max(0, self._width - len(self._answers))]:
            self._ask(key)
        for (key, number), prediction in self._stream.advance():
            self._take(key, number, prediction)

    def _started(self, key: Key) -> ActiveRollout | None:
        """The rollout under way, which is started now if it was not; None where it has no start."""
        run = self._active[key]
        if isinstance(run, _LaterStart):
            start = run.start()
            if start is None:
                del self._active[key], self._levels[key]
                return None
            self.begin(key, start, run.settings, worth=run.worth)  # it keeps its place
        return self._run(key)

    def _run(self, key: Key) -> ActiveRollout:
        run = self._active[key]
        assert isinstance(run, ActiveRollout)
        return run

    def _ask(self, key: Key) -> None:
        queries = self._run(key).queries
        if queries:
            self._answers[key] = {}
            for number, query in enumerate(queries):
                self._stream.ask((key, number), query)

    def _take(self, key: Key, number: int, prediction: Prediction) -> None:
        """Store one prediction; a rollout continues when it has all its predictions."""
        found, run = self._answers[key], self._run(key)
        found[number] = prediction
        if len(found) == len(run.queries):
            del self._answers[key]
            run.take([found[each] for each in range(len(found))])
            self._levels[key] = run.level

    def _served(self) -> list[Key]:
        """Return the rollouts that may advance: all, or the `width / 2` oldest and the `width / 2` cheapest."""
        if self._width is None or len(self._active) <= self._width:
            return list(self._active)
        waiting = iter(self._active)
        first = list(islice(waiting, self._width // 2))
        return first + nsmallest(self._width - len(first), waiting, key=self._levels.__getitem__)

    def _advanced(self, run: ActiveRollout) -> bool:
        """Advance by rules and caches until a new question or a higher cost level; False at the end of the rollout.

        Cached answers are taken at once, so a batch holds new questions only.
        """
        step_cache = self._step_cache if run.uses_step_cache else None
        level = run.level
        while not run.queries:
            if step_cache is not None and run.advance_cached(step_cache, level if self._width is not None else None):
                return True
            if not run.advance():
                return False
            if not run.queries:
                continue
            known = None if self._cached is None else self._cached(run.queries)
            if known is None:
                return True
            queries = run.queries  # `take` makes a new list
            run.take(known)
            if step_cache is not None:
                run.cache_step(queries, known, step_cache)
            if self._width is not None and run.level > level:
                return True
        return True


@bounded_cache(32 * MIB, per_character=100)
def _stepper(program: Program) -> Stepper:
    return Stepper(program)
