"""The Markov check: rules plus Python's answer to one line at a time, from text alone, give the real trace again."""

import re

import pytest
from markov_programs import PROGRAMS

from benchmarks.programs import arguments as random_arguments
from benchmarks.programs import program as random_program
from envs.execution.effects import Question
from envs.execution.frames import Frame, Outcome, Trace
from envs.execution.program import Program, decomposed
from envs.execution.statements import Statements
from envs.execution.stepper import Stepper
from envs.execution.tracer import TraceLimits, trace
from envs.execution.values import Unsupported


def next_of(stepper: Stepper, statements: Statements, frame: Frame) -> Frame | Outcome:
    step = stepper.ask(frame)
    if not isinstance(step, Question):
        return step
    floor = max((label for label, _ in frame.heap), default=0)
    return stepper.tell(frame, statements.effect(step, floor))


def first_difference(program: Program, real: Trace) -> str | None:
    """Where stepping from the first frame leaves the real trace, in words; None where it never does."""
    stepper, statements = Stepper(program), Statements(program)
    frame = real.frames[0]
    for expected in [*real.frames[1:], real.outcome]:
        if isinstance(expected, Outcome) and expected.ending == "truncated":
            return None
        line = program.lines[frame.line - 1]
        found = next_of(stepper, statements, frame)
        if found != expected:
            return f"after {line!r}:\n  got  {found}\n  real {expected}"
        if isinstance(found, Frame):
            frame = found
    return None


@pytest.mark.parametrize("name", PROGRAMS)
def test_stepping_from_the_page_gives_the_real_trace(name: str) -> None:
    source, arguments = PROGRAMS[name]
    program = decomposed(source, "f")
    assert first_difference(program, trace(program, arguments)) is None


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_decomposed_program_does_what_the_plain_one_does(name: str) -> None:
    source, arguments = PROGRAMS[name]
    space: dict[str, object] = {"__name__": "program"}
    exec(source, space)
    try:
        expected = repr(eval(f"f({arguments})", space))
    except Exception as error:
        expected = repr(error)
    assert trace(decomposed(source, "f"), arguments).outcome.value == expected


GENERATED = range(60)


def test_generated_programs_are_markov() -> None:
    """Stepping never leaves the real trace of a random program; `with` is unsupported for now, and counted apart."""
    wrong, unsupported, compared = [], 0, 0
    for seed in GENERATED:
        source = random_program(seed)
        if re.search(r"^\s*match ", source, re.MULTILINE):
            continue
        program = decomposed(source, "f")
        real = trace(program, random_arguments(seed)[0], TraceLimits(steps=250))
        try:
            difference = first_difference(program, real)
        except Unsupported as error:
            assert str(error) == "a with statement", f"seed {seed}: {error}"
            unsupported += 1
            continue
        compared += 1
        if difference:
            wrong.append(f"seed {seed}: {difference}")
    assert not wrong, "\n".join(wrong)
    assert compared > 2 * unsupported > 0
