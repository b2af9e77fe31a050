"""Tests of several steps with other constants: types stay, equal texts change together, nothing else changes."""

import ast
from random import Random

from envs.domains.inputs.function_variation import varied_functions
from tasks import FunctionTest
from tasks.comparison import Comparison

TEST = FunctionTest(
    "stock = Stock({'pear': 5})\nstock.add('pear', 2)\nreturn stock.remove('pear', 3)", "4", setup="import math"
)


def _structure(code: str) -> list[str]:
    """The types of the nodes that are no constants, and the names."""
    nodes = [node for node in ast.walk(ast.parse(code)) if not isinstance(node, ast.Constant | ast.Dict)]
    return [ast.dump(node) if isinstance(node, ast.Name) else type(node).__name__ for node in nodes]


def test_only_constants_change_and_no_test_comes_twice() -> None:
    found = varied_functions([TEST], Random(0), 32)
    assert len(found) == len({test.code for test in found}) == 32
    assert TEST.code not in {test.code for test in found}
    assert all(_structure(test.code) == _structure(TEST.code) for test in found)
    assert all(test.setup == "import math" for test in found)
    assert [len(test.code) for test in found] == sorted(len(test.code) for test in found)


def test_equal_texts_change_together() -> None:
    for test in varied_functions([TEST], Random(1), 32):
        calls = [node for node in ast.walk(ast.parse(test.code)) if isinstance(node, ast.Call) and len(node.args) == 2]
        assert len({ast.dump(call.args[0]) for call in calls}) == 1


def test_a_truth_test_becomes_one_that_compares_values() -> None:
    test = FunctionTest("return big(3)", "True", Comparison("truth"))
    assert {each.comparison.kind for each in varied_functions([test], Random(0), 3)} == {"equal"}


def test_tests_without_constants_or_with_several_results_are_left_out() -> None:
    tests = [FunctionTest("return f(x)", "1"), FunctionTest("if f(1):\n    return 2\nreturn 3", "3")]
    assert varied_functions(tests, Random(0), 8) == ()
    assert varied_functions([], Random(0), 8) == ()
