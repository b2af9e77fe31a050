"""The lines of a program as objects that take their step on a sheet; this file has those that need rules alone.

What a line reads, binds and leads to is found once, so a step does only what changes. A track that does not know its
step says so and leaves the sheet alone: the stepper takes it. The same steps as there, one by one, without a page for
each. `effect_steps.py` has the lines that compute; `step_compiler.py` makes all of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from envs.execution.state.frames import Activation, Bindings, Event
from envs.execution.state.value_grammar import Unsupported
from envs.execution.step_cache.cached_effects import ContinueAt
from envs.execution.step_cache.mutable_frame import MutableFrame, WaitingCaller, is_open
from envs.execution.stepper.value_rules import truth

DEEPEST = 900
"""Functions under way, beyond which the stepper is asked what to do about it."""
NO_RULE = (Unsupported, ValueError, KeyError, IndexError, SyntaxError, RecursionError, TypeError, ArithmeticError)
"""What rules raise on texts that make no sense; the stepper says what comes of it."""
_MOST_TRUTHS = 50_000
_truths: dict[str, bool] = {}
"""Of values that refer to no object."""
Argument = tuple[str | None, str]
"""A variable's name, or None and a constant's text."""


@dataclass(frozen=True, slots=True)
class StepLocation:
    """Where a track lies."""

    function: str
    line: int
    plain: frozenset[str] = frozenset()
    """Variables of the function that no cell holds."""
    temporaries: frozenset[str] = frozenset()
    """Those of the program."""
    live: frozenset[str] = frozenset()
    """Temporaries that are still needed; a page that shows another one is none that rules write."""

    def takes(self, function: str, rows: Bindings, heap: Mapping[int, str]) -> bool:
        """Whether such a page can be gone on with: nothing waits, and nothing stands there that should not."""
        if function != self.function or not self.temporaries.intersection([name for name, _ in rows]) <= self.live:
            return False
        return is_open(rows, heap, self.plain)


class CompiledStep:
    """A place in a program whose step only the stepper knows."""

    __slots__ = ("function", "line", "spot")
    event: ClassVar[Event] = "line"

    def __init__(self, spot: StepLocation) -> None:
        self.spot = spot
        self.function = spot.function
        self.line = spot.line

    def step(self, sheet: MutableFrame) -> bool:
        return False


class Successor:
    """On to a line of the same function; temporaries that nobody needs there are dropped."""

    __slots__ = ("_at", "_drops", "_line", "_to")

    def __init__(self, line: int, drops: tuple[str, ...], at: Callable[[int], CompiledStep]) -> None:
        self._line, self._drops, self._at = line, drops, at
        self._to: CompiledStep | None = None

    def go(self, sheet: MutableFrame) -> None:
        for name in self._drops:
            sheet.variables.pop(name, None)
        to = self._to
        if to is None:
            to = self._to = self._at(self._line)
        sheet.now = to


class FunctionExit:
    """Out of the function, with None unless a value is given."""

    __slots__ = ("_left", "_temporaries")

    def __init__(self, left: CompiledStep, temporaries: frozenset[str]) -> None:
        self._left, self._temporaries = left, temporaries

    def go(self, sheet: MutableFrame, value: str = "None") -> None:
        for name in self._temporaries & sheet.variables.keys():
            del sheet.variables[name]
        sheet.arg = value
        sheet.now = self._left


class JumpStep(CompiledStep):
    """A line that does nothing but lead on: `pass`, `break`, `continue`."""

    __slots__ = ("_way",)

    def __init__(self, spot: StepLocation, way: ContinueAt) -> None:
        super().__init__(spot)
        self._way = way

    def step(self, sheet: MutableFrame) -> bool:
        self._way.go(sheet)
        return True


class EntryStep(JumpStep):
    """A function that was called and has done nothing yet."""

    __slots__ = ()
    event = "call"


@dataclass(frozen=True, slots=True)
class CallResultStep:
    """A line that waits for a function it called."""

    spot: StepLocation
    target: str | None
    """What the value is bound to."""
    way: ContinueAt


class ReturnedStep(CompiledStep):
    """A function that returns: whoever called it takes the value."""

    __slots__ = ("_taker",)
    event = "return"

    def __init__(self, spot: StepLocation, taker: Callable[[int], CallResultStep | None]) -> None:
        super().__init__(spot)
        self._taker = taker

    def step(self, sheet: MutableFrame) -> bool:
        if not sheet.callers:
            return False
        caller = sheet.callers[-1]
        taker = self._taker(caller.line)
        if taker is None:
            return False
        if isinstance(caller, Activation):
            if not taker.spot.takes(caller.function, caller.locals, sheet.heap):
                return False
            sheet.variables = dict(caller.locals)
        else:
            sheet.variables = caller.variables
        del sheet.callers[-1]
        if taker.target is not None:
            sheet.variables[taker.target] = sheet.arg or "None"
        sheet.arg = None
        taker.way.go(sheet)
        return True


class BranchStep(CompiledStep):
    """An `if` or `while` on a variable, or on `not` and a variable."""

    __slots__ = ("_name", "_no", "_yes")

    def __init__(self, spot: StepLocation, name: str, yes: ContinueAt, no: ContinueAt) -> None:
        super().__init__(spot)
        self._name, self._yes, self._no = name, yes, no

    def step(self, sheet: MutableFrame) -> bool:
        text = sheet.variables.get(self._name)
        if text is None:
            return False
        holds = _truths.get(text)
        if holds is None:
            try:
                holds = _truth(text, sheet.heap)
            except NO_RULE:
                return False
        (self._yes if holds else self._no).go(sheet)
        return True


def _truth(text: str, heap: Mapping[int, str]) -> bool:
    holds = truth(text, heap)
    if "#" not in text:
        if len(_truths) >= _MOST_TRUTHS:
            _truths.clear()
        _truths[text] = holds
    return holds


class CopyStep(CompiledStep):
    """A variable bound to what another one holds."""

    __slots__ = ("_source", "_target", "_way")

    def __init__(self, spot: StepLocation, target: str, source: str, way: ContinueAt) -> None:
        super().__init__(spot)
        self._target, self._source, self._way = target, source, way

    def step(self, sheet: MutableFrame) -> bool:
        text = sheet.variables.get(self._source)
        if text is None:
            return False
        sheet.variables[self._target] = text
        self._way.go(sheet)
        return True


class ReturnStep(CompiledStep):
    """A function's end, with a variable's value or a constant."""

    __slots__ = ("_exit", "_value")

    def __init__(self, spot: StepLocation, value: Argument, out: FunctionExit) -> None:
        super().__init__(spot)
        self._value, self._exit = value, out

    def step(self, sheet: MutableFrame) -> bool:
        name, constant = self._value
        text = constant if name is None else sheet.variables.get(name)
        if text is None:
            return False
        self._exit.go(sheet, text)
        return True


class CallStep(CompiledStep):
    """A function of the program called with variables and constants, one for each parameter."""

    __slots__ = ("_arguments", "_entered")

    def __init__(
        self, spot: StepLocation, arguments: Mapping[str, Argument], entered: Callable[[], CompiledStep]
    ) -> None:
        super().__init__(spot)
        self._arguments = [(parameter, name, constant) for parameter, (name, constant) in arguments.items()]
        self._entered = entered

    def step(self, sheet: MutableFrame) -> bool:
        if len(sheet.callers) >= DEEPEST:
            return False
        here, values = sheet.variables, {}
        for parameter, name, constant in self._arguments:
            text = constant if name is None else here.get(name)
            if text is None:
                return False
            values[parameter] = text
        sheet.callers.append(WaitingCaller(self.function, self.line, here))
        sheet.variables = values
        sheet.now = self._entered()
        return True
