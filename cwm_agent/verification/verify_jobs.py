"""Verification by several workers: each takes chunks of a file and returns their counts, which are added up in order.

Every chunk starts with an empty answer cache, and its size is fixed. So the figures do not depend on the number of
workers; in one process, with one cache for the whole file, only `tokens`, `remembered` and `seconds` differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from cwm_agent.imagination.guides import parse_guide
from cwm_agent.jobs.errors import JobError
from cwm_agent.jobs.job_loop import JobListeners, run_jobs
from cwm_agent.jobs.node_display import NodeDisplay
from cwm_agent.jobs.placement import Placement
from cwm_agent.jobs.protocol import LostItem, Runner, Tell
from cwm_agent.oracles.protocol import MarkovView
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.verification.rollout_tally import RolloutTally, roll
from cwm_agent.verification.step_accuracy import Case, StepCounts, count_steps
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.reality import Reality

T = TypeVar("T")


@dataclass(slots=True)
class VerifiedChunk:
    """Counts of some cases, or of many chunks added up."""

    tallies: list[RolloutTally]
    counts: StepCounts = field(default_factory=StepCounts)
    hits: int = 0
    asked: int = 0
    name: str = ""
    """Of the oracle."""
    observed: list[tuple[Any, ...]] = field(default_factory=list)
    """What an observer is to be told."""

    def add(self, other: VerifiedChunk) -> None:
        """Add the counts of another chunk."""
        self.counts.add(other.counts)
        for mine, theirs in zip(self.tallies, other.tallies, strict=True):
            mine.add(theirs)
        self.hits += other.hits
        self.asked += other.asked
        self.name = other.name
        for told in other.observed:
            if (observer := self.tallies[0].observer) is not None:
                observer(*told)

    @property
    def hit_rate(self) -> float:
        return self.hits / self.asked if self.asked else 0.0


@dataclass(frozen=True, slots=True)
class VerifyWork:
    """Verifies chunks in one worker; a chunk is what `cases` takes."""

    oracle: str
    view: MarkovView
    guides: tuple[str, ...]
    steps: int
    cases: Callable[[Any, Reality, Sandbox], list[Case]]
    """Runs the calls of a chunk."""
    observes: bool = False
    isolates: bool = True

    @contextmanager
    def opened(self, tell: Tell) -> Iterator[Runner[Any, VerifiedChunk]]:
        from cwm_agent.oracles.registry import oracle_named

        with Sandbox() as sandbox:
            reality = Reality(sandbox)
            oracle = oracle_named(self.oracle, lambda: reality)

            def run(chunks: Sequence[Any]) -> Iterator[tuple[int, VerifiedChunk]]:
                for place, (_, chunk) in enumerate(chunks):
                    yield place, self._verified(self.cases(chunk, reality, sandbox), CachedOracle(oracle))

            yield run
            reality.close()

    def _verified(self, cases: list[Case], asked: CachedOracle) -> VerifiedChunk:
        found = VerifiedChunk(self.tallies())
        for tally in found.tallies:
            tally.observer = (lambda *told: found.observed.append(told)) if self.observes else None
        count_steps(cases, asked, self.view, found.counts)
        roll(cases, found.tallies, asked)
        for tally in found.tallies:
            tally.observer = None
        found.hits, found.asked, found.name = asked.hits, asked.asked, asked.name
        return found

    def tallies(self) -> list[RolloutTally]:
        """Empty counts, one for each guide."""
        return [RolloutTally(self.view, parse_guide(guide), self.steps) for guide in self.guides]


def in_order(work: Any, chunks: Iterable[Any], placement: Placement) -> Iterator[Any]:
    """The results of all chunks in the order of the chunks; JobError where one was lost."""
    early: dict[int, Any] = {}
    wanted = 0
    nodes = JobListeners(on_nodes=partial(NodeDisplay().show, bar=None) if placement.cluster else None)
    for found in run_jobs(work, ([numbered] for numbered in enumerate(chunks)), placement, nodes):
        if isinstance(found, LostItem):
            raise JobError(f"A part of the file could not be verified: {found}")
        early[found.item[0]] = found.value
        while wanted in early:
            yield early.pop(wanted)
            wanted += 1


def parts(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """The items in chunks of one size."""
    return [items[at : at + size] for at in range(0, len(items), size)]
