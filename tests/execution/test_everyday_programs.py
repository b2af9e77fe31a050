"""Programs as people write them: decomposed they do what they did, and every step can be asked about in the local view."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence

import pytest
from everyday_programs import EVERYDAY, REFUSED

from benchmarks.program_checks.behaviour import plain
from cwm_agent.views.local import local_view
from envs.execution.decompose.program import Program, decomposed
from envs.execution.decompose.program import plain as as_written
from envs.execution.state.effects import Question
from envs.execution.state.frames import Frame, Outcome
from envs.execution.state.value_grammar import Unsupported
from envs.execution.stepper.exact_effects import ExactEffects
from envs.execution.stepper.stepper import Stepper
from envs.execution.tracer.tracer import TraceLimits, trace


def outcome_of(source: str, arguments: str) -> tuple[str, str]:
    """What a call gives and prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        result = eval(f"f({arguments})", as_written(source, "f").namespace())
    return plain(result), printed.getvalue()


@pytest.mark.parametrize("name", EVERYDAY)
def test_the_decomposed_program_behaves_as_the_program_does(name: str) -> None:
    """Result and output are the same."""
    source, arguments = EVERYDAY[name]
    assert outcome_of(decomposed(source, "f").source, arguments) == outcome_of(source, arguments)


@pytest.mark.parametrize("name", EVERYDAY)
def test_stepping_gives_the_real_trace_and_the_local_view_can_ask_and_answer(name: str) -> None:
    """At each step the exact effect gives the next real frame, and so does what is read from its answer as text."""
    source, arguments = EVERYDAY[name]
    program = decomposed(source, "f")
    real = trace(program, arguments, TraceLimits(steps=4000))
    assert real.unsupported is None
    assert real.outcome.ending == "returned"
    stepper, statements = Stepper(program), ExactEffects(program)
    frame = real.frames[0]
    for expected in [*real.frames[1:], real.outcome]:
        step: Frame | Outcome | Question = stepper.ask(frame)
        if isinstance(step, Question):
            effect = statements.effect(step, max((label for label, _ in frame.heap), default=0))
            shown = local_view.ask(step)
            read = local_view.effect(shown, local_view.answer(shown, effect))
            assert stepper.tell(frame, read) == expected
            step = stepper.tell(frame, effect)
        assert step == expected
        if isinstance(step, Frame):
            frame = step


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_frame_holds_is_unsupported_with_its_reason(name: str) -> None:
    """A line whose answer no frame can give is refused, rather than answered wrongly."""
    source, arguments, reason = REFUSED[name]
    program = decomposed(source, "f")
    with pytest.raises(Unsupported, match=reason):
        stepped(program, trace(program, arguments).frames)


def stepped(program: Program, frames: Sequence[Frame]) -> None:
    """Take each step of a real run once more."""
    stepper, statements = Stepper(program), ExactEffects(program)
    for frame in frames:
        if isinstance(step := stepper.ask(frame), Question):
            stepper.tell(frame, statements.effect(step, max((label for label, _ in frame.heap), default=0)))
