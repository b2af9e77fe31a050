"""Opens a debugger on a file and a call: reads the program, opens the oracle, and a sandbox for real runs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cwm_agent import defaults
from cwm_agent.debugger.debugger_commands import Debugger
from cwm_agent.debugger.debugger_worlds import MarkovWorld, World
from cwm_agent.debugger.history_world import HistoryWorld
from cwm_agent.debugger.step_display import Paint
from cwm_agent.debugger.step_position import DebugError
from cwm_agent.imagination.call_text import BadCall, split_call
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.view_adapters import FrameType, Level, ViewAdapter, WorldRecord, adapter_of
from cwm_agent.oracles.protocol import View
from envs.execution.decompose.program import Program
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.frames import Frame, Trace
from envs.execution.state.history_frames import History, HistoryFrame
from envs.execution.tracer.history_recorder import Recorder
from envs.execution.tracer.reality import Reality
from tasks.errors import TaskError
from tasks.reading.source_file import read_source
from tasks.scripted_world import NO_WORLD, ScriptedWorld
from tasks.traced_calls import written_call


@contextmanager
def opened(
    path: str | Path,
    call: str,
    *,
    oracle: str = defaults.ORACLE,
    view: View = defaults.VIEW,
    guide: str | None = None,
    level: Level = defaults.LEVEL,
    world: ScriptedWorld = NO_WORLD,
    coloured: bool = False,
) -> Iterator[Debugger]:
    """A debugger at the first frame of a call; sandbox and oracle are closed at the end of the `with` block.

    `world` is what `random`, `input`, clocks and files give the program.
    """
    try:
        source = read_source(Path(path)).text
    except TaskError as error:
        raise DebugError(f"{path}: {error}. Give a Python file.") from None
    try:
        written = written_call(source, *split_call(call))
    except BadCall as error:
        raise DebugError(f'{error} Write --call "f(3)".') from None
    with Sandbox() as sandbox:
        call_text = _Call(written.source, written.entry, written.arguments, world.record())
        worlds = _Worlds(call_text, oracle=oracle, level=level, sandbox=sandbox)
        chosen = guide or adapter_of(view).default_guide
        about = {"file": str(path), "call": call, "oracle": oracle}
        lines = written.source.splitlines()
        try:
            yield Debugger(worlds.world, view, chosen, written=lines, about=about, paint=Paint(coloured))
        finally:
            worlds.close()


@dataclass(frozen=True, slots=True)
class _Call:
    source: str
    entry: str
    arguments: str
    sources: Mapping[str, Any]
    """What the program's sources give."""


class _Worlds:
    """Makes the world of one call for a view and a guide; oracles and real runs are made once. A `RealRuns`."""

    def __init__(self, call: _Call, *, oracle: str, level: Level, sandbox: Sandbox) -> None:
        self._call, self._oracle, self._level, self._sandbox = call, oracle, level, sandbox
        self._reality = Reality(sandbox)
        self._oracles: dict[FrameType, Any] = {}
        self._recorded = cache(self._record)

    def world(self, view: View, guide: str) -> World:
        adapter, call = adapter_of(view), self._call
        program = adapter.program(call.source, call.entry, self._level)
        made, oracle = _WORLDS[adapter.frame_type], self._oracle_of(adapter)
        return made(
            program,
            call.arguments,
            oracle,
            view=view,
            guide=parse_guide(guide),
            run=lambda: adapter.run(program, call.arguments, self, call.sources),
            sources=call.sources,
        )

    def close(self) -> None:
        self._reality.close()

    def trace(self, program: Program, arguments: str, *, world: WorldRecord = None) -> Trace:
        return self._reality.trace(program, arguments, world=world)

    def history(self, program: Program, arguments: str, *, world: WorldRecord = None) -> History:
        return self._recorded(program)

    def _oracle_of(self, adapter: ViewAdapter[Any, Any, Any, Any]) -> Any:
        """The oracle for a kind of frames, behind a cache."""
        if adapter.frame_type not in self._oracles:
            found = adapter.oracle(self._oracle, lambda: self._reality, lambda program, call: self._recorded(program))
            self._oracles[adapter.frame_type] = adapter.cached(found)
        return self._oracles[adapter.frame_type]

    def _record(self, program: Program) -> History:
        return Recorder(self._sandbox).history(program, self._call.arguments, world=self._call.sources)


_WORLDS: dict[FrameType, Callable[..., World]] = {
    Frame: MarkovWorld,
    HistoryFrame: lambda *what, view, **more: HistoryWorld(*what, **more),
}
