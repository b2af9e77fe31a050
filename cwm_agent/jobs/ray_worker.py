"""What runs inside a cluster: the actor that is one worker, the actor that passes on states, and a reader of logs."""

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import Iterator, Sequence
from typing import Any

from cwm_agent.jobs.protocol import Service, WorkRaised
from cwm_agent.jobs.worker_session import WorkerSession, packed, prepare_process
from cwm_agent.plugins import PluginError

LOG_BYTES = 4000
"""Most bytes of a log that go into an episode."""


class RayWorker:
    """One worker of a cluster."""

    def __init__(
        self, work: bytes, number: int, *, board: Any, service: Service | None, replicas: Sequence[Any]
    ) -> None:
        prepare_process()
        self._packed_work, self._number, self._board = work, number, board
        self._service, self._replicas = service, replicas
        self._session: WorkerSession | None = None

    def where(self) -> tuple[str, str, str]:
        """The identity of its node, the name by which reports call the node, and the file of its log."""
        node = _node_id()
        return node, node_name(node), _log_file()

    def open(self) -> bytes:
        """Open the work; an event."""
        import ray.cloudpickle

        try:
            work = ray.cloudpickle.loads(self._packed_work)
        except ModuleNotFoundError as error:
            return packed(WorkRaised(PluginError(f"There is no module {error.name!r}."), lacks_plugin=True))
        if self._service is not None:
            self._service.attach(self._replicas, self._number)
        _, name, log = self.where()
        self._session = WorkerSession(work, self._tell, node=name, log=log)
        return self._session.open()

    def run(self, items: Sequence[Any]) -> Iterator[bytes]:
        """Do one batch; events, each as it comes."""
        assert self._session is not None
        yield from self._session.run(items)

    def close(self) -> None:
        """Close what was opened."""
        if self._session is not None:
            self._session.close()

    def _tell(self, state: Any) -> None:
        if self._board is not None:
            self._board.tell.remote(state)


class StateBoard:
    """Passes the states of all workers on to the driver."""

    def __init__(self) -> None:
        self._states: asyncio.Queue[Any] = asyncio.Queue()

    async def tell(self, state: Any) -> None:
        """A worker tells what it does."""
        self._states.put_nowait(state)

    async def take(self) -> list[Any]:
        """The states since the last call; waits for one."""
        found = [await self._states.get()]
        while not self._states.empty():
            found.append(self._states.get_nowait())
        return found


def log_tail(path: str) -> str:
    """The last lines of a file; empty where it cannot be read."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - LOG_BYTES))
            return file.read().decode("utf-8", "replace").strip()
    except OSError:
        return ""


def node_name(node: str) -> str:
    """The name of this machine with the first characters of its node's identity: a machine may hold several nodes."""
    return f"{platform.node()}-{node[:6]}"


def _node_id() -> str:
    import ray

    found: str = ray.get_runtime_context().get_node_id()
    return found


def _log_file() -> str:
    """The file to which Ray sends what this process prints."""
    try:
        return os.readlink("/proc/self/fd/2")
    except OSError:
        return ""
