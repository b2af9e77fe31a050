"""Notes of what lines bound: they change nothing that a program or a debugger could see."""

import sys
from types import FrameType
from typing import Any

import object_programs
import pytest

from benchmarks.execution import bare, events
from benchmarks.random_programs.program_generator import arguments as random_arguments
from benchmarks.random_programs.program_generator import program as random_program
from envs.execution.decompose.program import FILENAME, Program, decomposed, plain
from envs.execution.tracer.binding_notes import note_of, noting_code, noting_namespace
from envs.execution.tracer.tracer import evaluated, trace

STEPS = 3_000


class Enough(Exception):
    """The run took more steps than are compared."""


def line_events(program: Program, namespace: dict[str, object], arguments: str) -> list[tuple[str, str, int]]:
    """Every event of every function of the program, in order."""
    found: list[tuple[str, str, int]] = []

    def follow(frame: FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_filename != FILENAME:
            return None
        found.append((event, frame.f_code.co_name, frame.f_lineno))
        if len(found) > STEPS:
            raise Enough
        return follow

    values, names = evaluated(arguments, namespace)
    sys.settrace(follow)
    try:
        namespace[program.entry](*values, **names)  # type: ignore[operator]
    except Exception:
        found.append(("raised", "", 0))
    finally:
        sys.settrace(None)
    return found


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("of_objects", [False, True], ids=["all constructs", "objects"])
def test_python_reports_the_same_events_of_a_program_that_leaves_notes(of_objects: bool) -> None:
    for seed in range(120):
        source = object_programs.program(seed) if of_objects else random_program(seed)
        arguments = object_programs.arguments(seed) if of_objects else random_arguments(seed)[0]
        program = decomposed(source, "f")
        code = noting_code(program)
        assert code is not None
        expected = line_events(program, program.namespace(), arguments)
        assert line_events(program, noting_namespace(code), arguments) == expected


@pytest.mark.parametrize(
    ("body", "note"),
    [
        pytest.param("y = x + 1", 4, id="a name"),
        pytest.param("y, *z = x, 5, 6", (3, [5, 6]), id="several names"),
        pytest.param("x += 2", 5, id="a name in place"),
        pytest.param("for y in [7, 8]:\n        pass", 8, id="a loop"),
        pytest.param("y = [1]\n    y[0] = 2", [2], id="an item is no name"),
    ],
)
def test_a_line_notes_what_it_bound(body: str, note: object) -> None:
    program = Program(f"def f(x):\n    {body}\n", "f", "operations", ())
    code = noting_code(program)
    assert code is not None
    namespace = noting_namespace(code)
    namespace["f"](3)  # type: ignore[operator]
    assert note_of(namespace) == [note]


@pytest.mark.parametrize("word", ["globals()", "locals()", "f.__code__", "eval('x')"])
def test_a_program_that_looks_at_how_it_runs_leaves_no_notes(word: str) -> None:
    assert noting_code(decomposed(f"def f(x):\n    return {word}\n", "f")) is None


def test_a_program_as_it_is_written_leaves_no_notes() -> None:
    assert noting_code(plain("def f(x):\n    y = x\n    return y\n", "f")) is None


def test_a_program_finds_no_note_among_its_names() -> None:
    real = trace(decomposed("N = 1\ndef f(x):\n    y = [x, N]\n    return y, dir()\n", "f"), "3")
    assert "note" not in repr(real)


def test_the_bare_trace_function_sees_the_whole_run_though_a_repr_fails() -> None:
    """An object under construction has no attributes yet, so that its repr raises; the run must go on."""
    source = "class A:\n    def __init__(self, v):\n        self.v = v\n    def __repr__(self):\n        return str(self.v)\n"
    program = decomposed(source + "def f(x):\n    a = A(x)\n    print('reached')\n    return a\n", "f")
    bare(program, "3")
    assert events(program, "3") > len(trace(program, "3"))
