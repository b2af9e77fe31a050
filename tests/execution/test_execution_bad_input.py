"""Bad programs and calls end in one clear error, and long or deep ones end."""

import inspect
import sys

import pytest

from envs.execution.decompose.program import decomposed, plain
from envs.execution.state.frames import Outcome
from envs.execution.state.value_grammar import BadProgram, ExecutionError, Unsupported
from envs.execution.stepper.stepper import Stepper
from envs.execution.tracer.tracer import TraceLimits, trace

GOOD = "def f(x):\n    return x"


@pytest.mark.parametrize(
    ("source", "line"),
    [("def f(x):\n    return (x", 2), ("def f(x):\nreturn x", 2), ("x = = 1", 1), ("def f():\n    pass\n  y", 3)],
)
@pytest.mark.parametrize("make", [plain, decomposed])
def test_source_that_does_not_parse_names_the_line(make: object, source: str, line: int) -> None:
    with pytest.raises(BadProgram, match=rf"[Ll]ine {line}\b"):
        make(source, "f")  # type: ignore[operator]


@pytest.mark.parametrize("source", ["\x00", "def f(x):\n    return " + "(" * 500 + "x" + ")" * 500])
@pytest.mark.parametrize("make", [plain, decomposed])
def test_source_that_the_parser_chokes_on_is_an_error_of_ours(make: object, source: str) -> None:
    with pytest.raises(ExecutionError):
        make(source, "f")  # type: ignore[operator]


@pytest.mark.parametrize("source", [GOOD, "", "f = 3", "class f:\n    pass"])
@pytest.mark.parametrize("make", [plain, decomposed])
def test_a_missing_entry_is_named(make: object, source: str) -> None:
    with pytest.raises(BadProgram, match="nobody"):
        make(source, "nobody")  # type: ignore[operator]


def test_an_entry_that_its_module_replaces_is_named() -> None:
    program = plain("def f(x):\n    return x\nf = 3", "f")
    with pytest.raises(BadProgram, match="'f' is no function"):
        trace(program, "1")


@pytest.mark.parametrize("arguments", ["1 +", "nobody", "1 // 0", ")", "[", "x := 1, *3", "**1", "a=1, a=2"])
def test_arguments_that_cannot_be_evaluated_are_shown(arguments: str) -> None:
    with pytest.raises(BadProgram, match="cannot be evaluated"):
        trace(decomposed(GOOD, "f"), arguments)


@pytest.mark.parametrize("top", ["1 // 0", "import no_such_module_anywhere", "raise SystemExit(3)", "undefined"])
def test_a_module_that_cannot_be_run_says_what_it_raised(top: str) -> None:
    with pytest.raises(BadProgram, match="module raises"):
        trace(decomposed(f"{top}\n{GOOD}", "f"), "1")


@pytest.fixture
def _shallow_stack() -> object:
    """Python's own limit close at hand, so that reaching it is quick."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 180)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.usefixtures("_shallow_stack")
def test_recursion_to_the_limit_ends_as_the_program_would() -> None:
    real = trace(decomposed("def f(n):\n    return f(n + 1)", "f"), "0")
    assert real.outcome.ending == "raised"
    assert real.outcome.value.startswith("RecursionError(")
    assert max(frame.depth for frame in real.frames) > 20


def test_a_value_too_deep_to_write_out_ends_the_run_and_not_the_tracer() -> None:
    source = "def f(n):\n    x = [0]\n    for i in range(n):\n        x = [x]\n    return x"
    assert trace(decomposed(source, "f"), "300").outcome == Outcome("returned", "?value nested too deep")


def test_a_value_that_doubles_at_every_step_does_not_fill_the_memory() -> None:
    source = "def f(n):\n    x = [0]\n    for i in range(n):\n        x = [x, x]\n    return x"
    assert trace(decomposed(source, "f"), "40").outcome.value.startswith("?value of more than")


def test_a_program_of_ten_thousand_lines_is_traced_and_stepped() -> None:
    source = "def f(x):\n" + "    x += 1\n" * 9_998 + "    return x\n"
    assert len(trace(plain(source, "f"), "0", TraceLimits(steps=100))) == 100
    program = decomposed(source, "f")
    real = trace(program, "0", TraceLimits(steps=100))
    assert real.outcome == Outcome("truncated", "steps")
    assert Stepper(program).ask(real.frames[0]) == real.frames[1]


def test_a_plain_program_is_not_stepped_since_its_lines_hide_values() -> None:
    with pytest.raises(Unsupported, match="decompose it first"):
        Stepper(plain(GOOD, "f"))
