"""Imagines tests side by side: a test is begun at any time, and its belief comes back when its rollout ends.

So a search never waits for the longest of its candidates, the oracle's batches stay full, and expensive tests wait
until the cheap ones are done.
"""

from dataclasses import replace
from functools import partial
from typing import Generic, Protocol, TypeVar

from cwm_agent.agent.repair.beliefs import Belief, RolloutImaginer, TestImaginer
from cwm_agent.imagination.rollout_loop import Key, RolloutLoop, RolloutStart
from tasks.task import Test

K = TypeVar("K")


class ImaginedTests(Protocol[K]):
    """Tests being imagined, as `ImaginedRepair` sees them."""

    def begin(self, key: K, source: str, entry: str, test: Test, *, worth: int = 0) -> None:
        """Begin to imagine one test of a program; its belief comes back under `key`. More worth means less waiting."""
        ...

    def advance(self) -> list[tuple[K, Belief]]:
        """Imagine all tests under way further; return the beliefs of those that ended."""
        ...


class StreamedTests(Generic[Key]):
    """Rollouts of many tests under way together; each test ends on its own."""

    def __init__(self, imaginer: RolloutImaginer, width: int | None = None) -> None:
        self._imaginer = imaginer
        self._settings = replace(imaginer.settings, whole=imaginer.keep is not None)
        self._rollouts: RolloutLoop[Key] = RolloutLoop(imaginer.oracle, width)
        self._tests: dict[Key, tuple[str, Test]] = {}
        """Program and test of each rollout."""
        self._known: list[tuple[Key, Belief]] = []
        """Beliefs that need no rollout, until the next `advance` returns them."""

    def begin(self, key: Key, source: str, entry: str, test: Test, *, worth: int = 0) -> None:
        self._tests[key] = source, test
        start = partial(self._start, key, source, entry, test)
        self._rollouts.begin_later(key, start, self._settings, worth=worth)

    def _start(self, key: Key, source: str, entry: str, test: Test) -> RolloutStart | None:
        """The start of a rollout, once its turn comes; None where a belief needs none, which is then known.

        A search begins hundreds of candidates and may end after thirty: the others are never decomposed.
        """
        start = self._imaginer.start(source, entry, test)
        if isinstance(start, RolloutStart):
            return start
        del self._tests[key]
        self._known.append((key, start))
        return None

    def advance(self) -> list[tuple[Key, Belief]]:
        known, self._known = self._known, []
        return known or [
            (key, self._imaginer.belief(*self._tests.pop(key), rollout)) for key, rollout in self._rollouts.advance()
        ]


class BatchedTests(Generic[K]):
    """The same for an imaginer that takes a list of tests: `advance` imagines all begun tests to their ends."""

    def __init__(self, imaginer: TestImaginer) -> None:
        self._imaginer = imaginer
        self._begun: list[tuple[K, tuple[str, str, Test]]] = []

    def begin(self, key: K, source: str, entry: str, test: Test, *, worth: int = 0) -> None:
        self._begun.append((key, (source, entry, test)))

    def advance(self) -> list[tuple[K, Belief]]:
        begun, self._begun = self._begun, []
        beliefs = self._imaginer.beliefs([call for _, call in begun])
        return list(zip((key for key, _ in begun), beliefs, strict=True))


def tests_of(imaginer: TestImaginer, width: int) -> ImaginedTests[tuple[str, int]]:
    """No test yet: rollouts end on their own, at most `width` advance at once; histories come in batches."""
    return StreamedTests(imaginer, width) if isinstance(imaginer, RolloutImaginer) else BatchedTests(imaginer)
