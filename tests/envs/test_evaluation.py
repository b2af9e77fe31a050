"""Claims about real evaluation: shipped repair tasks, test results, fault localisation and edit orders."""

from random import Random

import pytest

from envs.check import Nonconforming, check_task
from envs.domains.edit_orders import ORDERS, by_prior
from envs.domains.evaluation import Evaluator
from envs.domains.fault_localisation import coverage, ochiai
from envs.editing.edit import Edit
from envs.edits import edits
from envs.execution.sandbox.sandbox import Sandbox
from tasks import CallTest, CodeTest, Comparison, RepairTask, load

ALL = [task for task in load("repair").tasks if isinstance(task, RepairTask)]


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as opened:
        yield opened


def test_every_shipped_task_conforms(sandbox):
    """The buggy program fails; the reference and the known patch pass all tests."""
    for task in ALL:
        check_task(task, sandbox)


def test_a_task_with_a_wrong_reference_does_not_conform(sandbox):
    right = RepairTask(id="t", source="def f(x):\n    return x\n", entry="f", tests=(CallTest("1", "1"),))
    with pytest.raises(Nonconforming, match="RepairTask 't': expected the buggy program to fail"):
        check_task(right, sandbox)
    wrong = RepairTask(id="t", source=right.source, entry="f", tests=(CallTest("1", "2"),), reference=right.source)
    with pytest.raises(Nonconforming, match="it fails 1 visible tests: test 0 gave 1"):
        check_task(wrong, sandbox)


@pytest.mark.parametrize(
    ("body", "test", "expected"),
    [
        pytest.param("return float('nan')", CallTest("", "nan"), True, id="nan equals nan"),
        pytest.param("return {3, 1, 2}", CallTest("", "{1, 2, 3}"), True, id="sets by content"),
        pytest.param("return [float('inf')]", CallTest("", "[inf]"), True, id="infinity inside a list"),
        pytest.param("return 1.0000001", CallTest("", "1", Comparison("close", absolute=1e-3)), True, id="close"),
        pytest.param("return 1.1", CallTest("", "1", Comparison("close", absolute=1e-3)), False, id="not close"),
        pytest.param("return 1", CallTest("", "True", Comparison("exact")), False, id="exact compares types"),
        pytest.param("return [5]", CallTest("", "True", Comparison("truth")), True, id="truth"),
        pytest.param(
            "yield 1\n    yield 2", CallTest("", "[1, 2]", Comparison("items")), True, id="a generator's items"
        ),
        pytest.param("return 7", CallTest("", "7", Comparison("json")), True, id="json of what is no iterator"),
        pytest.param("return [(1, 2)]", CallTest("", "[[1, 2]]", Comparison("json")), True, id="json tuples are lists"),
        pytest.param("return object()", CallTest("", "1"), False, id="an object that is no plain value"),
        pytest.param("raise ValueError", CallTest("", "1"), False, id="raised"),
        pytest.param("return 3", CodeTest("assert f() * 2 == 6"), True, id="code"),
        pytest.param("return 3", CodeTest("for x in [1]:\n    assert f() == x"), False, id="code that fails"),
    ],
)
def test_the_comparison_of_the_task_decides(sandbox, body, test, expected):
    task = RepairTask(id="t", source=f"def f():\n    {body}\n", entry="f", tests=(test,))
    assert Evaluator(task, sandbox).original.marks == (expected,)


def test_programs_with_equal_code_cost_one_execution(sandbox):
    task = RepairTask(id="t", source="def f(x):\n    return x\n", entry="f", tests=(CallTest("1", "2"),))
    evaluator = Evaluator(task, sandbox)
    assert evaluator.executions == 1
    evaluator.run("def f(x):\n    return (x)  # the same\n")
    assert evaluator.executions == 1
    assert evaluator.run("def f(x):\n    return x + 1\n").solved
    assert evaluator.executions == 2


def test_early_stopping_runs_failing_tests_first_and_skips_the_rest(sandbox):
    tests = (CallTest("1", "1"), CallTest("2", "3"))
    task = RepairTask(id="t", source="def f(x):\n    return x\n", entry="f", tests=tests)
    evaluator = Evaluator(task, sandbox)
    assert evaluator.run("def f(x):\n    return 0\n", stop_early=True).marks == (None, False)
    assert evaluator.run("def f(x):\n    return 0\n").marks == (False, False)


def test_a_program_that_loops_is_stopped_and_the_limit_is_scaled(sandbox):
    tests = (CallTest("1", "1"), CallTest("2", "3"))
    task = RepairTask(id="t", source="def f(x):\n    return x\n", entry="f", tests=tests)
    evaluator = Evaluator(task, sandbox)
    assert evaluator.limits.cpu_s < 0.5
    found = evaluator.run("def f(x):\n    while True:\n        pass\n", stop_early=True)
    assert found.stopped == (1,)


def test_ochiai_suspects_the_line_that_only_failing_tests_run(sandbox):
    source = "def f(x):\n    if x > 1:\n        return 9\n    return x\n"
    tests = (CallTest("0", "0"), CallTest("1", "1"), CallTest("2", "2"), CodeTest("assert f(3) == 3"))
    lines = coverage(sandbox, source, tests, entry="f")
    assert lines[0] == {2, 4}
    assert lines[3] == {2, 3}
    suspicion = ochiai(lines, (True, True, False, False))
    assert suspicion[3] == 1.0
    assert suspicion[4] == 0.0
    assert 0 < suspicion[2] < 1


def test_a_test_that_ends_the_process_has_no_coverage_and_the_others_have(sandbox):
    source = "import os\ndef f(x):\n    if x == 1:\n        os._exit(3)\n    return x\n"
    tests = (CallTest("0", "0"), CallTest("1", "1"), CallTest("2", "2"))
    assert coverage(sandbox, source, tests, entry="f") == (frozenset({3, 5}), None, frozenset({3, 5}))


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_is_a_permutation_determined_by_the_seed(name):
    found = edits(ALL[0].source)
    one, two = (ORDERS[name](found, {2: 1.0}, Random(7)) for _ in range(2))
    assert one == two
    assert sorted(one) == sorted(found)


def test_round_robin_tries_each_class_before_any_twice():
    found = edits(ALL[0].source)
    classes = {edit.operator for edit in found}
    first = ORDERS["round-robin"](found, {}, Random(0))[: len(classes)]
    assert {edit.operator for edit in first} == classes


def test_the_prior_order_starts_with_the_likely_class_on_the_suspicious_line():
    found = [
        Edit(1, 0, "", "a", operator="rare"),
        Edit(2, 0, "", "b", operator="common"),
        Edit(3, 0, "", "c", operator="common"),
    ]
    order = by_prior({"common": 5.0, "rare": 0.0})
    assert order(found, {1: 0.5, 2: 0.1, 3: 1.0}, Random(0))[0] == found[2]
