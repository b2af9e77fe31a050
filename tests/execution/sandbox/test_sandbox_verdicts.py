"""Verdicts of honest programs: what Python would say, in order, the same every time."""

from __future__ import annotations

import pytest
from sandbox_cases import ADD

from envs.execution.sandbox.sandbox import Assertion, Check, Sandbox, SandboxLimits, Test

VERDICTS: dict[str, tuple[str, Test, bool, str]] = {
    "equal": ("return 3", Check("f()", "3"), True, "3"),
    "different": ("return 4", Check("f()", "3"), False, "4"),
    "true-is-one": ("return True", Check("f()", "1"), True, "True"),
    "float-is-int": ("return 2.0", Check("f()", "2"), True, "2.0"),
    "big-int": ("return 3 ** 9000", Check("f()", hex(3**9000)), True, hex(3**9000)),
    "tuple-is-no-list": ("return (1, 2)", Check("f()", "[1, 2]"), False, "(1, 2)"),
    "one-tuple": ("return (1,)", Check("f()", "(1,)"), True, "(1,)"),
    "dict-in-any-order": ("return {'b': 1, 'a': 2}", Check("f()", "{'a': 2, 'b': 1}"), True, "{'b': 1, 'a': 2}"),
    "set-sorted": ("return {10, 9, 2}", Check("f()", "{2, 9, 10}"), True, "{2, 9, 10}"),
    "empty-set": ("return set()", Check("f()", "set()"), True, "set()"),
    "frozen-set": ("return frozenset({1})", Check("f()", "{1}"), True, "frozenset({1})"),
    "counter": ("from collections import Counter\nreturn Counter('aab')", Check("f()", "{'a': 2, 'b': 1}"), True, ""),
    "named-tuple": (
        "from collections import namedtuple\nreturn namedtuple('P', 'x y')(1, 2)", Check("f()", "(1, 2)"), True, "",
    ),
    "infinity": ("return float('inf')", Check("f()", "float('inf')"), True, "inf"),
    "bytes": ("return b'\\xff\\n'", Check("f()", r"b'\xff\n'"), True, r"b'\xff\n'"),
    "quotes-and-newlines": ("return 'a\\n\"\\'\\u2603'", Check("f()", repr("a\n\"'☃")), True, repr("a\n\"'☃")),
    "nested": ("return {(1, 2): [{'x': None}]}", Check("f()", "{(1, 2): [{'x': None}]}"), True, ""),
    "complex": ("return 1+2j", Check("f()", "1+2j"), True, "(1+2j)"),
    "close": ("return [0.1 + 0.2]", Check("f()", "[0.3]", "close"), True, ""),
    "not-close": ("return [0.31]", Check("f()", "[0.3]", "close"), False, "[0.31]"),
    "raises": ("return [][0]", Check("f()", "IndexError", "raises"), True, "IndexError: list index out of range"),
    "raises-other": ("return {}[0]", Check("f()", "IndexError", "raises"), False, "KeyError: 0"),
    "raises-nothing": ("return 1", Check("f()", "IndexError", "raises"), False, "1"),
    "opaque": ("return object()", Check("f()", "1"), False, "<object>"),
    "assertion": ("return 3", Assertion("assert f() == 3"), True, "3"),
    "assertion-false": ("return 4", Assertion("assert f() == 3, 'no'"), False, "4"),
    "assertion-on-iterator": ("return iter([1, 2])", Assertion("assert list(f()) == [1, 2]"), True, "[1, 2]"),
    "assertion-with-math": ("return 3.1415926", Assertion("assert math.isclose(f(), math.pi, rel_tol=1e-6)"), True, ""),
    "assertion-two-calls": ("return 3", Assertion("assert f() == f()"), True, "3, 3"),
    "assertion-raises": ("return 1 / 0", Assertion("assert f() == 3"), False, "ZeroDivisionError: division by zero"),
    "statements": ("return 3", Assertion("x = f()\nassert x == 3"), True, ""),
    "statements-false": ("return 3", Assertion("x = f()\nassert x == 4"), False, "AssertionError"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "test", "passed", "value"), VERDICTS.values(), ids=VERDICTS.keys())
def test_a_verdict_agrees_with_python(one: Sandbox, body: str, test: Test, passed: bool, value: str) -> None:
    """The comparison outside says what `==` would have said inside."""
    source = "import math\ndef f():\n" + "".join(f"    {line}\n" for line in body.splitlines())
    (verdict,) = one.run_tests(source, [test], entry="f")
    assert verdict.passed == passed, verdict
    assert value in ("", verdict.value)


