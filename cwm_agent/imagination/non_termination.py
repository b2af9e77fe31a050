"""Detects non-termination from the frames alone; knows no oracle.

A frame holds all that the next step depends on. So an execution that reaches an equal frame again repeats forever, and
so does a function that is called with the arguments of a call still under way. Both conclusions need a deterministic
oracle.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from envs.execution.state.frames import Frame
from envs.execution.state.value_grammar import expanded
from envs.execution.step_cache.mutable_frame import MutableFrame


@dataclass(slots=True)
class _Call:
    """A function by name and line, with all that its run depends on; values are expanded only when compared."""

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
    """Calls under way, by depth; if the execution started in the middle, the outer ones are unknown."""
    _kept: Frame | None = None
    """The frame that later ones are compared with; replaced at the first, second, fourth, ... turn."""
    _turns: int = 0
    _line: int = 0

    def is_certain_at(self, frame: Frame) -> bool:
        """Whether this frame makes non-termination certain."""
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

    def is_certain_at_step(self, mutable: MutableFrame) -> bool:
        """The same for a frame that is not rendered."""
        now = mutable.now
        line = now.line
        if now.event == "call":
            texts = [*[mutable.variables[name] for name in sorted(mutable.variables)], *mutable.shared.values()]
            return self._called(mutable.depth, _Call(now.function, line, tuple(texts), dict(mutable.heap)))
        back, self._line = line <= self._line, line
        if not back or now.event != "line":
            return False
        again = self._kept is not None and mutable.may_be(self._kept) and mutable.frame() == self._kept
        if self._turned():
            self._kept = mutable.frame()
        return again

    def _called(self, depth: int, call: _Call) -> bool:
        for deeper in [each for each in self._calls if each >= depth]:
            del self._calls[deeper]
        again = any(call.is_again(each) for each in self._calls.values())
        self._calls[depth] = call
        return again

    def _turned(self) -> bool:
        """Whether to replace the kept frame: Brent's cycle detection replaces it at powers of two."""
        self._turns += 1
        return self._turns & (self._turns - 1) == 0
