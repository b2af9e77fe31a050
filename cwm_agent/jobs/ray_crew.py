"""Workers as actors of a Ray cluster: Ray places them, says when one died, and carries what they send.

An actor does batches one after the other and streams its events; the driver waits for all streams at once.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

from cwm_agent.jobs.errors import ClusterError, StoreFull
from cwm_agent.jobs.placement import Placement
from cwm_agent.jobs.protocol import CrewWorker, Died, Event, NodeRefused, Opened, Told, Work, WorkerReport, Yielded
from cwm_agent.jobs.ray_connection import LOCAL, connected, one_line
from cwm_agent.jobs.ray_worker import RayWorker, StateBoard, log_tail
from cwm_agent.jobs.worker_session import unpacked
from tasks.output.terminal_text import print_line

EVENTS_AHEAD = 64
"""Events that a worker may send before the driver has read them."""
PATIENCE_S = 5.0
"""Seconds that actors have to close their work."""
LOG_S = 10.0
"""Seconds to fetch the log of a dead worker."""
WAIT_S = 20.0
"""Seconds without any open worker after which the driver says what it waits for."""


@dataclass(slots=True, eq=False)
class RayActor:
    """One actor, and what the driver waits for from it."""

    actor: Any
    pending: Any = None
    """A reference or a stream; None while the actor has nothing to do."""
    node: str = ""
    report: WorkerReport | None = None

    def take(self, items: Sequence[Any]) -> None:
        streamed = {"num_returns": "streaming", "_generator_backpressure_num_objects": EVENTS_AHEAD}
        self.pending = self.actor.run.options(**streamed).remote(list(items))


@dataclass(slots=True)
class RayCrew:
    """Actors of one cluster that do the same work."""

    work: Work[Any, Any]
    placement: Placement
    watched: bool = False
    """Whether workers send their states."""
    size: int = 0
    _stack: ExitStack = field(default_factory=ExitStack)
    _ray: Any = None
    _workers: list[RayActor] = field(default_factory=list)
    _replicas: list[Any] = field(default_factory=list)
    _board: Any = None
    _states: Any = None
    """What the driver waits for from the board."""
    _packed_work: Any = None
    _started: int = 0
    _refused: set[str] = field(default_factory=set)
    """Nodes that cannot do the work."""
    _metrics: Any = None
    _quiet_since: float = field(default_factory=time.monotonic)

    def __enter__(self) -> RayCrew:
        cores = self._wanted_cores() if self.placement.cluster == LOCAL else None
        self._ray = self._stack.enter_context(connected(self.placement.cluster, self.placement.runtime_env, cores))
        self._stack.callback(self._end)
        try:
            self._set_up()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _wanted_cores(self) -> int | None:
        """Cores of a cluster that is started here: as many as there are workers and replicas, or all."""
        service = self.placement.service
        return self.placement.jobs + (service.replicas if service else 0) if self.placement.jobs else None

    def _set_up(self) -> None:
        resources = self._ray.cluster_resources()
        cores, held = int(resources.get("CPU", 0)), self._start_replicas(resources)
        self.size = self.placement.jobs or cores - held
        if cores - held < 1:
            raise ClusterError(f"The cluster has {cores} cores, and {held} hold replicas: none is left for workers.")
        self._packed_work = self._ray.put(self._ray.cloudpickle.dumps(self.work))
        self._metrics = _Metrics()
        if self.watched:
            self._board = self._ray.remote(StateBoard).options(num_cpus=0).remote()
            self._ray.get(self._board.__ray_ready__.remote())  # no state of a short run is missed
            self._states = self._board.take.remote()

    def _start_replicas(self, resources: dict[str, float]) -> int:
        """Start the actors of the service, one per GPU where there are any, else per core; returns the cores held."""
        service = self.placement.service
        if service is None:
            return 0
        gpus = int(resources.get("GPU", 0))
        room = gpus or int(resources.get("CPU", 0)) - 1
        if service.replicas > room:
            kind = "GPUs" if gpus else "cores beside one worker"
            raise ClusterError(
                f"--oracle-replicas {service.replicas}: the cluster has {room} {kind}. Give at most that."
            )
        needs = {"num_cpus": 0, "num_gpus": 1} if gpus else {"num_cpus": 1}
        restarted = {"max_restarts": -1, "max_task_retries": -1, "max_concurrency": 1000}
        made = self._ray.remote(service.replica())
        names = [f"cwm-agent-replica-{number}" for number in range(service.replicas)]
        self._replicas = [made.options(**needs, **restarted, name=name).remote(service) for name in names]
        return 0 if gpus else service.replicas

    def start(self) -> RayActor:
        placed = {"num_cpus": 1, "max_restarts": 0, "scheduling_strategy": self._strategy()}
        made = self._ray.remote(RayWorker).options(**placed)
        service = self.placement.service
        actor = made.remote(
            self._packed_work, self._started, board=self._board, service=service, replicas=self._replicas
        )
        self._started += 1
        worker = RayActor(actor, actor.open.remote())
        self._workers.append(worker)
        return worker

    def _strategy(self) -> Any:
        if not self._refused:
            return "SPREAD"
        from ray.util.scheduling_strategies import NodeLabelSchedulingStrategy, NotIn

        return NodeLabelSchedulingStrategy({"ray.io/node-id": NotIn(*sorted(self._refused))})

    def wait(self, seconds: float | None) -> list[tuple[CrewWorker | None, Event]]:
        waited = {id(worker.pending): worker for worker in self._workers if worker.pending is not None}
        refs = [worker.pending for worker in waited.values()]
        if self._states is not None:
            refs.append(self._states)
        ready, _ = self._ray.wait(refs, num_returns=1, timeout=WAIT_S if seconds is None else seconds)
        if len(refs) > 1 and ready:  # all that are ready now, in one further call
            ready, _ = self._ray.wait(refs, num_returns=len(refs), timeout=0)
        found: list[tuple[CrewWorker | None, Event]] = []
        for ref in ready:
            if ref is self._states:
                found += self._told()
            elif (event := self._event(waited[id(ref)])) is not None:
                found.append((waited[id(ref)], event))
        self._say_if_stuck()
        return found

    def _told(self) -> list[tuple[None, Event]]:
        states = self._ray.get(self._states)
        self._states = self._board.take.remote()
        return [(None, Told(state)) for state in states]

    def _event(self, worker: RayActor) -> Event | None:
        """The next event of a worker whose reference or stream is ready; None at the end of a stream."""
        from ray import exceptions

        opening = worker.report is None
        try:
            data = self._ray.get(worker.pending if opening else next(worker.pending))
        except StopIteration:
            worker.pending = None
            return None
        except (exceptions.ObjectStoreFullError, exceptions.OutOfDiskError) as error:
            raise _store_full(error) from error
        except exceptions.RuntimeEnvSetupError as error:
            raise ClusterError(f"The runtime environment cannot be set up on a node: {one_line(error)}") from error
        except exceptions.RayTaskError as error:
            raise _task_failed(error) from error
        except exceptions.RayError as error:
            return self._death(worker, error)
        event = unpacked(data)
        self._note(worker, event)
        return event

    def _note(self, worker: RayActor, event: Event) -> None:
        """Keep what the driver needs to know of a worker, and count results for Ray's dashboard."""
        if worker.report is None:
            worker.pending = None
        if isinstance(event, Opened | NodeRefused):
            worker.report = event.report
            worker.node = self._node_of(worker)
        if isinstance(event, NodeRefused):
            self._refused.add(worker.node)
        if isinstance(event, Yielded) and worker.report is not None:
            self._metrics.done(worker.report.node, event.seconds)

    def _node_of(self, worker: RayActor) -> str:
        found: str = self._ray.get(worker.actor.where.remote())[0]
        return found

    def _death(self, worker: RayActor, error: BaseException) -> Died:
        self._workers.remove(worker)
        name = "" if worker.report is None else worker.report.node
        self._metrics.died(name)
        self._kill(worker)
        return Died(f"The worker{f' on {name}' if name else ''} died: {one_line(error)}", self._log_of(worker))

    def _log_of(self, worker: RayActor) -> str:
        """What the worker printed last, read on its node; empty where the node is gone too."""
        from ray import exceptions
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        alive = {node["NodeID"] for node in self._ray.nodes() if node["Alive"]}
        if worker.report is None or not worker.report.log or worker.node not in alive:
            return ""
        strategy = NodeAffinitySchedulingStrategy(worker.node, soft=False)
        read = self._ray.remote(log_tail).options(num_cpus=0, max_retries=0, scheduling_strategy=strategy)
        try:
            found: str = self._ray.get(read.remote(worker.report.log), timeout=LOG_S)
        except exceptions.RayError:
            return ""
        return found

    def _say_if_stuck(self) -> None:
        """Say what the driver waits for where the cluster has had no free core for a while."""
        if any(worker.report is not None for worker in self._workers):
            self._quiet_since = time.monotonic()
        elif time.monotonic() - self._quiet_since > WAIT_S:
            self._quiet_since = time.monotonic()
            free = self._ray.available_resources().get("CPU", 0)
            print_line(f"No worker is open yet; the cluster has {free:.0f} free cores. Waiting.", error=True)

    def drop(self, worker: CrewWorker) -> None:
        assert isinstance(worker, RayActor)
        self._workers.remove(worker)
        self._kill(worker)

    def _kill(self, worker: RayActor) -> None:
        with suppress(Exception):  # it may be gone already
            self._ray.kill(worker.actor)

    def _end(self) -> None:
        """Let actors close what they opened, those that are idle; then end all of them."""
        idle = [worker.actor.close.remote() for worker in self._workers if worker.pending is None]
        if idle:
            with suppress(Exception):
                self._ray.wait(idle, num_returns=len(idle), timeout=PATIENCE_S)
        others = [*self._replicas, *([self._board] if self._board is not None else [])]
        for actor in [*(worker.actor for worker in self._workers), *others]:
            with suppress(Exception):
                self._ray.kill(actor)
        self._workers.clear()


