"""Tests imagined while others still are: begun at any time, believed one by one as they end.

So a search never waits for the longest of its candidates, the oracle's batches stay full, and tests that turn out dear
wait until the cheap ones are done.
"""

from dataclasses import replace
from typing import Generic, Protocol, TypeVar

from cwm_agent.agent.repair.beliefs import Belief, RolloutImaginer, TestImaginer, belief_of
from cwm_agent.imagination.rollout_loop import Key, RolloutLoop, RolloutStart
from tasks.task import Test

K = TypeVar("K")


class ImaginedTests(Protocol[K]):
    """All that a world may know of what imagines its tests."""

    def begin(self, key: K, source: str, entry: str, test: Test, *, promising: bool = False) -> None:
        """Imagine one more test of a program; its belief comes back under `key`. Promising ones wait less."""
        ...

    def advance(self) -> list[tuple[K, Belief]]:
        """Go on with all that are under way; the beliefs that came to their end."""
        ...


class StreamedTests(Generic[Key]):
    """Tests of many programs under way together, each as far as it got."""

    def __init__(self, dreamer: RolloutImaginer, width: int | None = None) -> None:
        self._dreamer = dreamer
        self._settings = replace(dreamer.settings, whole=False)
        self._imagining: RolloutLoop[Key] = RolloutLoop(dreamer.oracle, width)
        self._tests: dict[Key, Test] = {}
        self._known: list[tuple[Key, Belief]] = []
        """What needs no imagining, until somebody fetches it."""

    def begin(self, key: Key, source: str, entry: str, test: Test, *, promising: bool = False) -> None:
        start = self._dreamer.start(source, entry, test)
        if isinstance(start, RolloutStart):
            self._tests[key] = test
            self._imagining.begin(key, start, self._settings, worth=int(promising))
        else:
            self._known.append((key, start))

    def advance(self) -> list[tuple[Key, Belief]]:
        known, self._known = self._known, []
        return known or [(key, belief_of(rollout, self._tests.pop(key))) for key, rollout in self._imagining.advance()]


class BatchedTests(Generic[K]):
    """The same for whoever can only imagine a list of tests from beginning to end: nobody waits."""

    def __init__(self, dreams: TestImaginer) -> None:
        self._dreams = dreams
        self._begun: list[tuple[K, tuple[str, str, Test]]] = []

    def begin(self, key: K, source: str, entry: str, test: Test, *, promising: bool = False) -> None:
        self._begun.append((key, (source, entry, test)))

    def advance(self) -> list[tuple[K, Belief]]:
        begun, self._begun = self._begun, []
        return list(zip((key for key, _ in begun), self._dreams.beliefs([asked for _, asked in begun]), strict=True))
