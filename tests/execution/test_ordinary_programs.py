"""Ordinary classes and library calls: decomposed they do what they did, and each step follows from its frame."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_everyday_programs import outcome_of, stepped

from cwm_agent.views.local import local_view
from envs.execution.decompose.program import decomposed
from envs.execution.state.effects import Question
from envs.execution.state.frames import Frame, Outcome
from envs.execution.state.value_grammar import Unsupported
from envs.execution.stepper.exact_effects import ExactEffects
from envs.execution.stepper.stepper import Stepper
from envs.execution.tracer.tracer import TraceLimits, trace


def cases(*names: str) -> dict[str, str]:
    """Programs behind a line `### name | arguments of f`, or `### name | arguments | reason why a line is refused`."""
    paths = [Path(__file__).parent / "programs" / f"{name}_programs.txt" for name in names]
    text = "\n".join(path.read_text(encoding="utf-8").strip() for path in paths)
    return dict(case.split("\n", 1) for case in text.removeprefix("### ").split("\n### "))


ASKED = cases("callback", "asked")
"""Programs of which a model can be asked every line: no line calls back into the program."""
CASES = cases("ordinary", "followed", "derived") | ASKED


@pytest.mark.parametrize("title", CASES)
def test_the_decomposed_program_behaves_as_the_program_does(title: str) -> None:
    """Result and output are the same, be it followed or refused."""
    arguments = title.split(" | ")[1]
    assert outcome_of(decomposed(CASES[title], "f").source, arguments) == outcome_of(CASES[title], arguments)


@pytest.mark.parametrize("title", CASES)
def test_each_step_is_the_real_one_or_is_refused_with_the_stated_reason(title: str) -> None:
    """With exact effects the stepper gives the next real frame; where it cannot, it says why."""
    _, arguments, *reason = title.split(" | ")
    program = decomposed(CASES[title], "f")
    real = trace(program, arguments, TraceLimits(steps=4000))
    if reason:
        with pytest.raises(Unsupported, match=reason[0]):
            stepped(program, real.frames)
        return
    assert real.unsupported is None
    stepper, statements = Stepper(program), ExactEffects(program)
    frame = real.frames[0]
    for expected in [*real.frames[1:], real.outcome]:
        step: Frame | Outcome | Question = stepper.ask(frame)
        if isinstance(step, Question):
            if title in ASKED:
                local_view.ask(step)
            step = stepper.tell(frame, statements.effect(step, max((label for label, _ in frame.heap), default=0)))
        assert step == expected
        if isinstance(step, Frame):
            frame = step
