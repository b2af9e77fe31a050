"""A Ray cluster of three nodes on loopback for tests, a small domain, and what is left of processes afterwards."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
QUICK_DEATH = {"health_check_period_ms": 500, "health_check_failure_threshold": 4, "health_check_timeout_ms": 5000}
"""Ray notices a node that was killed within seconds."""
_SUBREAPER = 36
STORE_BYTES = 80 * 2**20


@contextmanager
def three_nodes(**head: Any) -> Iterator[Any]:
    """A cluster of three nodes with two cores each, which listens on loopback only."""
    with marked_path():
        from ray.cluster_utils import Cluster

        config = {**QUICK_DEATH, **head.pop("system_config", {})}
        cluster = Cluster(initialize_head=True, head_node_args=node_options() | {"_system_config": config} | head)
        try:
            for _ in range(2):
                cluster.add_node(wait=False, **node_options())
            cluster.wait_for_nodes()
            yield cluster
        finally:
            cluster.shutdown()


def node_options() -> dict[str, Any]:
    return {
        "num_cpus": 2,
        "node_ip_address": "127.0.0.1",
        "include_dashboard": False,
        "object_store_memory": STORE_BYTES,
    }


@contextmanager
def marked_path() -> Iterator[None]:
    """Workers of the cluster find the modules of these tests and of the project."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(Path(__file__).parent)])
    try:
        yield
    finally:
        os.environ.pop("PYTHONPATH") if before is None else os.environ.update(PYTHONPATH=before)


def adopt_orphans() -> None:
    """Make this process the parent of whatever its descendants leave behind."""
    ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)


def descendants() -> dict[int, str]:
    """All processes below this one that live, by their command."""
    parents: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if state != "Z":
            parents[int(entry.name)] = int(parent), command
    found: dict[int, str] = {}
    waiting = [os.getpid()]
    while waiting:
        above = waiting.pop()
        for number, (parent, command) in parents.items():
            if parent == above and number not in found:
                found[number] = command
                waiting.append(number)
    return found


def new_processes(before: Iterable[int], seconds: float = 60.0) -> dict[int, str]:
    """Processes that were not there before, once they have had some time to end."""
    known, ends = set(before), time.monotonic() + seconds
    while left := {number: what for number, what in descendants().items() if number not in known}:
        if time.monotonic() > ends:
            break
        _wait_for_end(next(iter(left)), ends - time.monotonic())
    return left


def _wait_for_end(process: int, seconds: float) -> None:
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    poll.poll(max(0.0, seconds) * 1000)
    os.close(handle)


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)


def python(*arguments: str) -> list[str]:
    return [sys.executable, "-m", *arguments]
