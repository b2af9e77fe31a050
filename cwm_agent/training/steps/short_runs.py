"""Runs one call of a random program within limits: few steps, short values, no huge numbers, no output.

Growing values (a doubled string, a repeated square) stop the run before they cost time or memory. Python does not trace
a run after it was stopped, so a program that could continue after that is not run at all. A timer is a second limit.
"""

import ast
import contextlib
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from cwm_agent.training.steps.trace_examples import Examiner, TracedStep
from envs.execution.state.frames import Frame
from envs.execution.state.value_grammar import BadProgram
from envs.execution.tracer.tracer import TraceLimits, trace

MAX_VALUE_TEXT = 600
"""Characters of the text of one value."""
MAX_DIGITS = 8
"""Digits of an integer variable, so that repetitions and loops with it stay cheap."""
_CONTINUING = (ast.For, ast.While, ast.Return, ast.Break, ast.Continue, ast.Try)
"""Statements that may run long in a `finally` or suppress the exception."""
_LIMITS = {steps: TraceLimits(steps=steps, characters=200_000, output=2_000) for steps in (90, 200, 600)}


SECONDS = 5
"""CPU seconds for all calls of a program together; usually they take milliseconds."""


class TooLarge(BaseException):
    """A value is too large or time ran out; programs that could catch this are not run."""


@dataclass(frozen=True, slots=True)
class ShortRun:
    """The steps of one call, and how it ended."""

    steps: list[TracedStep]
    ended: bool
    """Whether it returned or raised within the limits."""
    raised: bool


@lru_cache(maxsize=64)
def can_be_stopped(source: str) -> bool:
    """Whether a `BaseException` always ends the program soon, because no handler or `finally` can continue."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ExceptHandler) and _catches_all(node) and not _raises_at_once(node):
            return False
        if isinstance(node, ast.Try) and any(
            isinstance(part, _CONTINUING) for each in node.finalbody for part in ast.walk(each)
        ):
            return False
    return True


def _catches_all(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or "BaseException" in ast.unparse(handler.type)


def _raises_at_once(handler: ast.ExceptHandler) -> bool:
    """Whether a handler does a few simple things and raises, as that of a rewritten `sort` does."""
    *first, last = handler.body
    return isinstance(last, ast.Raise) and all(isinstance(each, ast.Expr | ast.Assign) for each in first)


@contextlib.contextmanager
def stopped_in_time(seconds: float = SECONDS) -> Iterator[None]:
    """Raise TooLarge in the block after that many CPU seconds; no effect outside the main thread."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _out_of_time)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _out_of_time(*_: object) -> None:
    raise TooLarge


def run_steps(examiner: Examiner, arguments: str, limit: int) -> ShortRun | None:
    """The steps of a call; None if it cannot be run or stopped, or has no step."""
    if not can_be_stopped(examiner.program.source):
        return None
    frames: list[Frame] = []

    def keep(frame: Frame) -> None:
        frames.append(frame)
        if _too_large(frame):
            raise TooLarge

    limits = _LIMITS.get(limit) or TraceLimits(steps=limit, characters=200_000, output=2_000)
    try:
        outcome = trace(examiner.program, arguments, limits, keep).outcome
    except BadProgram:
        return None
    ended = outcome.ending != "truncated" and bool(frames) and not _too_large(frames[-1])
    steps = examiner.steps(frames)
    return ShortRun(steps, ended, outcome.ending == "raised") if steps else None


def _too_large(frame: Frame) -> bool:
    for _, text in frame.locals:
        if len(text) > MAX_DIGITS and (len(text) > MAX_VALUE_TEXT or text[0] == "?" or text.lstrip("-").isdigit()):
            return True
    return any(len(text) > MAX_VALUE_TEXT or text[0] == "?" for _, text in frame.heap)
