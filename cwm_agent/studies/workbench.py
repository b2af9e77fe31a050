"""The workbench of one process: a sandbox for real runs, and the oracle under study in each view, opened on first use.

Knows no particular study.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cwm_agent.agent.repair.history_beliefs import real_histories
from cwm_agent.imagination.view_adapters import FrameType, adapter_of
from cwm_agent.oracles.history_registry import history_oracle_named
from cwm_agent.oracles.registry import noise, oracle_named
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.oracles.wrappers.noise import NoisyOracle
from cwm_agent.studies.shared_answers import SharedAnswers, SharedHistories
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.frames import Frame
from envs.execution.state.history_frames import HistoryFrame
from envs.execution.tracer.history_recorder import Recorder
from envs.execution.tracer.reality import Reality
from envs.execution.tracer.tracer import TraceLimits

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from cwm_agent.imagination.view_adapters import WorldRecord
    from cwm_agent.oracles.history_protocol import HistoryOracle
    from cwm_agent.oracles.protocol import Oracle, View
    from envs.execution.decompose.program import Program
    from envs.execution.state.frames import Trace
    from envs.execution.state.history_frames import History

STEPS = 40_000
"""Most steps of a real run."""
GREEDY = ("embedded", "hf")
"""Deterministic history oracles that are expensive enough to cache."""


class Workbench:
    """Executes real runs and opens oracles by name; a context manager, since a sandbox is a process."""

    def __init__(self, oracle: str = "embedded", seed: int = 0) -> None:
        self.oracle, self.seed = oracle, seed
        self._stack = ExitStack()
        self._recorded: dict[tuple[Program, HistoryFrame], History] = {}
        self._cached: dict[str, Oracle] = {}
        self._uncached: dict[str, Oracle] = {}

    def __enter__(self) -> Workbench:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    @cached_property
    def sandbox(self) -> Sandbox:
        return self._stack.enter_context(Sandbox())

    @cached_property
    def reality(self) -> Reality:
        reality = Reality(self.sandbox)
        self._stack.callback(reality.close)
        return reality

    @cached_property
    def recorder(self) -> Recorder:
        return Recorder(self.sandbox)

    def under_study(self, view: View) -> Any:
        """The oracle under study, of the kind that answers in a view."""
        return _UNDER_STUDY[adapter_of(view).frame_type](self)

    def uncached(self, view: View, name: str) -> Any:
        """The oracle with a name, without an answer cache; in the history view always the one under study."""
        return _UNCACHED[adapter_of(view).frame_type](self, name)

    @property
    def markov_oracle(self) -> Oracle:
        """The oracle under study, for the program and the local view."""
        return self.cached_oracle(self.oracle)

    @cached_property
    def history_oracle(self) -> HistoryOracle:
        """The oracle under study, for the history view; an oracle that replays real runs uses the recorded ones."""
        record = real_histories(lambda: self.recorder)
        oracle = history_oracle_named(
            self.oracle, lambda program, call: self._recorded.get((program, call)) or record(program, call)
        )
        return SharedHistories(oracle) if self.oracle.partition(":")[0] in GREEDY else oracle

    def cached_oracle(self, name: str) -> Oracle:
        """An oracle by name with a cache of answers; only new questions cost tokens."""
        if name not in self._cached:
            self._cached[name] = CachedOracle(self.uncached_oracle(name))
        return self._cached[name]

    def uncached_oracle(self, name: str) -> Oracle:
        """An oracle by name that counts the full cost of every question."""
        if name not in self._uncached:
            head, _, rest = name.partition(":")
            if head == "noisy":
                kind, rates, seed = noise(name, rest)
                self._uncached[name] = NoisyOracle(self.cached_oracle("exact"), rates, kind, seed)
            else:
                self._uncached[name] = SharedAnswers(oracle_named(name, lambda: self.reality))
        return self._uncached[name]

    def forget(self) -> None:
        """Clear the caches, so that neither costs nor random errors of a cell depend on earlier cells.

        Models stay loaded, and so do the shared answers of deterministic oracles, which would not change.
        """
        self._cached.clear()
        for name in [name for name in self._uncached if name.startswith("noisy:")]:
            del self._uncached[name]
        if self.oracle.startswith("noisy:"):
            self.__dict__.pop("history_oracle", None)

    def answered_by(self, view: View | None) -> str:
        """The full name of the oracle in a view, with its weights; empty where the view is None."""
        if view is None:
            return ""
        name: str = self.under_study(view).name
        return name

    def run(self, view: View, program: Program, arguments: str, world: WorldRecord = None) -> Any:
        """A real run as frames of a view's kind; `world` is what the program's sources give."""
        return adapter_of(view).run(program, arguments, self, world)

    def trace(self, program: Program, arguments: str, steps: int = STEPS, *, world: WorldRecord = None) -> Trace:
        """The frames of a real run, for the Markov views."""
        return self.reality.trace(program, arguments, TraceLimits(steps=steps), world)

    def history(self, program: Program, arguments: str, steps: int = STEPS, *, world: WorldRecord = None) -> History:
        """The frames of a real run, for the history view."""
        found = self.recorder.history(program, arguments, TraceLimits(steps=steps), world)
        if found.frames:
            self._recorded[program, found.frames[0]] = found
        return found


_UNDER_STUDY: dict[FrameType, Callable[[Workbench], Any]] = {
    Frame: lambda bench: bench.markov_oracle,
    HistoryFrame: lambda bench: bench.history_oracle,
}
_UNCACHED: dict[FrameType, Callable[[Workbench, str], Any]] = {
    Frame: lambda bench, name: bench.uncached_oracle(name),
    HistoryFrame: lambda bench, name: bench.history_oracle,
}
