"""Compiled steps that need rules alone: jumps, branches, copies, calls and returns.

What a line reads, binds and leads to is found once, so that a step changes only what differs. A compiled step that
does not know its step returns False and leaves the state unchanged; the caller then asks the stepper. Each step gives
the same frame as the stepper. `effect_steps.py` has the lines that compute; `step_compiler.py` makes all of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from envs.execution.state.frames import Activation, Bindings, Event
from envs.execution.state.value_grammar import Unsupported
from envs.execution.step_cache.cached_effects import ContinueAt
from envs.execution.step_cache.mutable_frame import MutableFrame, WaitingCaller, is_open
from envs.execution.stepper.values.value_rules import truth

DEEPEST = 900
"""Functions under way, beyond which the stepper takes the step: it knows the limit of recursion."""
NO_RULE = (Unsupported, ValueError, KeyError, IndexError, SyntaxError, RecursionError, TypeError, ArithmeticError)
"""What rules raise on malformed texts; the stepper then decides what follows."""
_MOST_TRUTHS = 50_000
_truths: dict[str, bool] = {}
"""Of values that refer to no object."""
Argument = tuple[str | None, str]
"""A variable's name, or None and a constant's text."""


@dataclass(frozen=True, slots=True)
class StepLocation:
    """The function and line of a compiled step, and which variables it may assume."""

    function: str
    line: int
    plain: frozenset[str] = frozenset()
    """Variables of the function that no cell holds."""
    temporaries: frozenset[str] = frozenset()
    """Those of the program."""
    live: frozenset[str] = frozenset()
    """Temporaries that are still needed; a frame that shows another one was not built by rules."""

    def takes(self, function: str, rows: Bindings, heap: Mapping[int, str]) -> bool:
        """Whether compiled steps can continue from such a frame: nothing waits at a `try`.

        No variable is unexpected.
        """
        if function != self.function or not self.temporaries.intersection([name for name, _ in rows]) <= self.live:
            return False
        return is_open(rows, heap, self.plain)


class CompiledStep:
    """A line whose step only the stepper knows; base class of all compiled steps."""

    __slots__ = ("function", "line", "location")
    event: ClassVar[Event] = "line"

    def __init__(self, location: StepLocation) -> None:
        self.location = location
        self.function = location.function
        self.line = location.line

    def step(self, state: MutableFrame) -> bool:
        return False


class Successor:
    """Moves to a line of the same function and drops temporaries that are not needed there."""

    __slots__ = ("_at", "_drops", "_line", "_to")

    def __init__(self, line: int, drops: tuple[str, ...], at: Callable[[int], CompiledStep]) -> None:
        self._line, self._drops, self._at = line, drops, at
        self._to: CompiledStep | None = None

    def go(self, state: MutableFrame) -> None:
        for name in self._drops:
            state.variables.pop(name, None)
        to = self._to
        if to is None:
            to = self._to = self._at(self._line)
        state.now = to


class FunctionExit:
    """Leaves the function, with None unless a value is given."""

    __slots__ = ("_left", "_temporaries")

    def __init__(self, left: CompiledStep, temporaries: frozenset[str]) -> None:
        self._left, self._temporaries = left, temporaries

    def go(self, state: MutableFrame, value: str = "None") -> None:
        for name in self._temporaries & state.variables.keys():
            del state.variables[name]
        state.arg = value
        state.now = self._left


class JumpStep(CompiledStep):
    """A line that only moves control: `pass`, `break`, `continue`."""

    __slots__ = ("_next",)

    def __init__(self, location: StepLocation, following: ContinueAt) -> None:
        super().__init__(location)
        self._next = following

    def step(self, state: MutableFrame) -> bool:
        self._next.go(state)
        return True


class EntryStep(JumpStep):
    """A function that was called and has done nothing yet."""

    __slots__ = ()
    event = "call"


@dataclass(frozen=True, slots=True)
class CallResultStep:
    """A line that waits for a function it called."""

    location: StepLocation
    target: str | None
    """What the value is bound to."""
    following: ContinueAt


class ReturnedStep(CompiledStep):
    """A function that returns; the waiting line of its caller takes the value."""

    __slots__ = ("_taker",)
    event = "return"

    def __init__(self, location: StepLocation, taker: Callable[[int], CallResultStep | None]) -> None:
        super().__init__(location)
        self._taker = taker

    def step(self, state: MutableFrame) -> bool:
        if not state.callers:
            return False
        caller = state.callers[-1]
        taker = self._taker(caller.line)
        if taker is None:
            return False
        if isinstance(caller, Activation):
            if not taker.location.takes(caller.function, caller.locals, state.heap):
                return False
            state.variables = dict(caller.locals)
        else:
            state.variables = caller.variables
        del state.callers[-1]
        if taker.target is not None:
            state.variables[taker.target] = state.arg or "None"
        state.arg = None
        taker.following.go(state)
        return True


class BranchStep(CompiledStep):
    """An `if` or `while` on a variable, or on `not` and a variable."""

    __slots__ = ("_name", "_no", "_yes")

    def __init__(self, location: StepLocation, name: str, yes: ContinueAt, no: ContinueAt) -> None:
        super().__init__(location)
        self._name, self._yes, self._no = name, yes, no

    def step(self, state: MutableFrame) -> bool:
        text = state.variables.get(self._name)
        if text is None:
            return False
        holds = _truths.get(text)
        if holds is None:
            try:
                holds = _truth(text, state.heap)
            except NO_RULE:
                return False
        (self._yes if holds else self._no).go(state)
        return True


def _truth(text: str, heap: Mapping[int, str]) -> bool:
    holds = truth(text, heap)
    if "#" not in text:
        if len(_truths) >= _MOST_TRUTHS:
            _truths.clear()
        _truths[text] = holds
    return holds


class CopyStep(CompiledStep):
    """A variable bound to what another one holds, or to a constant."""

    __slots__ = ("_next", "_target", "_value")

    def __init__(self, location: StepLocation, target: str, value: Argument, following: ContinueAt) -> None:
        super().__init__(location)
        self._target, self._value, self._next = target, value, following

    def step(self, state: MutableFrame) -> bool:
        name, constant = self._value
        text = constant if name is None else state.variables.get(name)
        if text is None:
            return False
        state.variables[self._target] = text
        self._next.go(state)
        return True


class ReturnStep(CompiledStep):
    """A function's end, with a variable's value or a constant."""

    __slots__ = ("_exit", "_value")

    def __init__(self, location: StepLocation, value: Argument, out: FunctionExit) -> None:
        super().__init__(location)
        self._value, self._exit = value, out

    def step(self, state: MutableFrame) -> bool:
        name, constant = self._value
        text = constant if name is None else state.variables.get(name)
        if text is None:
            return False
        self._exit.go(state, text)
        return True


class CallStep(CompiledStep):
    """A function of the program called with variables and constants, one for each parameter."""

    __slots__ = ("_arguments", "_entered")

    def __init__(
        self, location: StepLocation, arguments: Mapping[str, Argument], entered: Callable[[], CompiledStep]
    ) -> None:
        super().__init__(location)
        self._arguments = [(parameter, name, constant) for parameter, (name, constant) in arguments.items()]
        self._entered = entered

    def step(self, state: MutableFrame) -> bool:
        if len(state.callers) >= DEEPEST:
            return False
        here, values = state.variables, {}
        for parameter, name, constant in self._arguments:
            text = constant if name is None else here.get(name)
            if text is None:
                return False
            values[parameter] = text
        state.callers.append(WaitingCaller(self.function, self.line, here))
        state.variables = values
        state.now = self._entered()
        return True
