"""Infinite batches of packed rows: workers of the pool generate and pack examples while the trainer computes.

Each worker draws whole rows, chooses a source for each by weight, and streams them; a stream that is not read makes
it wait, so memory is bounded. Workers do not import torch. Without workers the same rows are made in the caller's
process, in an order that the seed fixes. Knows no network.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from queue import Full, Queue
from random import Random
from threading import Event, Thread
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from cwm_agent.engine.tokenizer import BYTES
from cwm_agent.jobs.errors import JobError
from cwm_agent.jobs.job_loop import JobListeners, run_jobs
from cwm_agent.jobs.node_tally import NodeCount
from cwm_agent.jobs.placement import Placement
from cwm_agent.jobs.protocol import Finished, Runner, Tell
from cwm_agent.training.example import Example, Share, SourceError, infinite_examples, resolve
from cwm_agent.training.packing import Row, fill_rows, fits, pack
from cwm_agent.training.recipe import DataMix

Rows = NDArray[np.int16]
"""Shape (fields, rows, length)."""
WORKER_SEEDS = 2**24
"""Seeds of each worker of a run."""
RUN_SEEDS = 2**9 * WORKER_SEEDS
"""Seeds of one run; runs with different seeds have no common ones."""
BATCHES_AHEAD = 4
MOST_DEATHS = 8
"""Workers of a run that may die and be replaced."""


class FeedError(RuntimeError):
    """A worker failed, so training cannot continue."""


def draw_rows(data_mix: DataMix, worker: int) -> Iterator[Row]:
    """An infinite stream of rows, each of one source drawn by weight."""
    base = data_mix.seed * RUN_SEEDS + worker * WORKER_SEEDS
    rows = [_rows_of(share, data_mix.length, base) for share in data_mix.shares]
    weights = [share.weight for share in data_mix.shares]
    rng = Random(base)
    while True:
        yield next(rng.choices(rows, weights)[0])


def _rows_of(share: Share, length: int, seed: int) -> Iterator[Row]:
    fitting = _fitting(infinite_examples(resolve(share.target), seed), length, share.name)
    return (pack(held, length, BYTES) for held in fill_rows(fitting, length))


def _fitting(examples: Iterator[Example], length: int, name: str) -> Iterator[Example]:
    """The examples that fit into a row; SourceError if almost none of a source does."""
    too_long = 0
    for seen, example in enumerate(examples, start=1):
        if fits(example, length):
            yield example
            continue
        too_long += 1
        if too_long > 1000 and too_long > seen * 0.9:
            raise SourceError(
                f"{too_long} of {seen} examples of source {name!r} are longer than {length} tokens; "
                "give a larger --length."
            )


@dataclass(frozen=True, slots=True)
class RowWork:
    """Draws rows without end; an item is the number of a worker, which decides its seeds."""

    data_mix: DataMix
    isolates: bool = False

    @contextmanager
    def opened(self, tell: Tell) -> Iterator[Runner[int, Row]]:
        yield lambda numbers: ((0, row) for row in draw_rows(self.data_mix, numbers[0]))


class Feed:
    """Batches of rows from workers; leaving its `with` block stops them."""

    def __init__(self, data_mix: DataMix, *, batch: int, placement: Placement) -> None:
        """`placement` with 0 jobs makes the rows in the caller's process."""
        self.data_mix, self.batch, self.placement = data_mix, batch, placement
        self._ready: Queue[Rows | Exception] = Queue(BATCHES_AHEAD)
        self._closing = Event()
        self._thread = Thread(target=self._gather, daemon=True)
        self._local = None if placement.jobs or placement.cluster else draw_rows(data_mix, 0)

    def __enter__(self) -> Self:
        if self._local is None:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        if self._local is None:
            self._thread.join()

    def next(self) -> Rows:
        """The next batch; waits for the workers if necessary."""
        if self._local is not None:
            return _stack([next(self._local) for _ in range(self.batch)])
        batch = self._ready.get()
        if isinstance(batch, Exception):
            raise batch
        return batch

    def _gather(self) -> None:
        """Receive rows from the workers and queue batches, until the feed closes; a failure is queued too."""
        try:
            rows: list[Row] = []
            for row in self._rows():
                rows.append(row)
                if len(rows) == self.batch:
                    self._offer(_stack(rows))
                    rows = []
        except (JobError, FeedError) as error:
            self._offer(error)
        except Exception as error:
            self._offer(FeedError(f"A worker that generates examples failed: {type(error).__name__}: {error}"))

    def _rows(self) -> Iterator[Row]:
        """Rows of all workers; each worker has one infinite batch."""
        numbers = ([number] for number in count())  # a worker that takes a dead one's place has seeds of its own
        told = JobListeners(on_nodes=_check_deaths)
        for found in run_jobs(RowWork(self.data_mix), numbers, self.placement, told, stop=self._closing.is_set):
            if isinstance(found, Finished):
                yield found.value

    def _offer(self, batch: Rows | Exception) -> None:
        while not self._closing.is_set():
            try:
                return self._ready.put(batch, timeout=0.5)
            except Full:
                continue
        return None


def _check_deaths(nodes: Sequence[NodeCount]) -> None:
    """Give up where workers die again and again."""
    if sum(node.lost for node in nodes) > MOST_DEATHS:
        raise FeedError("Workers that generate examples die again and again, probably out of memory; lower --workers.")


def _stack(rows: Sequence[Row]) -> Rows:
    return np.stack(rows, axis=1)
