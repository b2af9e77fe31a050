"""What studies measure with: a sandbox for real runs, and the oracle under study in each view; opened when first used.

Knows no study.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING

from cwm_agent.agent.repair.history_beliefs import told_by
from cwm_agent.oracles.history_registry import history_oracle_named
from cwm_agent.oracles.registry import noise, oracle_named
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.oracles.wrappers.noise import NoisyOracle
from cwm_agent.studies.shared_answers import AskedOnce, ToldOnce
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.history_recorder import Recorder
from envs.execution.tracer.reality import Reality
from envs.execution.tracer.tracer import TraceLimits

if TYPE_CHECKING:
    from types import TracebackType

    from cwm_agent.oracles.history_protocol import HistoryOracle
    from cwm_agent.oracles.protocol import Oracle
    from envs.execution.decompose.program import Program
    from envs.execution.state.frames import Trace
    from envs.execution.state.history_frames import History, HistoryFrame

STEPS = 40_000
"""Of the longest real run."""
GREEDY = ("embedded", "hf")
"""Oracles that continue a history the same way each time, and dear enough not to be asked twice."""


class Workbench:
    """Real runs and oracles by name; a context manager, since a sandbox is a process."""

    def __init__(self, oracle: str = "embedded", seed: int = 0) -> None:
        self.oracle, self.seed = oracle, seed
        self._stack = ExitStack()
        self._told: dict[tuple[Program, HistoryFrame], History] = {}
        self._named: dict[str, Oracle] = {}
        self._afresh: dict[str, Oracle] = {}

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

    @property
    def markov(self) -> Oracle:
        """The oracle under study, for the program and the local view."""
        return self.named(self.oracle)

    @cached_property
    def historian(self) -> HistoryOracle:
        """The oracle under study, for the history view; those that tell real runs again know what was recorded."""
        record = told_by(lambda: self.recorder)
        oracle = history_oracle_named(
            self.oracle, lambda program, call: self._told.get((program, call)) or record(program, call)
        )
        return ToldOnce(oracle) if self.oracle.partition(":")[0] in GREEDY else oracle

    def named(self, name: str) -> Oracle:
        """An oracle by its name, which remembers what it said of a line; costs are those of lines it had not seen."""
        if name not in self._named:
            self._named[name] = CachedOracle(self.afresh(name))
        return self._named[name]

    def afresh(self, name: str) -> Oracle:
        """The same without that memory, so that every asking counts with its full cost."""
        if name not in self._afresh:
            head, _, rest = name.partition(":")
            if head == "noisy":
                kind, rates, seed = noise(name, rest)
                self._afresh[name] = NoisyOracle(self.named("exact"), rates, kind, seed)
            else:
                self._afresh[name] = AskedOnce(oracle_named(name, lambda: self.reality))
        return self._afresh[name]

    def forget(self) -> None:
        """Begin a cell as if it were the first: neither its costs nor errors that are drawn depend on those before.

        Models stay loaded, and what a deterministic one said is still known: asked again it would say the same.
        """
        self._named.clear()
        for name in [name for name in self._afresh if name.startswith("noisy:")]:
            del self._afresh[name]
        if self.oracle.startswith("noisy:"):
            self.__dict__.pop("historian", None)

    def answered_by(self, view: str | None) -> str:
        """The full name of the oracle that answers in a view, its weights included; nothing where none is asked."""
        if view is None:
            return ""
        return self.historian.name if view == "history" else self.markov.name

    def trace(self, program: Program, arguments: str, steps: int = STEPS) -> Trace:
        """A real run, frame by frame."""
        return self.reality.trace(program, arguments, TraceLimits(steps=steps))

    def history(self, program: Program, arguments: str, steps: int = STEPS) -> History:
        """A real run as the history view tells it."""
        found = self.recorder.history(program, arguments, TraceLimits(steps=steps))
        if found.frames:
            self._told[program, found.frames[0]] = found
        return found
