"""Imagines tests side by side: a test is begun at any time, and its belief comes back when its rollout ends.

So a search never waits for the longest of its candidates, the oracle's batches stay full, and expensive tests wait
until the cheap ones are done.
"""

from dataclasses import replace
from functools import partial
from typing import Generic, Protocol, TypeVar

from cwm_agent.agent.repair.beliefs import Belief, RolloutImaginer, TestImaginer
from cwm_agent.agent.repair.start_forecast import StartForecast
from cwm_agent.imagination.rollout_loop import Key, RolloutLoop, RolloutStart
from tasks.task import CallTest, Test

K = TypeVar("K")


class ImaginedTests(Protocol[K]):
    """Tests being imagined, as `ImaginedRepair` sees them."""

    def begin(self, key: K, source: str, entry: str, test: Test, *, preferred: bool = False) -> None:
        """Begin to imagine one test of a program; its belief comes back under `key`. Preferred tests wait less."""
        ...

    def advance(self) -> list[tuple[K, Belief]]:
        """Imagine all tests under way further; return the beliefs of those that ended."""
        ...


class StreamedTests(Generic[Key]):
    """Rollouts of many tests under way together; each test ends on its own."""

    def __init__(self, imaginer: RolloutImaginer, width: int | None = None, base: str | None = None) -> None:
        self._imaginer = imaginer
        self._base = base
        """The program that all others are edits of; None where they are not."""
        self._forecast = None if base is None else StartForecast.of(base)
        self._base_starts: dict[Test, bool] = {}
        """Whether a rollout of each test of the base can be started."""
        self._settings = replace(imaginer.settings, whole=imaginer.keep is not None)
        self._rollouts: RolloutLoop[Key] = RolloutLoop(imaginer.oracle, width)
        self._tests: dict[Key, tuple[str, Test]] = {}
        """Program and test of each rollout."""
        self._known: list[tuple[Key, Belief]] = []
        """Beliefs that need no rollout, until the next `advance` returns them."""

    def begin(self, key: Key, source: str, entry: str, test: Test, *, preferred: bool = False) -> None:
        if self._starts(source, entry, test):
            self._tests[key] = source, test
            start_later = partial(self._start, key, source, entry, test)
            self._rollouts.begin_later(key, start_later, self._settings, worth=int(preferred))
        elif (start := self._start(key, source, entry, test)) is not None:
            self._tests[key] = source, test
            self._rollouts.begin(key, start, self._settings, worth=int(preferred))

    def _start(self, key: Key, source: str, entry: str, test: Test) -> RolloutStart | None:
        """The start of a rollout; None where a belief needs none, which is then known."""
        start = self._imaginer.start(source, entry, test)
        if isinstance(start, RolloutStart):
            return start
        self._tests.pop(key, None)
        self._known.append((key, start))
        return None

    def _starts(self, source: str, entry: str, test: Test) -> bool:
        """Whether it is sure, before a program is decomposed, that a rollout of its test can be started."""
        if self._base is None or self._forecast is None or not isinstance(test, CallTest):
            return False
        if test not in self._base_starts:
            begun = self._imaginer.start(self._base, entry, test)
            self._base_starts[test] = isinstance(begun, RolloutStart)
        return self._base_starts[test] and self._forecast.is_same(source)

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

    def begin(self, key: K, source: str, entry: str, test: Test, *, preferred: bool = False) -> None:
        self._begun.append((key, (source, entry, test)))

    def advance(self) -> list[tuple[K, Belief]]:
        begun, self._begun = self._begun, []
        beliefs = self._imaginer.beliefs([call for _, call in begun])
        return list(zip((key for key, _ in begun), beliefs, strict=True))


def tests_of(imaginer: TestImaginer, width: int, base: str) -> ImaginedTests[tuple[str, int]]:
    """No test yet: rollouts end on their own, at most `width` advance at once; histories come in batches.

    All programs are edits of `base`.
    """
    return StreamedTests(imaginer, width, base) if isinstance(imaginer, RolloutImaginer) else BatchedTests(imaginer)
