"""Connects this process to a Ray cluster, or starts one on this machine that listens on loopback only.

Every failure becomes one sentence that says what to do. A process that is connected already keeps its connection.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cwm_agent.jobs.errors import ClusterError, VersionMismatch
from cwm_agent.plugins import missing_extra

LOCAL, AUTO = "local", "auto"
LOOPBACK = "127.0.0.1"
CONNECT_S = 5.0
"""Seconds that the head of a cluster has to accept a connection."""
_LOOPBACK_ONLY = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""With "0" Ray takes the loopback address for this machine's own; the variable's name is Ray's."""


def check_address(address: str) -> str:
    """The address, where it has the form of one."""
    if address in (LOCAL, AUTO):
        return address
    if address.startswith("ray://"):
        raise ClusterError(
            f"{address} is an address of Ray Client, which streams no results. Start the command on a node of the "
            "cluster with --cluster auto, for example by `ray job submit`."
        )
    if not re.fullmatch(r"[^\s:/]+:\d{1,5}", address):
        raise ClusterError(f"{address!r} is no address of a cluster. Give local, auto, or HOST:PORT of its head node.")
    return address


@contextmanager
def connected(address: str, runtime_env: dict[str, Any] | None = None, cores: int | None = None) -> Iterator[Any]:
    """The module `ray`, connected; a connection that is opened here is closed at the end.

    `cores` is the number of cores of a cluster that is started here.
    """
    check_address(address)
    if address == LOCAL or address.startswith(("127.", "localhost:")):
        os.environ.setdefault(_LOOPBACK_ONLY, "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    if address == LOCAL:
        os.environ.setdefault("RAY_worker_niceness", "0")  # as local processes; Ray's own default is 15
    try:
        import ray
    except ImportError as error:
        raise missing_extra("ray", "ray") from error
    if ray.is_initialized():
        yield ray
        return
    _check_reachable(address)
    _connect(ray, address, runtime_env, cores)
    try:
        yield ray
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Refuse at once where nothing listens; Ray itself would try for minutes."""
    if address in (LOCAL, AUTO):
        return
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), CONNECT_S).close()
    except (OSError, OverflowError) as error:
        raise ClusterError(
            f"No Ray cluster answers at {address} ({error}). Start one with `ray start --head`, or correct --cluster."
        ) from error


def _connect(ray: Any, address: str, runtime_env: dict[str, Any] | None, cores: int | None) -> None:
    options: dict[str, Any] = {"address": address, "log_to_driver": False, "logging_level": "ERROR"}
    if runtime_env:
        options["runtime_env"] = runtime_env
    if address == LOCAL:
        options |= {"include_dashboard": False, "_node_ip_address": LOOPBACK, "num_cpus": cores}
    elif address.startswith("127."):
        options["_node_ip_address"] = LOOPBACK
    try:
        ray.init(**options)
    except ConnectionError as error:
        raise ClusterError(
            "No Ray cluster runs on this machine. Start one with `ray start --head`, give its HOST:PORT, or use "
            "--cluster local."
        ) from error
    except Exception as error:  # Ray raises plain ones, such as for a machine that is too busy to start a node
        ray.shutdown()  # it may be connected in part
        raise _named(address, error) from error


def _named(address: str, error: Exception) -> ClusterError | VersionMismatch:
    text = one_line(error)
    if "version mismatch" in text.lower():
        return VersionMismatch(f"The cluster at {address} has other versions: {text} Install the same on every node.")
    return ClusterError(f"The cluster at {address} cannot be used: {text}")


def one_line(error: BaseException, most: int = 500) -> str:
    """The message of an exception of Ray, which has many lines, as one."""
    text = " ".join(str(error).split())
    return text if len(text) <= most else f"{text[:most]}..."
