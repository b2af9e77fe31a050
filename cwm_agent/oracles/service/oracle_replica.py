"""An actor that holds one oracle and answers the queries of all workers.

A thread of its own feeds the oracle's stream: queries that come while others are under way join the running batch.
Ray restarts a replica that dies, and sends it again what it had not answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from cwm_agent.oracles.answer_stream import stream_of
from cwm_agent.oracles.protocol import Oracle, Prediction, Query, is_deterministic
from cwm_agent.oracles.registry import oracle_named
from cwm_agent.oracles.service.served_oracle import ServedOracle, serve_from

MOST_ANSWERS = 300_000
"""Most answers of the shared cache."""


@dataclass(frozen=True, slots=True)
class OracleService:
    """Which oracle is served, by how many replicas."""

    oracle: str
    """Its name on the command line."""
    replicas: int = 1
    shared_cache: bool = False
    """Whether a replica keeps its answers; a kept one has the cost of the first, so no result depends on it."""

    def replica(self) -> type:
        return OracleReplica

    def attach(self, replicas: Sequence[Any], number: int) -> None:
        serve_from(self.oracle, ServedOracle(replicas[number % len(replicas)]))


@dataclass(slots=True)
class ReplicaCounts:
    """What a replica has done."""

    calls: int = 0
    """Batches that workers sent."""
    queries: int = 0
    cached: int = 0
    """Queries answered from the shared cache."""
    largest: int = 0
    """Most queries under way at the same time."""


@dataclass(slots=True)
class _Call:
    """The queries of one worker and those of their answers that are there."""

    queries: Sequence[Query]
    future: Future[list[Prediction]]
    found: dict[int, Prediction] = field(default_factory=dict)

    def add(self, place: int, prediction: Prediction) -> None:
        self.found[place] = prediction
        if len(self.found) == len(self.queries) and not self.future.cancelled():
            self.future.set_result([self.found[at] for at in range(len(self.queries))])


class OracleReplica:
    """Holds an oracle, and answers batches of queries that overlap."""

    def __init__(self, service: OracleService) -> None:
        self._stack = ExitStack()
        self._oracle: Oracle = oracle_named(service.oracle, self._reality)
        cached = service.shared_cache and is_deterministic(self._oracle)
        self._answers: dict[Query, Prediction] | None = {} if cached else None
        self._waiting: SimpleQueue[_Call] = SimpleQueue()
        self._counts = ReplicaCounts()
        Thread(target=self._work, daemon=True).start()

    def _reality(self) -> Any:
        from envs.execution.sandbox.sandbox import Sandbox
        from envs.execution.tracer.reality import Reality

        return Reality(self._stack.enter_context(Sandbox()))

    async def description(self) -> tuple[str, bool]:
        """The oracle's own name, and whether it is deterministic."""
        return self._oracle.name, is_deterministic(self._oracle)

    async def counts(self) -> ReplicaCounts:
        """What this replica has done since it was started."""
        return self._counts

    async def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        """One prediction for each query, in order."""
        call = _Call(queries, Future())
        self._waiting.put(call)
        return await asyncio.wrap_future(call.future)

    def _work(self) -> None:
        """Answer calls for as long as the process lives; an error of the oracle goes to all calls under way."""
        while True:
            open_calls: dict[int, _Call] = {}
            try:
                self._answer(open_calls)
            except Exception as error:  # the worker raises it
                for call in open_calls.values():
                    if not call.future.done():
                        call.future.set_exception(error)

    def _answer(self, open_calls: dict[int, _Call]) -> None:
        stream = stream_of(self._oracle)
        while True:
            for call in self._new_calls(block=not len(stream)):
                open_calls[id(call)] = call
                for place, query in enumerate(call.queries):
                    if (known := self._known(query)) is not None:
                        call.add(place, known)
                    else:
                        stream.ask((id(call), place), query)
            self._counts.largest = max(self._counts.largest, len(stream))
            for (key, place), prediction in stream.advance() if len(stream) else ():
                open_calls[key].add(place, prediction)
                self._keep(open_calls[key].queries[place], prediction)
            for key in [key for key, call in open_calls.items() if call.future.done()]:
                del open_calls[key]

    def _new_calls(self, *, block: bool) -> list[_Call]:
        found = [self._waiting.get()] if block else []
        try:
            while True:
                found.append(self._waiting.get_nowait())
        except Empty:
            pass
        self._counts.calls += len(found)
        self._counts.queries += sum(len(call.queries) for call in found)
        return found

    def _known(self, query: Query) -> Prediction | None:
        known = None if self._answers is None else self._answers.get(query)
        self._counts.cached += known is not None
        return known

    def _keep(self, query: Query, prediction: Prediction) -> None:
        if self._answers is not None:
            if len(self._answers) >= MOST_ANSWERS:
                self._answers.clear()
            self._answers[query] = prediction
