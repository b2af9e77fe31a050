"""Tells from the pages alone that an execution will never end; knows no oracle.

A page says all that the next step depends on, so whoever comes to a page again goes round for ever, and a function that
is called with the arguments of a call still under way calls itself for ever. Both hold only while the same question
gets the same answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from envs.execution.state.frames import Frame
from envs.execution.state.value_grammar import expanded
from envs.execution.step_cache.mutable_frame import MutableFrame


@dataclass(slots=True)
class _Call:
    """A function by name and line, with all that its run can depend on; mostly nobody wants to see that."""

    function: str
    line: int
    texts: tuple[str, ...]
    heap: Mapping[int, str]
    _values: tuple[str, ...] | None = None

    def values(self) -> tuple[str, ...]:
        if self._values is None:
            self._values = tuple([expanded(text, self.heap) for text in self.texts])
        return self._values

    def is_again(self, other: "_Call") -> bool:
        """Whether both are of the same function with the same values, all of them known."""
        if self.function != other.function or self.line != other.line or self.values() != other.values():
            return False
        return not any(value.startswith("?") for value in self.values())


@dataclass(slots=True)
class NonTermination:
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
            texts = [text for _, text in (*frame.locals, *frame.globals)]
            return self._called(frame.depth, _Call(frame.function, frame.line, tuple(texts), dict(frame.heap)))
        back, self._line = frame.line <= self._line, frame.line
        if not back or frame.event != "line":
            return False
        again = frame == self._kept
        if self._turned():
            self._kept = frame
        return again

    def watches(self, sheet: MutableFrame) -> bool:
        """The same for a page that is not written down."""
        now = sheet.now
        line = now.line
        if now.event == "call":
            texts = [*[sheet.variables[name] for name in sorted(sheet.variables)], *sheet.shared.values()]
            return self._called(sheet.depth, _Call(now.function, line, tuple(texts), dict(sheet.heap)))
        back, self._line = line <= self._line, line
        if not back or now.event != "line":
            return False
        again = self._kept is not None and sheet.may_be(self._kept) and sheet.frame() == self._kept
        if self._turned():
            self._kept = sheet.frame()
        return again

    def _called(self, depth: int, call: _Call) -> bool:
        for deeper in [each for each in self._calls if each >= depth]:
            del self._calls[deeper]
        again = any(call.is_again(each) for each in self._calls.values())
        self._calls[depth] = call
        return again

    def _turned(self) -> bool:
        """Brent's way of finding a cycle: the page to compare with is renewed ever more seldom."""
        self._turns += 1
        return self._turns & (self._turns - 1) == 0
