"""The seam between what is to be done and where it is done. Words:

    item      one thing to do: a task, a cell, an episode's number; it is pickled, and names its own seed
    batch     items that one worker takes together, because they share something; most batches have one item
    work      what a worker opens once (an oracle, a sandbox) and then does for each batch; pickled to the workers
    event     what a worker sends: that it is open, a result, the end of a batch, a state for displays
    crew      the workers of one run: local processes, or actors of a Ray cluster

Results may come in any order, so no result may depend on that order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

I = TypeVar("I")  # noqa: E741  # an item
R = TypeVar("R")
I_contra = TypeVar("I_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)
Runner: TypeAlias = Callable[[Sequence[I]], Iterator[tuple[int, R]]]
"""Does a batch: yields the place of an item in the batch and its result, each as soon as it is there.

An item that is not yielded when the iterator ends was left out on purpose, for want of time, and has no result. A
stream yields many results of one item, without end; the item counts as done with the first of them."""
Tell: TypeAlias = Callable[[Any], None]
"""Sends a state to the display of the run."""


class Work(Protocol[I_contra, R_co]):
    """What a worker does."""

    @property
    def isolates(self) -> bool:
        """Whether it runs programs of others, so that a node without isolation must refuse it."""
        ...

    def opened(self, tell: Tell) -> AbstractContextManager[Runner[I_contra, R_co]]:
        """What does the batches, opened once in each worker and closed at its end."""
        ...


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """What a worker says of itself when it is open."""

    node: str
    """Name of its machine."""
    process: int
    versions: tuple[tuple[str, str], ...] = ()
    """Of Python and of this package."""
    isolation: str = ""
    """The isolation that it runs programs in; empty where it runs none."""
    log: str = ""
    """File of its machine that holds what it prints; empty where it prints on the terminal."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The worker can take a batch."""

    report: WorkerReport


@dataclass(frozen=True, slots=True)
class NodeRefused:
    """The worker's machine cannot do the work, and says what is missing."""

    report: WorkerReport
    reason: str


@dataclass(frozen=True, slots=True)
class Yielded:
    """One result."""

    place: int
    value: Any
    seconds: float = 0.0
    """Since the batch began or the result before this one."""


@dataclass(frozen=True, slots=True)
class OversizedResult:
    """A result that the worker does not send."""

    place: int
    size: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The batch is done."""


@dataclass(frozen=True, slots=True)
class WorkRaised:
    """The work raised an exception, which ends the run."""

    error: BaseException
    lacks_plugin: bool = False
    """Whether a plug-in could not be loaded."""


@dataclass(frozen=True, slots=True)
class Told:
    """A state for displays."""

    state: Any


@dataclass(frozen=True, slots=True)
class Died:
    """The worker is gone, and what is known of why."""

    reason: str
    log: str = ""


Event: TypeAlias = Opened | NodeRefused | Yielded | OversizedResult | Ended | WorkRaised | Told | Died


class Service(Protocol):
    """Something expensive that a few actors of a cluster hold for all workers, such as an oracle's weights."""

    @property
    def replicas(self) -> int:
        """How many actors hold it."""
        ...

    def replica(self) -> type:
        """The class of the actors; it is made with this service as its one argument, and its methods are async."""
        ...

    def attach(self, replicas: Sequence[Any], number: int) -> None:
        """Let this worker process, which has a number, use the actors."""
        ...


class CrewWorker(Protocol):
    """One worker of a crew, as the driver holds it."""

    def take(self, items: Sequence[Any]) -> None:
        """Begin a batch."""
        ...


class Crew(Protocol):
    """Starts workers and passes on their events; a context manager that ends all of them."""

    @property
    def size(self) -> int:
        """Workers to start."""
        ...

    def __enter__(self) -> Crew: ...

    def __exit__(self, *_: object) -> None: ...

    def start(self) -> CrewWorker:
        """Start one worker; its first event says that it is open."""
        ...

    def wait(self, seconds: float | None) -> list[tuple[CrewWorker | None, Event]]:
        """Events that have come, after at most some seconds; a state may come without its worker."""
        ...

    def drop(self, worker: CrewWorker) -> None:
        """End one worker that is not needed any more."""
        ...


@dataclass(frozen=True, slots=True)
class Finished(Generic[I, R]):
    """An item and its result."""

    item: I
    value: R
    node: str = ""
    """The machine that made it; empty for this process."""


@dataclass(frozen=True, slots=True)
class LostItem(Generic[I]):
    """An item without a result: its workers died, or the result was too large to send."""

    item: I
    reason: str
    log: str = ""
    """The last lines that the worker printed, where they are known."""
    node: str = ""

    def __str__(self) -> str:
        return self.reason + (f"\nlast lines of the worker's log:\n{self.log}" if self.log else "")