def _store_full(error: BaseException) -> StoreFull:
    return StoreFull(
        f"The object store of a node has no room: {one_line(error, 200)} Give it more with `ray start "
        "--object-store-memory`, or fewer workers with --jobs; the same command goes on from here."
    )


def _task_failed(error: Any) -> Exception:
    """A failure in an actor outside the work itself: no room for a result, or a fault of ours."""
    from ray import exceptions

    if isinstance(error.cause, exceptions.ObjectStoreFullError | exceptions.OutOfDiskError):
        return _store_full(error.cause)
    return RuntimeError(str(error))


class _Metrics:
    """Figures for Ray's dashboard, by node."""

    def __init__(self) -> None:
        from ray.util.metrics import Counter, Histogram

        self._done = Counter("cwm_agent_results", "Results that workers sent.", tag_keys=("node",))
        self._died = Counter("cwm_agent_dead_workers", "Workers that died.", tag_keys=("node",))
        bounds = [0.1, 1.0, 10.0, 100.0, 1000.0]
        self._seconds = Histogram("cwm_agent_seconds", "Seconds of a result.", boundaries=bounds, tag_keys=("node",))

    def done(self, node: str, seconds: float) -> None:
        self._done.inc(tags={"node": node})
        self._seconds.observe(max(seconds, 1e-6), tags={"node": node})

    def died(self, node: str) -> None:
        self._died.inc(tags={"node": node or "unknown"})
