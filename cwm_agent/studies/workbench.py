"""What studies measure with: a sandbox for real runs, and the oracle under study in each view; opened when first used.

Knows no study.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from cwm_agent.agent.repair.history_beliefs import told_by
from cwm_agent.imagination.view_adapters import FrameType, adapter_of
from cwm_agent.oracles.history_registry import history_oracle_named
from cwm_agent.oracles.registry import noise, oracle_named
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.oracles.wrappers.noise import NoisyOracle
from cwm_agent.studies.shared_answers import AskedOnce, ToldOnce
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.frames import Frame
from envs.execution.state.history_frames import HistoryFrame
from envs.execution.tracer.history_recorder import Recorder
from envs.execution.tracer.reality import Reality
from envs.execution.tracer.tracer import TraceLimits

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from cwm_agent.oracles.history_protocol import HistoryOracle
    from cwm_agent.oracles.protocol import Oracle, View
    from envs.execution.decompose.program import Program
    from envs.execution.state.frames import Trace
    from envs.execution.state.history_frames import History

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

    def under_study(self, view: View) -> Any:
        """The oracle under study, of the kind that answers in a view."""
        return self._under_study[adapter_of(view).frame_type](self)

    def uncached(self, view: View, name: str) -> Any:
        """The oracle with a name, without an answer cache; in the history view always the one under study."""
        return self._uncached[adapter_of(view).frame_type](self, name)

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

    def answered_by(self, view: View | None) -> str:
        """The full name of the oracle that answers in a view, with its weights; empty where no oracle is asked."""
        if view is None:
            return ""
        name: str = self.under_study(view).name
        return name

    def run(self, view: View, program: Program, arguments: str) -> Any:
        """A real run as frames of a view's kind."""
        return adapter_of(view).run(program, arguments, self)

    def trace(self, program: Program, arguments: str, steps: int = STEPS) -> Trace:
        """A real run, frame by frame."""
        return self.reality.trace(program, arguments, TraceLimits(steps=steps))

    def history(self, program: Program, arguments: str, steps: int = STEPS) -> History:
        """A real run as the history view shows it."""
        found = self.recorder.history(program, arguments, TraceLimits(steps=steps))
        if found.frames:
            self._told[program, found.frames[0]] = found
        return found

    _under_study: ClassVar[dict[FrameType, Callable[[Workbench], Any]]] = {
        Frame: lambda self: self.markov,
        HistoryFrame: lambda self: self.historian,
    }
    _uncached: ClassVar[dict[FrameType, Callable[[Workbench, str], Any]]] = {
        Frame: lambda self, name: self.afresh(name),
        HistoryFrame: lambda self, name: self.historian,
    }
