"""Calls of one function over many arguments: the smallest work there is, and results in the order of the arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

from cwm_agent.jobs.errors import JobError
from cwm_agent.jobs.job_loop import run_jobs
from cwm_agent.jobs.placement import HERE, Placement
from cwm_agent.jobs.protocol import LostItem, Runner, Tell

A = TypeVar("A")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FunctionWork(Generic[A, T]):
    """Calls a function for each item; an item is a number and the argument."""

    function: Callable[[A], T]
    isolates: bool = False

    @contextmanager
    def opened(self, tell: Tell) -> Iterator[Runner[tuple[int, A], T]]:
        def run(items: Sequence[tuple[int, A]]) -> Iterator[tuple[int, T]]:
            for place, (_, argument) in enumerate(items):
                yield place, self.function(argument)

        yield run


def map_calls(function: Callable[[A], T], arguments: Iterable[A], placement: Placement = HERE) -> Iterator[T]:
    """The results in the order of the arguments; JobError where one is lost."""
    early: dict[int, T] = {}
    wanted = 0
    batches = ([numbered] for numbered in enumerate(arguments))
    for found in run_jobs(FunctionWork(function), batches, placement):
        if isinstance(found, LostItem):
            raise JobError(str(found))
        early[found.item[0]] = found.value
        while wanted in early:
            yield early.pop(wanted)
            wanted += 1
