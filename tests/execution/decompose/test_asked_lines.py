"""What a model is asked of lines that rules could not take apart before: no line that hides a call of the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from envs.execution.decompose.program import decomposed
from envs.execution.state.effects import Question
from envs.execution.state.frames import Frame
from envs.execution.stepper.stepper import Stepper
from envs.execution.tracer.tracer import TraceLimits, trace

PROGRAMS = (Path(__file__).parent.parent / "programs" / "followed_programs.txt").read_text(encoding="utf-8")
CASES = dict(case.split("\n", 1) for case in PROGRAMS.strip().removeprefix("### ").split("\n### "))
FOLLOWED = {
    "objects in order, given by generators, tuples and values": (),
    "methods that may be missing": ("other is", "is other"),
    "what stands behind the colon for a class": ("= f'EUR'", "= f'no"),
    "what functions are asked for": ("hasattr", "__doc__"),
    "coroutines that never pause, gathered": ("asyncio",),
    "handlers in a defaultdict of pairs": (),
    "functions in tuples of a heap": (),
    "a table of lambdas that is listed, joined and copied": (),
    "lists of closures that are cut and joined": (),
    "closures in fields": (),
    "a queue of functions that refer to the queue": (),
    "a defaultdict whose function refers to it": (),
}
"""By the name of a program: parts of lines that must not be asked."""


@pytest.mark.parametrize("name", FOLLOWED)
def test_no_line_is_asked_that_calls_back(name: str) -> None:
    title = next(title for title in CASES if title.startswith(name))
    program = decomposed(CASES[title], "f")
    real = trace(program, title.split(" | ")[1], TraceLimits(steps=4000))
    stepper = Stepper(program)
    asked = [
        step for frame in real.frames if isinstance(frame, Frame) and isinstance(step := stepper.ask(frame), Question)
    ]
    assert asked
    assert not [each.statement for each in asked if each.hidden]
    assert not [each.statement for each in asked if any(part in each.statement for part in FOLLOWED[name])]
