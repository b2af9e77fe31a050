"""Candidate programs as data: the program that was edited, the edits' prior, and beliefs about its tests.

Knows no search and no oracle.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from cwm_agent.agent.repair.beliefs import Belief
from envs.domains.repair_core import RepairState


@dataclass(slots=True)
class BaseProgram:
    """A program that candidates are made from."""

    passes: tuple[bool, ...]
    """Whether it passes each test, by its real run or by belief."""
    expected_share: float
    """Share of the tests that it is expected to pass."""
    candidates: int = 0
    """Candidates made from it so far."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program that was imagined, with the beliefs about its tests."""

    state: RepairState
    beliefs: tuple[Belief | None, ...]
    """None for a test that was not imagined, because others had failed."""
    prior: float
    """Prior probability of all its edits together."""
    base: BaseProgram = field(default_factory=lambda: BaseProgram((), 0.0))
    """The program it was made from; the search extends a candidate only if it is better than its base."""

    @property
    def verdicts(self) -> list[bool | None]:
        """Whether each test is believed to pass; None where that is unknown."""
        return [None if belief is None else belief.passes for belief in self.beliefs]

    @property
    def is_answered(self) -> bool:
        """Whether the model said something about it: a rollout of one of its tests came to a verdict."""
        return any(belief is not None and belief.is_answered for belief in self.beliefs)


@dataclass(slots=True)
class PendingCandidate:
    """A program while its tests are imagined."""

    state: RepairState
    prior: float
    base: BaseProgram
    beliefs: dict[int, Belief] = field(default_factory=dict)
    """Beliefs found so far, by test."""
    waiting: set[int] = field(default_factory=set)
    """Tests that were begun and whose result is not known yet."""
    later: Sequence[int] = ()
    """Further failing tests, which are imagined if the first one is believed to fail."""
