"""The options of all commands that say where jobs run, and the placement that they name."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cwm_agent.jobs.errors import ClusterError
from cwm_agent.jobs.placement import Placement
from cwm_agent.jobs.ray_connection import check_address

if TYPE_CHECKING:
    from cwm_agent.jobs.protocol import Service

MOST_ENV_BYTES = 2**20


def add_cluster_options(add: Callable[..., object], *, replicas: bool = True) -> None:
    """Declare the options of a cluster, beside --jobs."""
    add("--cluster", metavar="ADDRESS",
        help="run the jobs on a Ray cluster: HOST:PORT, auto for the one of this machine, local to start one; "
        "--jobs then counts its workers (default: one a core; docs/cluster.md)")  # fmt: skip
    add("--runtime-env", type=Path, metavar="FILE.json",
        help="with --cluster: Ray's runtime environment, which brings packages and files to the nodes")  # fmt: skip
    if replicas:
        add("--oracle-replicas", type=int, default=0, metavar="N",
            help="with --cluster: N actors hold the oracle for all workers, one per GPU, else per core "
            "(default: an oracle in each worker)")  # fmt: skip
        add("--shared-cache", action="store_true",
            help="with --oracle-replicas: replicas keep their answers for all workers")  # fmt: skip


def chosen_placement(options: argparse.Namespace, jobs: int, oracle: str = "", view: str = "") -> Placement:
    """The placement that the options name; `jobs` is the number of workers, 0 for one per core of the cluster."""
    replicas, shared = getattr(options, "oracle_replicas", 0), getattr(options, "shared_cache", False)
    if not options.cluster:
        for name, given in (("runtime-env", options.runtime_env), ("oracle-replicas", replicas)):
            if given:
                raise ClusterError(f"--{name} belongs to a cluster; give --cluster too.")
    if shared and not replicas:
        raise ClusterError("--shared-cache is a cache of replicas; give --oracle-replicas too.")
    if not options.cluster:
        return Placement(jobs)
    environment = runtime_environment(options.runtime_env) if options.runtime_env else {}
    service = _service(oracle, view, replicas, shared) if replicas else None
    return Placement(jobs, check_address(options.cluster), environment, service)


def _service(oracle: str, view: str, replicas: int, shared: bool) -> Service:
    from cwm_agent.oracles.service.oracle_replica import OracleService

    if replicas < 1:
        raise ClusterError(f"--oracle-replicas {replicas} is no number of replicas; give 1 or more.")
    if view == "history":
        raise ClusterError("--oracle-replicas serves the local and the program view; leave it out with --view history.")
    if oracle.startswith("noisy:iid"):
        raise ClusterError(f"{oracle} draws errors in the order of its questions; it cannot be shared by workers.")
    return OracleService(oracle, replicas, shared)


def runtime_environment(path: Path) -> dict[str, Any]:
    """Ray's runtime environment, from a JSON file."""
    from tasks.reading.bounded_files import read_file
    from tasks.reading.json_text import NotJson, read_object

    try:
        return read_object(read_file(path, MOST_ENV_BYTES))
    except NotJson as error:
        raise ClusterError(f"{path} is no runtime environment: {error}. Write a JSON object, such as "
                           '{"py_modules": ["my_plugins"]}.') from error  # fmt: skip
