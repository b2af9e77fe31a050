"""One call of a random program, really run but kept small: few steps, short values, no huge numbers, no output.

Values that grow (a doubled string, a repeated square) stop the run before Python would spend time or memory on them.
Once a run is stopped Python traces it no more, so a program that could go on after that is not run at all; a timer is
the second net.
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

LONGEST_VALUE = 600
"""Characters of one value's text."""
MOST_DIGITS = 8
"""Of an integer held by a variable: what it may be used to repeat or to count stays affordable."""
_GOING_ON = (ast.For, ast.While, ast.Return, ast.Break, ast.Continue, ast.Try)
"""What may take long in a `finally` or swallow what waits there."""
_LIMITS = {steps: TraceLimits(steps=steps, characters=200_000, output=2_000) for steps in (90, 200, 600)}


SECONDS = 5
"""Processor time of all calls of a program together; they take milliseconds."""


class TooLarge(BaseException):
    """A value outgrew what a small program needs, or time ran out; a program that could catch this is not run."""


@dataclass(frozen=True, slots=True)
class ShortRun:
    """The steps of one call, and how it ended."""

    steps: list[TracedStep]
    ended: bool
    """It returned or raised within the limits."""
    raised: bool


@lru_cache(maxsize=64)
def can_be_stopped(source: str) -> bool:
    """Whether an exception that no `except Exception` takes ends the program for sure, and soon."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ExceptHandler) and (node.type is None or "BaseException" in ast.unparse(node.type)):
            return False
        if isinstance(node, ast.Try) and any(
            isinstance(part, _GOING_ON) for each in node.finalbody for part in ast.walk(each)
        ):
            return False
    return True


@contextlib.contextmanager
def stopped_in_time(seconds: float = SECONDS) -> Iterator[None]:
    """Ends what runs inside by TooLarge after so much processor time; without effect outside the main thread."""
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
    """The steps of a call; None where it cannot be made or stopped, or took no step."""
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
        if len(text) > MOST_DIGITS and (len(text) > LONGEST_VALUE or text[0] == "?" or text.lstrip("-").isdigit()):
            return True
    return any(len(text) > LONGEST_VALUE or text[0] == "?" for _, text in frame.heap)
