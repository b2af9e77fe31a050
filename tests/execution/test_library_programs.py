"""Containers and functions of the standard library in frames: written, rebuilt, stepped, asked and answered."""

from __future__ import annotations

import json

import pytest
from library_programs import LIBRARY, UNSEEN
from operator_programs import OPERATORS

from cwm_agent.views.local import local_view
from envs.execution.decompose.program import Program, decomposed
from envs.execution.state.effects import Question
from envs.execution.state.frames import Frame, Outcome, Trace
from envs.execution.state.value_grammar import Unsupported
from envs.execution.stepper.exact_effects import ExactEffects
from envs.execution.stepper.first_frame import first_frame, module_bindings
from envs.execution.stepper.stepper import Stepper
from envs.execution.text.json_records import frame_from, frame_record
from envs.execution.tracer.tracer import trace

PROGRAMS = {**LIBRARY, **OPERATORS}


@pytest.mark.parametrize("name", PROGRAMS)
def test_stepping_gives_the_real_trace_and_the_local_view_can_ask_and_answer(name: str) -> None:
    """At each step the exact effect gives the next real frame, and so does what is read from its answer as text."""
    source, arguments = PROGRAMS[name]
    program = decomposed(source, "f")
    real = trace(program, arguments)
    assert real.unsupported is None
    stepper, statements = Stepper(program), ExactEffects(program)
    frame = real.frames[0]
    assert first_frame(program, arguments, module_bindings(frame)) == frame
    for expected in [*real.frames[1:], real.outcome]:
        step: Frame | Outcome | Question = stepper.ask(frame)
        if isinstance(step, Question):
            effect = statements.effect(step, max((label for label, _ in frame.heap), default=0))
            if name not in UNSEEN:
                shown = local_view.ask(step)
                effect_read = local_view.effect(shown, local_view.answer(shown, effect))
                assert stepper.tell(frame, effect_read) == expected
            step = stepper.tell(frame, effect)
        assert step == expected, program.lines[frame.line - 1]
        if isinstance(step, Frame):
            frame = step


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_decomposed_program_behaves_as_the_plain_one(name: str) -> None:
    source, arguments = PROGRAMS[name]
    results = []
    for text in (source, decomposed(source, "f").source):
        space: dict[str, object] = {"__name__": "program"}
        exec(text, space)
        results.append(repr(eval(f"f({arguments})", space)))
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("source", "arguments"),
    [
        pytest.param(
            "from functools import reduce\ndef f(xs):\n    return reduce(lambda a, b: a + b, xs)", "[]", id="reduce"
        ),
        pytest.param(
            "from functools import cache\n@cache\ndef g(x):\n    return 1\ndef f(x):\n    return g(x)", "[]", id="cache"
        ),
    ],
)
def test_what_is_written_out_raises_as_the_library_does(source: str, arguments: str) -> None:
    errors = []
    for text in (source, decomposed(source, "f").source):
        space: dict[str, object] = {}
        exec(text, space)
        with pytest.raises(TypeError) as error:
            eval(f"f({arguments})", space)
        errors.append(str(error.value))
    assert errors[0] == errors[1]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(
            "from functools import cache\n@cache\ndef g(x):\n    return x\ndef f(x):\n    return g.__wrapped__(x)",
            id="a cache that is asked for its function",
        ),
        pytest.param("def reduce(f, xs):\n    return xs\ndef f(xs):\n    return reduce(f, xs)", id="an own function"),
    ],
)
def test_what_need_not_be_written_out_stays(source: str) -> None:
    assert "_reduce" not in decomposed(source, "f").source
    assert "_cache = {}" not in decomposed(source, "f").source


def test_a_deque_that_changes_under_a_loop_is_unsupported() -> None:
    source = "from collections import deque\ndef f(xs):\n    q = deque(xs)\n    for x in q:\n        q.append(x)"
    program = decomposed(source, "f")
    real = trace(program, "[1]")
    with pytest.raises(Unsupported, match="deque that changes"):
        _stepped(program, real)


def _stepped(program: Program, real: Trace) -> None:
    stepper, statements = Stepper(program), ExactEffects(program)
    for frame in real.frames:
        step = stepper.ask(frame)
        if isinstance(step, Question):
            stepper.tell(frame, statements.effect(step, max((label for label, _ in frame.heap), default=0)))


@pytest.mark.parametrize("wrong", ["Point(3, 4)", "Point(x=3, 4)", "Point(x=3)", "Point()"])
def test_a_named_tuple_that_a_model_wrote_without_a_field_is_no_fault_of_ours(wrong: str) -> None:
    """No rule reads a field that is not there: the model is asked for it."""
    source = "from collections import namedtuple\nPoint = namedtuple('Point', 'x y')\n"
    program = decomposed(f"{source}def f():\n    p = Point(1, 2)\n    a = p.y\n    return a\n", "f")
    real = next(each for each in trace(program, "").frames if "Point(x=1, y=2)" in json.dumps(frame_record(each)))
    frame = frame_from(json.loads(json.dumps(frame_record(real)).replace("Point(x=1, y=2)", wrong)), program)
    assert isinstance(Stepper(program).ask(frame), Question)
