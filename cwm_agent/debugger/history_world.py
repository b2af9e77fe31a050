"""The debugger's world in the history view: the oracle sees all frames so far at every step."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from cwm_agent.debugger.debugger_worlds import literal
from cwm_agent.debugger.step_position import DebugError, Difference, StepPosition, StepResult
from cwm_agent.imagination.guides import Guide
from cwm_agent.imagination.history_rules import ruled
from cwm_agent.imagination.history_start import history_call
from cwm_agent.imagination.rollout_loop import Mark
from cwm_agent.oracles.history_protocol import ENDED, Action, HistoryOracle, HistoryQuery, Malformed
from cwm_agent.verification.history_comparison import first_wrong_frame
from cwm_agent.views.history.action_places import END, ActionPlaces
from cwm_agent.views.history.history_state import HistoryState, standing_after
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Outcome
from envs.execution.state.history_frames import History, HistoryFrame
from envs.execution.state.value_grammar import Unsupported


class HistoryWorld:
    """A program, plain or decomposed, in the history view."""

    def __init__(
        self, program: Program, arguments: str, oracle: HistoryOracle, *, guide: Guide, run: Callable[[], History]
    ) -> None:
        self.program, self.guide = program, guide
        self._arguments, self._oracle, self._run = arguments, oracle, run
        self._real: History | None = None

    def first(self) -> HistoryFrame:
        try:
            found = history_call(self.program, self._arguments)
        except Unsupported:
            real = self._history()
            if not real.frames:
                raise DebugError(
                    f"The call does not start: {real.outcome.value}. Give --call arguments that fit the function."
                ) from None
            return real.frames[0]
        if isinstance(found, Outcome):
            raise DebugError(f"The call does not start: {found.value}. Give --call arguments that fit the function.")
        return found

    def step(self, frames: Sequence[HistoryFrame]) -> StepResult:
        state = standing_after(frames)
        if state.over:
            return StepResult(outcome=Outcome("returned", frames[-1].arg or "None"))
        allowed, mark = self._allowed(state, len(frames))
        if allowed == frozenset({END}):
            return StepResult(outcome=Outcome("raised", _raised(frames) or ""))
        [found] = self._oracle.continue_([HistoryQuery(self.program, tuple(frames), allowed, 0)])
        said = found.said
        if isinstance(said, Malformed):
            return StepResult(problem=said.reason, tokens=found.tokens)
        if said == ENDED:
            raised = _raised(frames)
            if raised is None:
                return StepResult(problem="the oracle ended the run inside a function, without an exception")
            return StepResult(outcome=Outcome("raised", raised), tokens=found.tokens)
        assert isinstance(said, HistoryFrame)
        return StepResult(said, mark, tokens=found.tokens)

    def _allowed(self, state: HistoryState, index: int) -> tuple[frozenset[Action] | None, Mark]:
        freedom = self.guide.freedom
        if freedom == "cfg":
            return ActionPlaces.of(self.program).allowed(state) or None, "constrained"
        if freedom == "grounded":
            if self.program.level == "plain":
                raise DebugError(
                    "grounded needs a decomposed program. Start with --level operations, or switch with: guide cfg."
                )
            rule = ruled(self.program, state)
            return rule.allowed, "rule" if rule.by_rule else "constrained"
        if freedom == "forced":
            frames = self._history().frames
            if index >= len(frames):
                return frozenset({END}), "constrained"
            return frozenset({Action(frames[index].event, frames[index].action)}), "constrained"
        return None, "imagined"

    def place(self, frame: HistoryFrame) -> StepPosition:
        line = frame.lines[0] if frame.lines else 0
        origin = self.program.origin
        hidden = tuple(row for row in frame.locals if row[0] in self.program.temporaries)
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


def _raised(frames: Sequence[HistoryFrame]) -> str | None:
    """The last exception; None where there was none."""
    return next((frame.arg for frame in reversed(frames) if frame.event == "exception"), None)
