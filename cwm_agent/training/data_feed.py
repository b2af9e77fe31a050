"""Infinite batches of packed rows: worker processes generate and pack examples while the trainer computes.

Each worker draws whole rows, chooses a source for each by weight, and sends them through its own pipe; a full pipe
makes it wait, so memory is bounded. Workers do not import torch. Without workers the same rows are made in the caller's
process, in an order that the seed fixes. Knows no network.
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


def _work(data_mix: DataMix, worker: int, pipe: Connection) -> None:
    """Send rows until the pipe is closed; an exception is sent as text."""
    try:
        for row in draw_rows(data_mix, worker):
            pipe.send_bytes(row.tobytes())
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    except Exception as error:
        pipe.send_bytes(f"{type(error).__name__}: {error}".encode())


class Feed:
    """Batches of rows from worker processes; leaving its `with` block stops them."""

    def __init__(self, data_mix: DataMix, *, batch: int, workers: int) -> None:
        self.data_mix, self.batch, self.workers = data_mix, batch, workers
        self._ready: Queue[Rows | FeedError] = Queue(BATCHES_AHEAD)
        self._closing = Event()
        self._processes: list[multiprocessing.process.BaseProcess] = []
        self._pipes: list[Connection] = []
        self._local = draw_rows(data_mix, 0) if not workers else None

    def __enter__(self) -> Self:
        # Spawned, not forked: the trainer has threads and maybe an accelerator.
        context = multiprocessing.get_context("spawn")
        for worker in range(self.workers):
            reading, writing = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(self.data_mix, worker, writing), daemon=True)
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
        """The next batch; waits for the workers if necessary."""
        if self._local is not None:
            return _stack([next(self._local) for _ in range(self.batch)])
        batch = self._ready.get()
        if isinstance(batch, FeedError):
            raise batch
        return batch

    def _gather(self) -> None:
        """Receive rows from the workers and queue batches, until the feed closes."""
        try:
            rows: list[Row] = []
            while not self._closing.is_set():
                for pipe in wait(self._pipes, timeout=1):
                    assert isinstance(pipe, Connection)
                    rows.append(self._receive(pipe))
                while len(rows) >= self.batch and not self._closing.is_set():
                    self._offer(_stack(rows[: self.batch]))
                    del rows[: self.batch]
        except FeedError as error:
            self._offer(error)
        except OSError:
            if not self._closing.is_set():
                self._offer(
                    FeedError("The pipe to a worker closed during training; try again, with --workers 0 if it repeats.")
                )

    def _offer(self, batch: Rows | FeedError) -> None:
        while not self._closing.is_set():
            try:
                return self._ready.put(batch, timeout=0.5)
            except Full:
                continue
        return None

    def _receive(self, pipe: Connection) -> Row:
        """One row from a worker; FeedError if it failed."""
        try:
            data = pipe.recv_bytes()
        except EOFError:
            raise FeedError(
                "A worker that generates examples ended without a message, probably out of memory; lower --workers."
            ) from None
        if len(data) != 12 * self.data_mix.length:
            raise FeedError(f"A worker that generates examples failed: {data.decode(errors='replace')}")
        return np.frombuffer(data, np.int16).reshape(6, self.data_mix.length)


def _stack(rows: Sequence[Row]) -> Rows:
    return np.stack(rows, axis=1)
