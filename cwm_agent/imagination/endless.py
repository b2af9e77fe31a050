"""Tells from the pages alone that an execution will never end; knows no oracle.

A page says all that the next step depends on, so whoever comes to a page again goes round for ever, and a function that
is called with the arguments of a call still under way calls itself for ever. Both hold only while the same question
gets the same answer.
"""

from dataclasses import dataclass, field

from envs.execution.frames import Frame
from envs.execution.values import expanded

_Call = tuple[str, int, tuple[str, ...]]
"""A function by name and line, with all that its run can depend on."""


@dataclass(slots=True)
class Endless:
    """Watches one execution."""

    _calls: dict[int, _Call] = field(default_factory=dict)
    """Those under way, by depth; where the execution was begun in the middle, the outer ones are not known."""
    _kept: Frame | None = None
    """A page that later ones are held against; another one at the first, second, fourth, ... turn."""
    _turns: int = 0
    _line: int = 0

    def sees(self, frame: Frame) -> bool:
        """Whether it is certain with this frame that no end will come."""
        if frame.event == "call":
            return self._called(frame)
        back, self._line = frame.line <= self._line, frame.line
        return back and frame.event == "line" and self._turned(frame)

    def _called(self, frame: Frame) -> bool:
        self._calls = {depth: call for depth, call in self._calls.items() if depth < frame.depth}
        heap = dict(frame.heap)
        values = tuple([expanded(text, heap) for _, text in (*frame.locals, *frame.globals)])
        call = frame.function, frame.line, values
        again = call in self._calls.values() and not any(value.startswith("?") for value in values)
        self._calls[frame.depth] = call
        return again

    def _turned(self, frame: Frame) -> bool:
        """Brent's way of finding a cycle: the page to compare with is renewed ever more seldom."""
        self._turns += 1
        again = frame == self._kept
        if self._turns & (self._turns - 1) == 0:
            self._kept = frame
        return again
