"""Opens a debugger on a file and a call: reads the program, opens the oracle, and a sandbox for real runs."""

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Literal

from cwm_agent import defaults
from cwm_agent.debugger.debugger_commands import Debugger
from cwm_agent.debugger.debugger_worlds import MarkovWorld, World
from cwm_agent.debugger.history_world import HistoryWorld
from cwm_agent.debugger.step_display import Paint
from cwm_agent.debugger.step_position import DebugError
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.oracles.history_protocol import HistoryOracle
from cwm_agent.oracles.history_registry import history_oracle_named
from cwm_agent.oracles.protocol import Oracle
from cwm_agent.oracles.registry import oracle_named
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from envs.execution.decompose.program import Program, decomposed, plain
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.history_frames import History
from envs.execution.tracer.history_recorder import Recorder
from envs.execution.tracer.reality import Reality

Level = Literal["plain", "operations", "characters"]


@contextmanager
def opened(
    path: str | Path,
    call: str,
    *,
    oracle: str = defaults.ORACLE,
    view: str = defaults.VIEW,
    guide: str | None = None,
    level: Level = defaults.LEVEL,
    coloured: bool = False,
) -> Iterator[Debugger]:
    """A debugger at the first frame of a call; sandbox and oracle are closed at the end of the `with` block."""
    source = Path(path).read_text(encoding="utf-8")
    entry, arguments = called(call)
    with Sandbox() as sandbox:
        worlds = _Worlds(source, entry, arguments, oracle=oracle, level=level, sandbox=sandbox)
        chosen = guide or (defaults.HISTORY_GUIDE if view == "history" else defaults.GUIDE)
        about = {"file": str(path), "call": call, "oracle": oracle}
        try:
            yield Debugger(worlds.world, view, chosen, written=source.splitlines(), about=about, paint=Paint(coloured))
        finally:
            worlds.close()


def called(call: str) -> tuple[str, str]:
    """The name of the function and the text of the arguments."""
    try:
        node = ast.parse(call.strip(), mode="eval").body
    except SyntaxError:
        node = None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise DebugError(f'{call!r} is no call of a function by its name. Write --call "f(3)".')
    named = [(f"{each.arg}=" if each.arg else "**") + ast.unparse(each.value) for each in node.keywords]
    arguments = [*map(ast.unparse, node.args), *named]
    return node.func.id, ", ".join(arguments)


class _Worlds:
    """Makes the world of one call for a view and a guide; oracles and real runs are made once, on first use."""

    def __init__(self, source: str, entry: str, arguments: str, *, oracle: str, level: Level, sandbox: Sandbox) -> None:
        self._source, self._entry, self._arguments = source, entry, arguments
        self._oracle, self._level, self._sandbox = oracle, level, sandbox
        self._reality = Reality(sandbox)
        self._markov_oracle = cache(self._make_markov_oracle)
        self._history_oracle = cache(self._make_history_oracle)
        self._history = cache(self._record)

    def world(self, view: str, guide: str) -> World:
        if view == "history":
            program = self._program()
            oracle = self._history_oracle()
            return HistoryWorld(
                program, self._arguments, oracle, guide=parse_guide(guide), run=lambda: self._history(program)
            )
        decomposed_program = decomposed(self._source, self._entry)
        return MarkovWorld(
            decomposed_program,
            self._arguments,
            self._markov_oracle(),
            view="program" if view == "program" else "local",
            guide=parse_guide(guide),
            run=lambda: self._reality.trace(decomposed_program, self._arguments),
        )

    def close(self) -> None:
        self._reality.close()

    def _program(self) -> Program:
        if self._level == "plain":
            return plain(self._source, self._entry)
        return decomposed(self._source, self._entry, self._level)

    def _make_markov_oracle(self) -> Oracle:
        return CachedOracle(oracle_named(self._oracle, lambda: self._reality))

    def _make_history_oracle(self) -> HistoryOracle:
        return history_oracle_named(self._oracle, lambda program, call: self._history(program))

    def _record(self, program: Program) -> History:
        return Recorder(self._sandbox).history(program, self._arguments)
