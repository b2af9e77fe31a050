"""Real runs of a repair task, recorded step by step so that an oracle can learn from them (`--learn`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cwm_agent.agent.learning.true_steps import RealSteps
from cwm_agent.agent.repair.original_run import real_traces, traced_programs
from cwm_agent.oracles.protocol import Oracle
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.frames import Trace
from tasks import RepairTask

MOST_RECORDED = 4
"""Programs of one task whose real runs are recorded, the buggy one among them."""


@dataclass(slots=True)
class RecordedRuns:
    """The traces of the buggy program and of the first candidates that were run."""

    _runs: list[tuple[RepairTask, Sequence[Trace | None]]] = field(default_factory=list)

    def keep(self, task: RepairTask, traces: Sequence[Trace | None]) -> None:
        """Keep the traces of a program."""
        self._runs.append((task, traces))

    def record(self, task: RepairTask, source: str, sandbox: Sandbox) -> None:
        """Trace a candidate on the task's tests, as part of its one real execution; no more than a few are traced."""
        if len(self._runs) < MOST_RECORDED:
            candidate = replace(task, source=source)
            self.keep(candidate, real_traces(candidate, sandbox))

    def steps(self, oracle: Oracle) -> RealSteps:
        """All recorded runs, and the oracle that imagined the task."""
        runs = (run for task, traces in self._runs for run in traced_programs(task, traces))
        return RealSteps(tuple(runs), oracle)
