"""With exact answers a program is followed as it runs, or refused for state that no frame holds."""

import re
from contextlib import nullcontext
from decimal import localcontext
from pathlib import Path

import pytest

from envs.execution.decompose.program import decomposed
from envs.execution.state.effects import Question
from envs.execution.state.frames import Frame, Outcome
from envs.execution.state.value_grammar import Unsupported
from envs.execution.stepper.exact_effects import ExactEffects
from envs.execution.stepper.stepper import Stepper
from envs.execution.tracer.tracer import trace

PROGRAMS = (Path(__file__).parent / "programs" / "hidden_state.txt").read_text(encoding="utf-8")
"""Each behind a line `### name: reason`, without a reason where the program is followed; the entry is `f`."""
CASES = dict(case.split("\n", 1) for case in PROGRAMS.strip().removeprefix("### ").split("\n### "))


def follow(source: str) -> None:
    """Take every step of the real run with Python's answers."""
    program = decomposed(source, "f")
    real = trace(program, "")
    stepper, exact = Stepper(program), ExactEffects(program)
    frame = real.frames[0]
    for expected in [*real.frames[1:], real.outcome]:
        step: Frame | Outcome | Question = stepper.ask(frame)
        if isinstance(step, Question):
            step = stepper.tell(frame, exact.effect(step, max((label for label, _ in frame.heap), default=0)))
        assert step == expected, program.lines[frame.line - 1]
        if isinstance(step, Frame):
            frame = step


@pytest.mark.parametrize("head", CASES)
def test_a_program_is_followed_or_refused_by_its_reason(head: str) -> None:
    reason = head.partition(": ")[2]
    with pytest.raises(Unsupported, match=re.escape(reason)) if reason else nullcontext(), localcontext():
        follow(CASES[head] + "\n")
