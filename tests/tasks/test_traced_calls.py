"""Calls whose arguments are no literals stand in functions behind the program, where they are followed line by line."""

import ast

import pytest

from cwm_agent import Rollout, imagine_call
from envs.execution.decompose.program import decomposed
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.reality import Reality
from tasks import CallTest, FunctionTest, TraceTask, traced_calls
from tasks.traced_calls import are_literals, traced_call, traced_task, written_call

FILTER = "def f(xs, fits):\n    return [x for x in xs if fits(x)]\n"


@pytest.mark.parametrize(
    ("arguments", "literal"),
    [
        ("", True),
        ("1, [2, 'a'], key={3: None}", True),
        ("-1, {1, 2}, set()", True),
        ("'lambda x: x'", True),
        ("lambda x: x", False),
        ("[1], key=len", False),
        ("*[1]", False),
        ("**{'a': 1}", True),
        ("[i for i in range(2)]", False),
        ("# nothing\n1", True),
    ],
)
def test_literals_are_told_apart(arguments: str, literal: bool) -> None:
    assert are_literals(arguments) is literal


def test_a_call_of_literals_stays_as_it_is() -> None:
    call = written_call(FILTER, "f", "[1], None")
    assert (call.source, call.entry, call.arguments) == (FILTER, "f", "[1], None")


def test_a_call_with_a_lambda_becomes_a_function_behind_the_program() -> None:
    call = written_call(FILTER, "f", "[1, 2], lambda x: x < 2  # small ones")
    assert call.source.startswith(FILTER.rstrip())
    assert ast.unparse(ast.parse(call.source).body[-1]) == ("def __check__():\n    return f([1, 2], lambda x: x < 2)")
    assert (call.entry, call.arguments, call.first) == ("__check__", "", "__check__")


def test_a_trace_task_needs_a_function_only_for_a_lambda() -> None:
    plain = TraceTask("t", FILTER, "f", "[1], [bool][0]")
    assert traced_task(plain).arguments == plain.arguments
    assert traced_task(TraceTask("t", FILTER, "f", "[1], [lambda x: x][0]")).entry == "__check__"


def test_all_functions_of_a_task_share_one_program() -> None:
    tests = (
        CallTest("[1], lambda x: x", "[1]"),
        CallTest("[1], None", "[1]"),
        CallTest("[1], bool", "[1]"),
        FunctionTest("return f([], None)", "[]"),
    )
    calls = [traced_call(FILTER, "f", test, tests) for test in tests]
    assert [call.entry for call in calls if call] == ["__check_1__", "f", "__check_2__", "__check_3__"]
    assert len({call.source for call in calls if call}) == 2


def test_its_lines_are_run_and_imagined() -> None:
    call = traced_task(TraceTask("t", FILTER, "f", "[1, 3], lambda x: x < 2", "[1]"))
    program = decomposed(call.source, call.entry)
    with Sandbox() as sandbox:
        real = Reality(sandbox).trace(program, call.arguments)
    imagined = imagine_call(FILTER, "f([1, 3], lambda x: x < 2)", "exact")
    assert isinstance(imagined, Rollout)
    assert imagined.outcome == real.outcome
    assert imagined.outcome is not None
    assert imagined.outcome.value == "[1]"


def test_a_call_that_python_cannot_write_again_stays_as_it_is() -> None:
    arguments = " + ".join(["1"] * 2000)
    test = CallTest(f"[{arguments}], None", "[2000]")
    call = traced_call(FILTER, "f", test, (test, CallTest("[1], bool", "[1]")))
    assert call is not None
    assert (call.source, call.entry, call.arguments) == (FILTER, "f", test.arguments)
    assert written_call(FILTER, "f", test.arguments).arguments == test.arguments


def test_thousands_of_tests_are_read_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    monkeypatch.setattr(
        traced_calls, "parse_expression", lambda text: [read.append(text), ast.parse(text, mode="eval").body][1]
    )
    literal = [CallTest(f"[{number}], None", "[1]") for number in range(1500)]
    tests = (*literal, CallTest("[1], bool", "[-1]"))
    calls = [traced_call(FILTER, "f", test, tests) for test in (*literal[:20], *[tests[-1]] * 20)]
    assert [call.entry for call in calls if call] == ["f"] * 20 + ["__check__"] * 20
    assert len(read) <= 2 * len(tests)
