"""Observes a call from outside: its result or exception, its output, and its arguments afterwards.

Runs programs in this process under a step limit, so it is for generated programs and for trusted measuring data only.
It also records every step from line to line, for checks of control-flow graphs.
"""

import contextlib
import inspect
import io
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any, TypeAlias

from envs.execution.tracer.spurious_events import spurious_lines

FILE = "<program>"
Moves: TypeAlias = Counter[tuple[int, int | str, int | str]]
"""Number of steps between two lines of the function with this first line."""
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_FUNCTION = re.compile(r"<function [\w.]*(?:<lambda>|<locals>|[\w.])*>")


@dataclass(frozen=True, slots=True)
class Behaviour:
    """All that a caller can see of one call, as text."""

    outcome: str
    printed: str
    arguments: str


class StepLimit(BaseException):
    """Raised inside a program that exceeds the step limit."""


@dataclass(slots=True)
class BehaviourRecorder:
    """Counts and records the steps of one run; use it as `with recorder.on():`."""

    limit: int
    steps: int = 0
    moves: Moves = field(default_factory=Counter)
    last: dict[FrameType, int | str] = field(default_factory=dict)

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """Record the steps inside the `with` block."""
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(before)

    def _enter(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != FILE:
            return None
        if _is_plain_function(frame.f_code):
            self.last[frame] = "call"
        return self._step

    def _step(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        if event == "line":
            self.steps += 1
            if self.steps > self.limit:
                raise StepLimit
        if event == "line" and frame.f_lasti in spurious_lines(frame.f_code):
            return self._step
        if frame in self.last and event in ("line", "return"):
            here: int | str = frame.f_lineno if event == "line" else "return"
            self.moves[frame.f_code.co_firstlineno, self.last[frame], here] += 1
            self.last[frame] = here
            if event == "return":
                del self.last[frame]
        return self._step


def _is_plain_function(code: CodeType) -> bool:
    lazy = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    return not code.co_name.startswith("<") and not code.co_flags & lazy and bool(code.co_flags & inspect.CO_NEWLOCALS)


def observe(source: str, entry: str, arguments: str, recorder: BehaviourRecorder) -> Behaviour | None:
    """The behaviour of one call, with arguments given as source; None when the step limit ended it."""
    printed = io.StringIO()
    given: Any = None
    with contextlib.redirect_stdout(printed):
        try:
            names = load(source)
            given = eval(f"_collect({arguments})", {**names, "_collect": lambda *a, **k: (a, k)})  # noqa: S307  trusted data
            with recorder.on():
                result = names[entry](*given[0], **given[1])
            outcome = f"returned {plain(result)}"
        except BaseException as error:
            outcome = f"raised {type(error).__name__}"
    if recorder.steps > recorder.limit:
        return None
    return Behaviour(outcome, printed.getvalue(), plain(given))


def observe_test(source: str, entry: str, test: str, recorder: BehaviourRecorder) -> list[Behaviour] | None:
    """The behaviour of every call that a test makes to the entry; None when the step limit ended it."""
    calls: list[Behaviour] = []
    names = load(source)

    def watched(*given: Any, **named: Any) -> Any:
        printed, outcome = io.StringIO(), ""
        try:
            with recorder.on(), contextlib.redirect_stdout(printed):
                result = names[entry](*given, **named)
            outcome = f"returned {plain(result)}"
            return result
        except BaseException as error:
            outcome = f"raised {type(error).__name__}"
            raise
        finally:
            calls.append(Behaviour(outcome, printed.getvalue(), plain((given, named))))

    random.seed(0)  # some tests draw their arguments
    try:
        exec(compile(test, "<test>", "exec"), {**names, entry: watched})  # noqa: S102  trusted data
    except BaseException as error:
        calls.append(Behaviour(f"test ended by {type(error).__name__}", "", ""))
    return None if recorder.steps > recorder.limit else calls


def load(source: str) -> dict[str, Any]:
    """The names that a program defines."""
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, FILE, "exec"), names)  # noqa: S102  trusted data
    return names


def plain(value: object) -> str:
    """A value as text without addresses and without the names of functions, which decompose may choose."""
    try:
        return _FUNCTION.sub("<function>", _ADDRESS.sub("", repr(value)))
    except RecursionError:
        return "<too deep to show>"
