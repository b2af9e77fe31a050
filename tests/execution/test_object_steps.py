"""Objects and generators of the program: which steps rules take, what the views show, what is unsupported and why."""

import ast
import json

import pytest
from object_programs import OBJECTS

from benchmarks.random_programs.object_programs import object_arguments, object_program
from cwm_agent.views.local import local_view
from envs.execution.decompose.program import Program, decomposed
from envs.execution.state.effects import Question
from envs.execution.state.frames import Frame, Trace
from envs.execution.state.value_grammar import Unsupported
from envs.execution.stepper.exact_effects import ExactEffects
from envs.execution.stepper.first_frame import first_frame
from envs.execution.stepper.stepper import Stepper
from envs.execution.syntax.classes.own_classes import OwnClasses
from envs.execution.text.json_records import frame_from, frame_record
from envs.execution.tracer.tracer import trace


def run(source: str, arguments: str) -> tuple[Program, Trace]:
    program = decomposed(source, "f")
    return program, trace(program, arguments)


POINT = """
class Point:
    def __init__(self, x):
        self.x = x
    def __add__(self, other):
        return Point(self.x + other.x)
def f(n):
    p = Point(n)
    return p + p
"""


def test_a_line_that_makes_an_object_holds_it_while_the_constructor_runs() -> None:
    _, real = run(POINT, "1")
    called = [frame for frame in real.frames if frame.event == "call"]
    assert [frame.function for frame in called] == ["f", "__init__", "__add__", "__init__"]
    assert called[1].stack[0].locals[0] == ("@0", "new #1")
    assert called[1].heap == ((1, "Point()"),)
    assert real.outcome.value == "Point(x=2)"


def test_a_generator_stands_on_the_heap_with_its_position_and_variables() -> None:
    source = "def g(n):\n    yield n\n    yield n + 1\ndef f(n):\n    a = g(n)\n    b = next(a)\n    return b\n"
    program, real = run(source, "3")
    heaps = [dict(frame.heap) for frame in real.frames if frame.function == "f" and frame.event == "line"]
    assert heaps[1] == {1: "generator('g', 1, 1, n=3)"}
    assert heaps[2] == {1: "generator('g', 1, 2, n=3)"}
    assert "yield" in program.lines[1]


@pytest.mark.parametrize("name", OBJECTS)
def test_frames_with_objects_leave_the_sandbox_as_they_are(name: str) -> None:
    program, real = run(*OBJECTS[name])
    assert all(frame_from(json.loads(json.dumps(frame_record(frame))), program) == frame for frame in real.frames)


@pytest.mark.parametrize("name", OBJECTS)
def test_the_first_frame_follows_from_the_text_of_the_program(name: str) -> None:
    """Class attributes and mutable defaults of methods included, as long as they are literals."""
    source, arguments = OBJECTS[name]
    program, real = run(source, arguments)
    assert first_frame(program, arguments) == real.frames[0]


def test_the_local_view_shows_what_lines_read_of_objects_and_reads_answers_back() -> None:
    """Of the questions about generated programs nearly all can be shown, and each answer leads to the real frame."""
    shown = hidden = 0
    for seed in range(5):
        program, real = run(object_program(seed), object_arguments(seed))
        stepper, statements = Stepper(program), ExactEffects(program)
        for frame, following in zip(real.frames, real.frames[1:], strict=False):
            try:
                question = stepper.ask(frame)
                if not isinstance(question, Question):
                    continue
                asked = local_view.ask(question)
            except Unsupported:
                hidden += 1
                continue
            shown += 1
            effect = statements.effect(question, max((label for label, _ in frame.heap), default=0))
            assert stepper.tell(frame, local_view.effect(asked, local_view.answer(asked, effect))) == following
    assert shown > 50 * max(1, hidden)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("class C(metaclass=M):\n    pass", "a metaclass (line 3)"),
        (
            "class C:\n    __slots__ = ('a',)\n    def names(self): return self.__slots__",
            "a class with __slots__ (line 4)",
        ),
        ("class C:\n    def __getattribute__(self, name):\n        return 1", "a class with __getattribute__ (line 4)"),
        ("class C(int):\n    def __new__(cls):\n        return int.__new__(cls)", "a class with __new__ (line 4)"),
        ("class C(set):\n    pass", "a class that derives from set (line 3)"),
        ("@keep\nclass C:\n    pass", "a class decorated with keep (line 4)"),
    ],
)
def test_a_class_that_decides_by_code_what_its_objects_are_is_unsupported_with_its_line(body: str, reason: str) -> None:
    source = f"class M(type): pass\ndef keep(x): return type(x)(x.__name__, (x,), {{}})\n{body}\ndef f(n):\n    c = C()\n    return n\n"
    program, real = run(source, "1")
    frame = next(frame for frame in real.frames if frame.event == "line")
    with pytest.raises(Unsupported, match=reason.replace("(", r"\(").replace(")", r"\)")):
        Stepper(program).ask(frame)


def test_lookup_follows_the_order_of_the_bases() -> None:
    source = "class A:\n  def m(self): 1\nclass B(A): pass\nclass C(A):\n  def m(self): 2\nclass D(B, C): pass\n"
    classes = OwnClasses(ast.parse(source))
    assert classes["D"].lineage == ("D", "B", "C", "A")
    found = classes.find("D", "m")
    assert found is not None
    assert found.owner == "C"
    after = classes.find("D", "m", after="C")
    assert after is not None
    assert after.owner == "A"


def test_an_object_that_lacks_an_operator_raises_as_python_does() -> None:
    source = (
        "class C:\n    pass\ndef f(n):\n    c = C()\n    out = []\n"
        + "".join(
            f"    try:\n        {line}\n    except TypeError as e:\n        out.append(str(e))\n"
            for line in ("c(1)", "-c", "c[0]", "len(c)", "c < c", "c + 1", "n in c", "iter(c)", "c[0] = 1", "del c[0]")
        )
        + "    return out\n"
    )
    program, real = run(source, "1")
    stepper = Stepper(program)
    for frame, following in zip(real.frames, real.frames[1:], strict=False):
        found = stepper.ask(frame)
        assert not isinstance(found, Frame) or found == following
    assert real.outcome.value.count("C") == 11