def test_results_come_in_order_and_say_where_they_were_judged(sandbox: Sandbox) -> None:
    """Every isolation, none included, gives the same verdicts."""
    tests: list[Test] = [
        Check("add(1, 2)", "3"),
        Check("add(1, 2)", "4"),
        Assertion("assert add(1, 1) == 2"),
        Assertion("add(1, 1)\n"),
    ]
    verdicts = sandbox.run_tests(ADD, tests, entry="add")
    assert [verdict.passed for verdict in verdicts] == [True, False, True, True]
    assert [verdict.judged for verdict in verdicts] == ["outside", "outside", "outside", "inside"]
    assert all(verdict.cpu_s >= 0 for verdict in verdicts)


def test_early_stop_leaves_the_rest_unrun(one: Sandbox) -> None:
    """The first failure ends it."""
    tests = [Check("add(1, 2)", "3"), Check("add(1, 2)", "4"), Check("add(2, 2)", "4")]
    verdicts = one.run_tests(ADD, tests, entry="add", stop_early=True)
    assert [verdict.outcome for verdict in verdicts] == ["returned", "returned", "not run"]


def test_a_test_that_kills_the_process_does_not_cost_the_others(one: Sandbox) -> None:
    """Tests after a loop, a crash or too many steps run in a fresh process."""
    source = "import os\ndef f(x):\n    while x == 1: pass\n    if x == 2: os._exit(3)\n    return x\n"
    tests = [Check(f"f({x})", str(x)) for x in range(5)]
    verdicts = one.run_tests(source, tests, entry="f", limits=SandboxLimits(cpu_s=0.2, steps=1000))
    assert [verdict.outcome for verdict in verdicts] == ["returned", "steps", "crashed", "returned", "returned"]
    assert [verdict.passed for verdict in verdicts] == [True, False, False, True, True]


def test_the_step_limit_counts_lines_of_the_program(one: Sandbox) -> None:
    """Ten lines may run, eleven may not: the same on every machine."""
    source = "def f(n):\n    for _ in range(n):\n        pass\n    return n\n"
    limits = SandboxLimits(cpu_s=0.3, steps=10)
    counted = [one.run_tests(source, [Check(f"f({n})", str(n))], entry="f", limits=limits)[0] for n in (4, 5)]
    assert [verdict.outcome for verdict in counted] == ["returned", "steps"]


@pytest.mark.parametrize(("source", "outcome"), [
    pytest.param("def f(:", "raised", id="syntax-error"),
    pytest.param("import nothing_like_this", "raised", id="import-error"),
    pytest.param("while True: pass", "cpu", id="loops"),
    pytest.param("import os; os._exit(0)", "crashed", id="leaves"),
    pytest.param("", "raised", id="empty"),
])  # fmt: skip
def test_a_program_that_does_not_load_fails_every_test(one: Sandbox, source: str, outcome: str) -> None:
    """And says why."""
    verdicts = one.run_tests(source, [Check("f(1)", "1"), Check("f(2)", "2")], entry="f")
    assert [(verdict.passed, verdict.outcome) for verdict in verdicts] == [(False, outcome)] * 2


def test_what_a_program_prints_and_draws_is_the_same_every_time(one: Sandbox) -> None:
    """The hash seed and the random generator start alike in every process."""
    source = "import random\ndef f():\n    return random.random(), hash('a'), list({'x', 'y', 'z'})\n"
    values = {one.run_tests(source, [Check("f()", "0")], entry="f")[0].value for _ in range(3)}
    assert len(values) == 1


def test_libraries_of_the_standard_library_work(sandbox: Sandbox) -> None:
    """Contained is not crippled: asyncio, decimal, dataclasses, regular expressions, sqlite in memory."""
    source = """
import asyncio, dataclasses, decimal, json, random, re, sqlite3, statistics, hashlib
async def later(x):
    await asyncio.sleep(0)
    return x
def f():
    base = sqlite3.connect(":memory:").execute("select 40 + 2").fetchone()[0]
    digest = hashlib.sha256(b"").hexdigest()[:4]
    return asyncio.run(later(base)), str(decimal.Decimal("0.1") * 3), json.dumps([1]), digest
"""
    limits = SandboxLimits(cpu_s=3)
    (verdict,) = sandbox.run_tests(source, [Check("f()", "(42, '0.3', '[1]', 'e3b0')")], entry="f", limits=limits)
    assert verdict.passed, verdict
