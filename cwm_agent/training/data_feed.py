"""Rows without end: worker processes generate and pack examples while the trainer computes; knows no network.

Each worker draws whole rows, choosing a source for each by weight, and sends them down its own pipe; a full
pipe makes it wait, so memory stays level. Workers import no torch. With no workers the same rows are made in
the caller's process, in an order that the seed fixes.
"""

import multiprocessing
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from queue import Full, Queue
from random import Random
from threading import Event, Thread
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from cwm_agent.engine.tokenizer import BYTES
from cwm_agent.training.example import Example, Share, SourceError, endless, resolve
from cwm_agent.training.packing import Row, fill_rows, fits, pack
from cwm_agent.training.recipe import Diet

Rows = NDArray[np.int16]
"""Shape (fields, rows, length)."""
WORKER_SEEDS = 2**24
"""Seeds each worker of a run may use up before it meets its neighbour's."""
RUN_SEEDS = 2**9 * WORKER_SEEDS
"""Seeds of one run; runs with different seeds share none."""
BATCHES_AHEAD = 4


class FeedError(RuntimeError):
    """A worker could not go on, so neither can training."""


def draw_rows(diet: Diet, worker: int) -> Iterator[Row]:
    """Rows for ever, each of one source drawn by weight."""
    base = diet.seed * RUN_SEEDS + worker * WORKER_SEEDS
    rows = [_rows_of(share, diet.length, base) for share in diet.shares]
    weights = [share.weight for share in diet.shares]
    rng = Random(base)
    while True:
        yield next(rng.choices(rows, weights)[0])


def _rows_of(share: Share, length: int, seed: int) -> Iterator[Row]:
    fitting = _fitting(endless(resolve(share.target), seed), length, share.name)
    return (pack(held, length, BYTES) for held in fill_rows(fitting, length))


def _fitting(examples: Iterator[Example], length: int, name: str) -> Iterator[Example]:
    """The examples that a row can hold; a source whose examples hardly ever do is refused."""
    too_long = 0
    for seen, example in enumerate(examples, start=1):
        if fits(example, length):
            yield example
            continue
        too_long += 1
        if too_long > 1000 and too_long > seen * 0.9:
            raise SourceError(
                f"{too_long} of {seen} examples of source {name!r} are longer than {length} tokens; give longer rows."
            )


def _work(diet: Diet, worker: int, pipe: Connection) -> None:
    """Send rows until the reader hangs up; a failure is sent as text."""
    try:
        for row in draw_rows(diet, worker):
            pipe.send_bytes(row.tobytes())
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    except Exception as error:
        pipe.send_bytes(f"{type(error).__name__}: {error}".encode())


class Feed:
    """Batches of rows from many processes; leave its `with` block to stop them."""

    def __init__(self, diet: Diet, *, batch: int, workers: int) -> None:
        self.diet, self.batch, self.workers = diet, batch, workers
        self._ready: Queue[Rows | FeedError] = Queue(BATCHES_AHEAD)
        self._closing = Event()
        self._processes: list[multiprocessing.process.BaseProcess] = []
        self._pipes: list[Connection] = []
        self._local = draw_rows(diet, 0) if not workers else None

    def __enter__(self) -> Self:
        # Spawned, not forked: the trainer holds threads and perhaps an accelerator.
        context = multiprocessing.get_context("spawn")
        for worker in range(self.workers):
            reading, writing = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(self.diet, worker, writing), daemon=True)
            process.start()
            writing.close()
            self._pipes.append(reading)
            self._processes.append(process)
        if self.workers:
            Thread(target=self._gather, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(timeout=5)

    def next(self) -> Rows:
        """The next batch; waits for the workers where they are slower."""
        if self._local is not None:
            return _stack([next(self._local) for _ in range(self.batch)])
        batch = self._ready.get()
        if isinstance(batch, FeedError):
            raise batch
        return batch

    def waiting(self) -> int:
        """Batches that lie ready."""
        return self._ready.qsize()

    def _gather(self) -> None:
        """Read rows as they come and put batches in line, until the feed closes."""
        try:
            rows: list[Row] = []
            while not self._closing.is_set():
                for pipe in wait(self._pipes, timeout=1):
                    assert isinstance(pipe, Connection)
                    rows.append(self._read(pipe))
                while len(rows) >= self.batch and not self._closing.is_set():
                    self._offer(_stack(rows[: self.batch]))
                    del rows[: self.batch]
        except FeedError as error:
            self._offer(error)
        except OSError:
            if not self._closing.is_set():
                self._offer(FeedError("A worker's pipe closed while it was read."))

    def _offer(self, batch: Rows | FeedError) -> None:
        while not self._closing.is_set():
            try:
                return self._ready.put(batch, timeout=0.5)
            except Full:
                continue
        return None

    def _read(self, pipe: Connection) -> Row:
        """One row from a worker, or its failure raised here."""
        try:
            data = pipe.recv_bytes()
        except EOFError:
            raise FeedError("A worker that generates examples died without a word (out of memory?).") from None
        if len(data) != 12 * self.diet.length:
            raise FeedError(f"A worker that generates examples failed: {data.decode(errors='replace')}")
        return np.frombuffer(data, np.int16).reshape(6, self.diet.length)


def _stack(rows: Sequence[Row]) -> Rows:
    return np.stack(rows, axis=1)
