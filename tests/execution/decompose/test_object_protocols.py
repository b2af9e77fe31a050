"""Objects that builtins compare, hash, make and keep: each step is the real one, and the local view can ask about it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from test_everyday_programs import outcome_of, stepped

from cwm_agent.views.local import local_view
from envs.execution.decompose.program import Program, decomposed
from envs.execution.state.effects import Question
from envs.execution.state.frames import Frame, Outcome
from envs.execution.state.value_grammar import Unsupported
from envs.execution.stepper.exact_effects import ExactEffects
from envs.execution.stepper.stepper import Stepper
from envs.execution.tracer.tracer import TraceLimits, trace

PROGRAMS = (Path(__file__).parent.parent / "programs" / "object_protocols.txt").read_text(encoding="utf-8")
"""Each behind a line `### name | arguments of f`, or `### name | arguments | reason why a line is refused`.

The reason `asked` stands for a line that rules know how to ask, but that the local view cannot show.
"""
CASES = dict(case.split("\n", 1) for case in PROGRAMS.strip().removeprefix("### ").split("\n### "))


@pytest.mark.parametrize("title", CASES)
def test_the_decomposed_program_behaves_as_the_program_does(title: str) -> None:
    """Result and output are the same, be it followed or refused."""
    arguments = title.split(" | ")[1]
    assert outcome_of(decomposed(CASES[title], "f").source, arguments) == outcome_of(CASES[title], arguments)


@pytest.mark.parametrize("title", [title for title in CASES if title.count(" | ") == 1])
def test_each_step_is_the_real_one_and_can_be_asked_about(title: str) -> None:
    """With exact effects the stepper gives the next real frame, and so does what is read from its answer as text."""
    program = decomposed(CASES[title], "f")
    real = trace(program, title.split(" | ")[1], TraceLimits(steps=4000))
    assert real.unsupported is None
    stepper, statements = Stepper(program), ExactEffects(program)
    frame = real.frames[0]
    for expected in [*real.frames[1:], real.outcome]:
        step: Frame | Outcome | Question = stepper.ask(frame)
        if isinstance(step, Question):
            effect = statements.effect(step, max((label for label, _ in frame.heap), default=0))
            shown = local_view.ask(step)
            assert stepper.tell(frame, local_view.effect(shown, local_view.answer(shown, effect))) == expected
            step = stepper.tell(frame, effect)
        assert step == expected
        if isinstance(step, Frame):
            frame = step


@pytest.mark.parametrize("title", [title for title in CASES if title.count(" | ") == 2])
def test_what_cannot_be_followed_is_refused_with_its_reason(title: str) -> None:
    """A line that a model could only guess is refused: by the stepper, or by the view that would ask."""
    _, arguments, reason = title.split(" | ")
    program = decomposed(CASES[title], "f")
    frames = trace(program, arguments, TraceLimits(steps=4000)).frames
    follow = asked if reason == "asked" else stepped
    with pytest.raises(Unsupported, match="calls back into the program" if reason == "asked" else reason):
        follow(program, frames)


def asked(program: Program, frames: Sequence[Frame]) -> None:
    """Show each question of a real run in the local view."""
    for step in map(Stepper(program).ask, frames):
        if isinstance(step, Question):
            local_view.ask(step)
