"""Worlds of the debugger: a world imagines the next frame from the frames so far. This module has the Markov views.

A world has no current position: the caller passes the frames. The program runs for real only on request, with two
exceptions: the first frame of the call cannot be computed from the text, or the guide reads the real run.
"""

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol, cast

from cwm_agent.debugger.step_position import DebugError, Difference, StepPosition, StepResult
from cwm_agent.imagination.guides import Guide
from cwm_agent.imagination.rollout_loop import RolloutSettings, RolloutStart, imagine
from cwm_agent.imagination.view_adapters import WorldRecord
from cwm_agent.oracles.protocol import MarkovView, Oracle
from cwm_agent.verification.verifier import first_difference
from envs.execution.decompose.program import FILENAME, Program
from envs.execution.state.frames import Frame, Outcome, Trace
from envs.execution.state.value_grammar import Unsupported, expanded
from envs.execution.stepper.first_frame import first_frame
from envs.execution.text.canonical_labels import CanonicalLabels
from envs.execution.text.object_renderer import ObjectRenderer


class World(Protocol):
    """A program, a call, and an oracle that imagines the call."""

    program: Program
    guide: Guide

    def first(self) -> Any:
        """The first frame of the call."""
        ...

    def step(self, frames: Sequence[Any]) -> StepResult:
        """The frame or outcome after the last of the frames."""
        ...

    def place(self, frame: Any) -> StepPosition:
        """A frame in the form that the debugger displays."""
        ...

    def changed(self, frame: Any, name: str, value: str) -> Any:
        """The frame with another value of a variable; raises `DebugError` where that is impossible."""
        ...

    def real(self) -> tuple[Sequence[Any], Outcome]:
        """Frames and outcome of the real run; the program runs at the first call only."""
        ...

    def difference(self, frames: Sequence[Any]) -> Difference | None:
        """The first difference from the real run, up to the end of the shorter one; None where there is none."""
        ...


class MarkovWorld:
    """A decomposed program in the local or the program view."""

    def __init__(
        self,
        program: Program,
        arguments: str,
        oracle: Oracle,
        *,
        view: MarkovView,
        guide: Guide,
        run: Callable[[], Trace],
        sources: WorldRecord = None,
    ) -> None:
        self.program, self.guide, self.view = program, guide, view
        self._arguments, self._oracle, self._run, self._sources = arguments, oracle, run, sources
        self._real: Trace | None = None

    def first(self) -> Frame:
        try:
            found = first_frame(self.program, self._arguments, world=self._sources)
        except Unsupported:
            found = self._trace().frames[0] if self._trace().frames else self._trace().outcome
        if isinstance(found, Outcome):
            raise DebugError(f"The call does not start: {found.value}. Give --call arguments that fit the function.")
        return found

    def step(self, frames: Sequence[Frame]) -> StepResult:
        start = RolloutStart(self.program, frames[-1], self._ahead(len(frames) - 1))
        [found] = imagine([start], self._oracle, RolloutSettings(view=self.view, guide=self.guide, steps=1))
        if len(found.frames) > 1:
            return StepResult(found.frames[1], found.marks[1], tokens=found.tokens)
        return StepResult(outcome=found.outcome, problem=found.reason, tokens=found.tokens)

    def _ahead(self, index: int) -> Trace | None:
        """The rest of the real run from a frame on; None where the guide does not read the real run."""
        if not self.guide.needs_reality:
            return None
        real = self._trace()
        if index >= len(real.frames):
            raise DebugError(f"The real run has no step {index}; forced cannot continue. Switch with: guide grounded.")
        return replace(real, frames=real.frames[index:])

    def place(self, frame: Frame) -> StepPosition:
        heap = dict(frame.heap)
        rows = [(name, expanded(text, heap)) for name, text in frame.locals]
        hidden = [row for row in rows if row[0] in self.program.temporaries or row[0].startswith("@")]
        lines, origin = self.program.lines, self.program.origin
        return StepPosition(
            event=frame.event,
            line=origin[frame.line - 1] if frame.line <= len(origin) else 0,
            text=lines[frame.line - 1] if frame.line <= len(lines) else "",
            depth=frame.depth,
            function=frame.function,
            locals=tuple(row for row in rows if row not in hidden),
            hidden=tuple(hidden),
            arg=None if frame.arg is None else expanded(frame.arg, heap),
        )

    def changed(self, frame: Frame, name: str, value: str) -> Frame:
        top = dict(frame.locals)
        text = top[value] if value in top else _literal_text(value)
        labels = CanonicalLabels(dict(frame.heap), dict(frame.heap))
        top[name] = text
        stack = [replace(each, locals=labels.bindings(each.locals)) for each in frame.stack[:-1]]
        stack.append(replace(frame.stack[-1], locals=labels.bindings(top.items())))
        shared = labels.bindings(frame.globals)
        return replace(frame, stack=tuple(stack), globals=shared, heap=labels.heap())

    def real(self) -> tuple[Sequence[Frame], Outcome]:
        return self._trace().frames, self._trace().outcome

    def difference(self, frames: Sequence[Frame]) -> Difference | None:
        real = self._trace().frames
        shared = min(len(frames), len(real))
        found = first_difference(self.program, frames[:shared], real[:shared])
        return None if found is None else Difference(found.step, found.kind, found.detail)

    def _trace(self) -> Trace:
        if self._real is None:
            self._real = self._run()
        return self._real


def literal(value: str) -> object:
    """The value of a literal; raises `DebugError` for other text."""
    try:
        return cast(object, ast.literal_eval(value))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise DebugError(
            f"{value[:80]!r} is neither a literal nor a variable of this step. Write a literal, as in: set x = 3"
        ) from None


def _literal_text(value: str) -> str:
    rows, _, heap = ObjectRenderer({}, FILENAME).render([{"value": literal(value)}])
    return expanded(rows[0][0][1], dict(heap))
