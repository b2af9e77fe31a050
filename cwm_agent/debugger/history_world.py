"""The debugger's world in the history view: the oracle sees all frames so far at every step."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from cwm_agent.debugger.debugger_worlds import literal
from cwm_agent.debugger.step_position import DebugError, Difference, StepPosition, StepResult
from cwm_agent.imagination.guides import BadGuide, Guide
from cwm_agent.imagination.history_rollouts import HistorySettings, HistoryStart, imagine_histories
from cwm_agent.imagination.history_start import history_call
from cwm_agent.imagination.view_adapters import WorldRecord
from cwm_agent.oracles.history_protocol import HistoryOracle
from cwm_agent.verification.history_comparison import first_wrong_frame
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Outcome
from envs.execution.state.history_frames import History, HistoryFrame
from envs.execution.state.value_grammar import Unsupported


class HistoryWorld:
    """A program, plain or decomposed, in the history view."""

    def __init__(
        self,
        program: Program,
        arguments: str,
        oracle: HistoryOracle,
        *,
        guide: Guide,
        run: Callable[[], History],
        sources: WorldRecord = None,
    ) -> None:
        self.program, self.guide = program, guide
        self._arguments, self._oracle, self._run, self._sources = arguments, oracle, run, sources
        self._real: History | None = None

    def first(self) -> HistoryFrame:
        try:
            found = history_call(self.program, self._arguments, world=self._sources)
        except Unsupported:
            found = self._history().frames[0] if self._history().frames else self._history().outcome
        if isinstance(found, Outcome):
            raise DebugError(f"The call does not start: {found.value}. Give --call arguments that fit the function.")
        return found

    def step(self, frames: Sequence[HistoryFrame]) -> StepResult:
        real = self._history() if self.guide.needs_reality else None
        start = HistoryStart(self.program, frames[0], real, tuple(frames[1:]), steps=len(frames))
        try:
            [found] = imagine_histories([start], self._oracle, HistorySettings(self.guide))
        except BadGuide as error:
            raise DebugError(str(error)) from None
        if len(found.frames) > len(frames):
            return StepResult(found.frames[-1], found.marks[-1], tokens=found.tokens)
        return StepResult(outcome=found.outcome, problem=found.reason, tokens=found.tokens)

    def place(self, frame: HistoryFrame) -> StepPosition:
        line = frame.lines[0] if frame.lines else 0
        origin = self.program.origin
        hidden = tuple(row for row in frame.locals if row[0] in self.program.temporaries or row[0].startswith("@"))
        return StepPosition(
            event=frame.event,
            line=origin[line - 1] if 0 < line <= len(origin) else 0,
            text=frame.action,
            depth=frame.depth,
            function="",
            locals=tuple(row for row in frame.locals if row not in hidden),
            hidden=hidden,
            arg=frame.arg,
        )

    def changed(self, frame: HistoryFrame, name: str, value: str) -> HistoryFrame:
        if frame.event not in ("call", "line"):
            raise DebugError(
                f"A {frame.event} frame has no variables in the history view. Go to another step with step or back."
            )
        rows = dict(frame.locals)
        rows[name] = rows[value] if value in rows else repr(literal(value))
        return replace(frame, locals=tuple(rows.items()))

    def real(self) -> tuple[Sequence[HistoryFrame], Outcome]:
        return self._history().frames, self._history().outcome

    def difference(self, frames: Sequence[HistoryFrame]) -> Difference | None:
        found = first_wrong_frame(self.program, tuple(frames), self._history().frames)
        return None if found is None else Difference(found.step, found.kind, found.detail)

    def _history(self) -> History:
        if self._real is None:
            self._real = self._run()
        return self._real
