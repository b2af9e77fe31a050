"""Worlds a debugger can walk in: the Markov views, and the history view. Each imagines one step from the frames so far.

A world holds no position: frames come in, the next one goes out. Nothing is run for real before somebody asks for it,
except where the call's first frame cannot be told by text alone, or a guide looks at the real run.
"""

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol, cast

from cwm_agent.debugger.step_position import DebugError, Difference, Moved, StepPosition
from cwm_agent.imagination.guides import Guide
from cwm_agent.imagination.rollout_loop import RolloutSettings, RolloutStart, imagine
from cwm_agent.oracles.protocol import MarkovView, Oracle
from cwm_agent.verification.verifier import first_difference
from envs.execution.decompose.program import FILENAME, Program
from envs.execution.state.frames import Frame, Outcome, Trace
from envs.execution.state.value_grammar import Unsupported, expanded
from envs.execution.stepper.first_frame import first_frame
from envs.execution.text.canonical_labels import CanonicalLabels
from envs.execution.text.object_renderer import ObjectRenderer


class World(Protocol):
    """One program and call, and an oracle that imagines it."""

    program: Program
    guide: Guide

    def first(self) -> Any:
        """The frame at which the call begins."""
        ...

    def step(self, frames: Sequence[Any]) -> Moved:
        """What comes next."""
        ...

    def place(self, frame: Any) -> StepPosition:
        """A frame as it is shown."""
        ...

    def changed(self, frame: Any, name: str, value: str) -> Any:
        """The frame with a variable set; DebugError where that cannot be."""
        ...

    def real(self) -> tuple[Sequence[Any], Outcome]:
        """The real run; it is run once."""
        ...

    def difference(self, frames: Sequence[Any]) -> Difference | None:
        """The first frame that differs from the real run's, as far as both go."""
        ...


class MarkovWorld:
    """A decomposed program in the local or the program view."""

    def __init__(
        self, view: MarkovView, program: Program, arguments: str, oracle: Oracle, guide: Guide, run: Callable[[], Trace]
    ) -> None:
        self.program, self.guide, self.view = program, guide, view
        self._arguments, self._oracle, self._run = arguments, oracle, run
        self._real: Trace | None = None

    def first(self) -> Frame:
        try:
            found = first_frame(self.program, self._arguments)
        except Unsupported:
            found = self._trace().frames[0] if self._trace().frames else self._trace().outcome
        if isinstance(found, Outcome):
            raise DebugError(f"The call does not begin: {found.value}. Give --call arguments that fit the function.")
        return found

    def step(self, frames: Sequence[Frame]) -> Moved:
        start = RolloutStart(self.program, frames[-1], self._ahead(len(frames) - 1))
        [found] = imagine([start], self._oracle, RolloutSettings(view=self.view, guide=self.guide, steps=1))
        if len(found.frames) > 1:
            return Moved(found.frames[1], found.marks[1], tokens=found.tokens)
        return Moved(outcome=found.outcome, problem=found.reason, tokens=found.tokens)

    def _ahead(self, index: int) -> Trace | None:
        """The real run from a frame on, where the guide looks at it."""
        if not self.guide.needs_reality:
            return None
        real = self._trace()
        if index >= len(real.frames):
            raise DebugError("The real run is over here, so there is nothing to follow. Switch: guide grounded.")
        return replace(real, frames=real.frames[index:])

    def place(self, frame: Frame) -> StepPosition:
        heap = dict(frame.heap)
        rows = [(name, expanded(text, heap)) for name, text in frame.locals]
        hidden = [row for row in rows if row[0] in self.program.temporaries or row[0].startswith("@")]
        lines, origin = self.program.lines, self.program.origin
        return StepPosition(
            frame.event,
            origin[frame.line - 1] if frame.line <= len(origin) else 0,
            lines[frame.line - 1] if frame.line <= len(lines) else "",
            frame.depth,
            frame.function,
            tuple(row for row in rows if row not in hidden),
            tuple(hidden),
            None if frame.arg is None else expanded(frame.arg, heap),
        )

    def changed(self, frame: Frame, name: str, value: str) -> Frame:
        top = dict(frame.locals)
        text = top[value] if value in top else _literal_text(value)
        page = CanonicalLabels(dict(frame.heap), dict(frame.heap))
        top[name] = text
        stack = [replace(each, locals=page.bindings(each.locals)) for each in frame.stack[:-1]]
        stack.append(replace(frame.stack[-1], locals=page.bindings(top.items())))
        shared = page.bindings(frame.globals)
        return replace(frame, stack=tuple(stack), globals=shared, heap=page.heap())

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
    """What a literal stands for; DebugError where it is none."""
    try:
        return cast(object, ast.literal_eval(value))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise DebugError(f"{value[:80]!r} is neither a literal nor a variable here. Write set x = 3.") from None


def _literal_text(value: str) -> str:
    rows, _, heap = ObjectRenderer({}, FILENAME).page([{"value": literal(value)}])
    return expanded(rows[0][0][1], dict(heap))
