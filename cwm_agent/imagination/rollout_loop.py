"""The imagining loop: many rollouts advance together, so that the oracle has much to answer at a time.

The stepper keeps the heap and the call stack; frames say which part came from the oracle. `active_rollout.py` has one
rollout under way, `rollout.py` the data that goes in and comes out.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from heapq import nsmallest
from itertools import islice
from typing import Generic, TypeVar

from cwm_agent.imagination.active_rollout import ActiveRollout
from cwm_agent.imagination.imagined_rollout import ENDLESS, End, Mark, Rollout, RolloutSettings, RolloutStart
from cwm_agent.oracles.answer_stream import AnswerStream, stream_of
from cwm_agent.oracles.protocol import Oracle, Prediction, Query
from envs.execution.decompose.program import Program
from envs.execution.step_cache.step_cache import StepCache
from envs.execution.stepper.stepper import Stepper

__all__ = [
    "ENDLESS",
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
    """Each rollout with its number as it ends; `width` are under way, and the next one begins as a place is free.

    So a few long rollouts hold up nobody, and the batches stay full.
    """
    waiting = enumerate(wanted)
    imagining: RolloutLoop[int] = RolloutLoop(oracle)
    while True:
        for number, (start, settings) in islice(waiting, width - len(imagining)):
            imagining.begin(number, start, settings)
        if not len(imagining):
            return
        yield from imagining.advance()


class RolloutLoop(Generic[Key]):
    """Rollouts under way together: begun at any time, handed back one by one as they end.

    With a `width`, only so many are gone on with at once: by halves those that came first and those that cost least so
    far. Costs have a long tail, a tenth of the rollouts takes most of the tokens, so most of those that turn out dear
    wait until the cheap ones are done; and what came first is no more than half as fast as if nothing else had come.
    """

    def __init__(self, oracle: Oracle, width: int | None = None) -> None:
        self._recall: Callable[[Sequence[Query]], list[Prediction] | None] | None = getattr(oracle, "recall", None)
        self._habits: StepCache | None = getattr(oracle, "habits", None)
        self._flow: AnswerStream[tuple[Key, int]] = stream_of(oracle)
        self._width = width
        self._active: dict[Key, ActiveRollout] = {}
        self._answers: dict[Key, dict[int, Prediction]] = {}
        """Of rollouts whose queries are asked, what was said so far."""

    def __len__(self) -> int:
        return len(self._active)

    def begin(self, key: Key, start: RolloutStart, settings: RolloutSettings, *, worth: int = 0) -> None:
        """Take one more rollout along; each `worth` lets it cost four times as much before it waits."""
        self._active[key] = ActiveRollout(start, _stepper(start.program), settings, worth=worth)

    def advance(self) -> list[tuple[Key, Rollout]]:
        """Those that end without the oracle, if there are any: their places can be taken; else it is gone on with.

        So nobody who has ended waits for others, and nobody who has an answer for those who have none.
        """
        served = [key for key in self._served() if key not in self._answers]
        ended = [key for key in served if not self._carried_on(self._active[key])]
        if ended:
            return [(key, self._active.pop(key).rollout()) for key in ended]
        for key in served[: None if self._width is None else max(0, self._width - len(self._answers))]:
            self._ask(key)
        for (key, number), prediction in self._flow.advance():
            self._take(key, number, prediction)
        return []

    def _ask(self, key: Key) -> None:
        queries = self._active[key].queries
        if queries:
            self._answers[key] = {}
            for number, query in enumerate(queries):
                self._flow.ask((key, number), query)

    def _take(self, key: Key, number: int, prediction: Prediction) -> None:
        """Keep one answer; a rollout goes on when it has all that it asked for."""
        found, run = self._answers[key], self._active[key]
        found[number] = prediction
        if len(found) == len(run.queries):
            del self._answers[key]
            run.take([found[each] for each in range(len(found))])

    def _served(self) -> list[Key]:
        """Whom to go on with: all, or some of the first and the first of those that cost least."""
        if self._width is None or len(self._active) <= self._width:
            return list(self._active)
        waiting = iter(self._active)
        first = list(islice(waiting, self._width // 2))
        return first + nsmallest(self._width - len(first), waiting, key=lambda key: self._active[key].level)

    def _carried_on(self, run: ActiveRollout) -> bool:
        """Go on as far as rules and what the oracle remembers reach, or until it is dearer; False at the end.

        What is remembered is not waited for: a batch then holds new questions only.
        """
        habits = self._habits if run.hurries else None
        level = run.level
        while not run.queries:
            if habits is not None and run.hurry(habits, level if self._width is not None else None):
                return True
            if not run.advance():
                return False
            if not run.queries:
                continue
            known = None if self._recall is None else self._recall(run.queries)
            if known is None:
                return True
            queries = run.queries  # taking makes a new list
            run.take(known)
            if habits is not None:
                run.learn(queries, known, habits)
            if self._width is not None and run.level > level:
                return True
        return True


@lru_cache(maxsize=1024)
def _stepper(program: Program) -> Stepper:
    return Stepper(program)
