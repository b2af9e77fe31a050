"""The driver: hands batches to workers, yields results as they come, and gives a dead worker's items to another.

    results = run_jobs(work, batches, Placement(jobs=4))

Batches are taken from their iterable only when a worker is free for them, so an infinite or a growing one is fine. To
cancel, close the generator, or let `stop` return True: all workers end. Every item gets at most one result.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from cwm_agent.jobs.errors import MissingOnNode, NodesRefused, VersionMismatch, WorkersLost
from cwm_agent.jobs.node_tally import NodeTally, OnNodes
from cwm_agent.jobs.placement import HERE, Placement
from cwm_agent.jobs.protocol import (
    Crew,
    CrewWorker,
    Died,
    Ended,
    Event,
    Finished,
    LostItem,
    NodeRefused,
    Opened,
    OversizedResult,
    Tell,
    Told,
    Work,
    WorkerReport,
    WorkRaised,
    Yielded,
)
from cwm_agent.jobs.worker_session import MOST_RESULT_BYTES, rare_collections, versions

I = TypeVar("I")  # noqa: E741
R = TypeVar("R")
STOP_INTERVAL_S = 0.5
"""Seconds between two questions whether to stop."""
MOST_FAILED_STARTS = 3
"""Workers that may die in a row before one is open."""


@dataclass(frozen=True, slots=True)
class JobListeners:
    """Callbacks for the progress of a run."""

    on_state: Tell | None = None
    """Told the states that workers send."""
    on_nodes: OnNodes | None = None
    """Told what each machine has done, after each change."""


def run_jobs(
    work: Work[I, R],
    batches: Iterable[Sequence[I]],
    placement: Placement = HERE,
    listeners: JobListeners | None = None,
    *,
    stop: Callable[[], bool] | None = None,
) -> Generator[Finished[I, R] | LostItem[I], None, None]:
    """Yield the result of every item, in the order in which they come; a lost item is yielded with its reason."""
    told = listeners or JobListeners()
    if placement.is_here:
        yield from _done_here(work, batches, told.on_state, stop)
        return
    with _crew(work, placement, told.on_state is not None) as crew:
        yield from _Driver(crew, iter(batches), placement, told, stop).results()


def _done_here(
    work: Work[I, R], batches: Iterable[Sequence[I]], on_state: Tell | None, stop: Callable[[], bool] | None
) -> Iterator[Finished[I, R]]:
    with rare_collections(), work.opened(on_state or (lambda state: None)) as run:
        for batch in batches:
            for place, value in run(batch):
                yield Finished(batch[place], value)
                if stop is not None and stop():
                    return


def _crew(work: Work[Any, Any], placement: Placement, watched: bool) -> Crew:
    if placement.cluster:
        from cwm_agent.jobs.ray_crew import RayCrew

        return RayCrew(work, placement, watched=watched)
    from cwm_agent.jobs.processes import ProcessCrew

    return ProcessCrew(work, placement.jobs, watched=watched)


@dataclass(slots=True)
class _Batch:
    """Items on their way, and which of them have no result yet."""

    items: Sequence[Any]
    left: list[int]
    deaths: int = 0
    """Workers that died on the first item that is left."""


@dataclass(slots=True)
class _Post:
    """A worker as the driver knows it."""

    report: WorkerReport | None = None
    """None until it is open."""
    batch: _Batch | None = None
    sent: tuple[int, ...] = ()
    """Places, in the batch, of the items that it was given."""

    @property
    def node(self) -> str:
        return "" if self.report is None else self.report.node


@dataclass(slots=True)
class _Driver:
    """One run: its workers, the batches on their way and those to be given again."""

    crew: Crew
    batches: Iterator[Sequence[Any]]
    placement: Placement
    listeners: JobListeners
    stop: Callable[[], bool] | None
    posts: dict[CrewWorker, _Post] = field(default_factory=dict)
    again: deque[_Batch] = field(default_factory=deque)
    exhausted: bool = False
    failed_starts: int = 0
    refusals: dict[str, str] = field(default_factory=dict)
    tally: NodeTally = field(init=False)

    def __post_init__(self) -> None:
        self.tally = NodeTally(self.listeners.on_nodes or (lambda nodes: None))

    def results(self) -> Iterator[Finished[Any, Any] | LostItem[Any]]:
        first = self._next()
        if first is None:
            return
        self.again.append(first)
        for _ in range(self.crew.size):
            self._start()
        while not self._is_over():
            self._hand_out()
            for worker, event in self.crew.wait(STOP_INTERVAL_S if self.stop is not None else None):
                yield from self._handled(worker, event)
            if self.stop is not None and self.stop():
                return

    def _is_over(self) -> bool:
        """Whether nothing is on its way and nothing is left; looks for a further batch to know."""
        if self.again or any(post.batch is not None for post in self.posts.values()):
            return False
        found = self._next()
        if found is not None:
            self.again.append(found)
        return found is None

    def _next(self) -> _Batch | None:
        """The next batch: one whose worker died, or a new one."""
        if self.again:
            return self.again.popleft()
        if self.exhausted:
            return None
        items = next(self.batches, None)
        self.exhausted = items is None
        return None if items is None else _Batch(items, list(range(len(items))))

    def _start(self) -> None:
        self.posts[self.crew.start()] = _Post()

    def _hand_out(self) -> None:
        for worker, post in self.posts.items():
            if post.report is not None and post.batch is None and (batch := self._next()) is not None:
                post.batch, post.sent = batch, tuple(batch.left)
                worker.take([batch.items[place] for place in batch.left])

    def _handled(self, worker: CrewWorker | None, event: Event) -> Iterator[Finished[Any, Any] | LostItem[Any]]:
        if isinstance(event, Told):
            if self.listeners.on_state is not None:
                self.listeners.on_state(event.state)
            return
        assert worker is not None
        if worker not in self.posts:  # it was dropped a moment ago
            return
        post = self.posts[worker]
        handle: Callable[[], Iterator[Finished[Any, Any] | LostItem[Any]]]
        match event:
            case Yielded() | OversizedResult():
                handle = partial(self._answered, post, event)
            case Died():
                handle = partial(self._died, worker, post, event)
            case _:
                handle = partial(self._changed, worker, post, event)
        yield from handle()

    def _answered(self, post: _Post, event: Yielded | OversizedResult) -> Iterator[Finished[Any, Any] | LostItem[Any]]:
        batch = post.batch
        assert batch is not None
        place = post.sent[event.place]
        if place in batch.left:  # a stream yields many results of one item
            batch.left.remove(place)
        batch.deaths = 0
        if isinstance(event, Yielded):
            self.tally.done(post.node, event.seconds)
            yield Finished(batch.items[place], event.value, post.node)
            return
        self.tally.too_large(post.node)
        most = MOST_RESULT_BYTES // 2**20
        reason = f"The result has {event.size:,} bytes, and a worker sends {most} MiB at most: give it less to return."
        yield LostItem(batch.items[place], reason, node=post.node)

    def _changed(self, worker: CrewWorker, post: _Post, event: Event) -> Iterator[LostItem[Any]]:
        if isinstance(event, Opened):
            _check_versions(event.report)
            self.failed_starts = 0
            post.report = event.report
            self.tally.opened(post.node, event.report.isolation)
        elif isinstance(event, Ended):
            post.batch = None
        elif isinstance(event, NodeRefused):
            self._refused(worker, event)
        elif isinstance(event, WorkRaised):
            if event.lacks_plugin and self.placement.cluster:
                raise MissingOnNode(
                    f"{event.error} A worker of the cluster says so: give its files with --runtime-env, or install "
                    "them on every node (docs/cluster.md)."
                )
            raise event.error
        yield from ()

    def _refused(self, worker: CrewWorker, event: NodeRefused) -> None:
        """Do without a machine that cannot isolate programs; where no other is left, the run ends."""
        self.tally.refused(event.report.node, event.reason)
        self.refusals[event.report.node] = event.reason
        del self.posts[worker]
        self.crew.drop(worker)
        if not self.posts:
            nodes = "; ".join(f"{node}: {reason}" for node, reason in self.refusals.items())
            raise NodesRefused(f"No node of the cluster can isolate programs. {nodes}")

    def _died(self, worker: CrewWorker, post: _Post, event: Died) -> Iterator[LostItem[Any]]:
        """Give the items without a result to another worker; the first one is lost after too many deaths."""
        del self.posts[worker]
        if post.report is None:
            self.failed_starts += 1
            if self.failed_starts >= MOST_FAILED_STARTS:
                log = f" Its last lines: {event.log}" if event.log else ""
                raise WorkersLost(f"No worker can be started: {event.reason}{log}")
        else:
            self.tally.died(post.node)
        batch = post.batch
        if batch is not None and batch.left:
            batch.deaths += 1
            if batch.deaths > self.placement.retries:
                times = f" ({batch.deaths} workers in a row)" if batch.deaths > 1 else ""
                yield LostItem(batch.items[batch.left.pop(0)], f"{event.reason}{times}", event.log, post.node)
                batch.deaths = 0
            if batch.left:
                self.again.append(batch)
        if self.again or not self.exhausted:
            self._start()


def _check_versions(report: WorkerReport) -> None:
    own = dict(versions())
    other = {name: (value, own[name]) for name, value in report.versions if value != own[name]}
    if other:
        what = ", ".join(f"{name} {theirs} where the driver has {ours}" for name, (theirs, ours) in other.items())
        raise VersionMismatch(f"Node {report.node} has {what}. Install the same version on every node, then go on.")
