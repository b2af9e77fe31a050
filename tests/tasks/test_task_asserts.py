"""Claims about asserts: which become calls with expected results, and which stay code."""

import ast
from typing import Any

import pytest

from tasks import CallTest, CodeTest, Comparison, FunctionTest
from tasks.asserts import EXACT, TRUTH, call_test
from tasks.comparison import EQUAL
from tasks.suites import read_suite
from tasks.task import CHECK


def read(line: str) -> CallTest | None:
    (statement,) = ast.parse(line).body
    assert isinstance(statement, ast.Assert)
    return call_test(statement, "f")


@pytest.mark.parametrize(
    ("line", "test"),
    [
        pytest.param("assert f(1, [2]) == 3", CallTest("1, [2]", "3"), id="equal"),
        pytest.param("assert 3 == f(x=1)", CallTest("x=1", "3"), id="operands-swapped"),
        pytest.param("assert f(2) == 3 + 4, 'message'", CallTest("2", "7"), id="folded"),
        pytest.param("assert f('a') is None", CallTest("'a'", "None", Comparison("exact")), id="is-none"),
        pytest.param("assert f()", CallTest("", "True", Comparison("truth")), id="true"),
        pytest.param("assert not f(-1)", CallTest("-1", "False", Comparison("truth")), id="false"),
        pytest.param("assert list(f(3)) == [1]", CallTest("3", "[1]", Comparison("items")), id="items"),
        pytest.param(
            "assert abs(f(1) - 0.5) < 1e-6",
            CallTest("1", "0.5", Comparison("close", 1e-6)),
            id="abs-difference",
        ),
        pytest.param(
            "assert f(1) == pytest.approx(0.5)",
            CallTest("1", "0.5", Comparison("close", 1e-12, 1e-6)),
            id="approx",
        ),
        pytest.param(
            "assert f(1) == approx(2, abs=0.1)",
            CallTest("1", "2", Comparison("close", 0.1, 0)),
            id="approx-absolute",
        ),
        pytest.param(
            "assert math.isclose(f(1), 2, abs_tol=0.1)",
            CallTest("1", "2", Comparison("close", 0.1, 1e-9)),
            id="isclose",
        ),
    ],
)
def test_a_call_with_a_literal_result_is_read(line: str, test: CallTest) -> None:
    assert read(line) == test


@pytest.mark.parametrize(
    "line",
    [
        "assert f(x) == 3",
        "assert f(1) == y",
        "assert f(1) != 3",
        "assert f(1) in (1, 2)",
        "assert f(*[1]) == 3",
        "assert g(1) == 3",
        "assert f(f(1)) == 3",
        "assert f(1) == f(2)",
        "assert round(f(1), 2) == 3.14",
        "assert f([[0] * 2] * 2) == 3",
        "assert f(1) is 3",
        "assert f(lambda x: x) == 1",
        "assert 1 < f(1) < 3",
    ],
)
def test_anything_else_stays_code(line: str) -> None:
    assert read(line) is None


def suite(text: str) -> list[CallTest | CodeTest]:
    return list(read_suite(ast.parse(text).body, "f"))


def test_each_assert_is_one_test_except_those_that_always_hold() -> None:
    assert suite("assert f(1) == 2\nassert True, 'fine'\nassert f(2) == 3") == [
        CallTest("1", "2"),
        CallTest("2", "3"),
    ]


def test_a_function_includes_only_the_statements_it_needs() -> None:
    """Unused imports and earlier checks are left out; plain statements are included."""
    tests = suite("import math\nimport re\nx = 3\nfor i in x, 4: assert f(i)\nassert f(x) == math.pi")
    assert tests == [
        FunctionTest("x = 3\nfor i in (x, 4):\n    assert f(i)\nreturn True", "True", EXACT),
        FunctionTest("import math\nx = 3\nreturn f(x) == math.pi", "True", TRUTH),
    ]


@pytest.mark.parametrize(
    ("text", "code", "expected", "comparison"),
    [
        pytest.param("a = A(5)\nassert a.take(3) == 2", "a = A(5)\nreturn a.take(3)", "2", EQUAL, id="equal"),
        pytest.param("a = A(5)\nassert 2 == a.take(3)", "a = A(5)\nreturn a.take(3)", "2", EQUAL, id="swapped"),
        pytest.param("assert A(5).left is None", "return A(5).left", "None", EXACT, id="exact"),
        pytest.param("assert not A(5).empty()", "return bool(A(5).empty())", "False", TRUTH, id="not"),
        pytest.param("assert A(5).items()", "return bool(A(5).items())", "True", TRUTH, id="truth"),
        pytest.param("assert isinstance(A(5), A)", "return isinstance(A(5), A)", "True", TRUTH, id="boolean call"),
        pytest.param("assert A(1) + A(2) == A(3)", "return A(1) + A(2) == A(3)", "True", TRUTH, id="own ==: inside"),
        pytest.param("assert list(A(2)) == [1, 2]", "return list(A(2))", "[1, 2]", EQUAL, id="items"),
        pytest.param("assert abs(A(2).x - 0.5) < 0.1", "return A(2).x", "0.5", Comparison("close", 0.1), id="close"),
        pytest.param("assert 3 in A(2) and A(1)", "return bool(3 in A(2) and A(1))", "True", TRUTH, id="and"),
    ],
)
def test_an_assert_about_objects_is_a_function_of_what_it_looks_at(
    text: str, code: str, expected: str, comparison: Comparison
) -> None:
    assert suite(text) == [FunctionTest(code, expected, comparison)]


def test_checks_that_change_objects_are_repeated_for_later_checks_without_their_verdict() -> None:
    tests = suite("a = A(5)\nassert a.take(3) == 2\nassert f(1) == 3\nassert a.left == 2")
    assert [getattr(test, "code", test) for test in tests] == [
        "a = A(5)\nreturn a.take(3)",
        CallTest("1", "3"),
        "a = A(5)\na.take(3) == 2\nreturn a.left",
    ]


@pytest.mark.parametrize("text", ["from math import *\nx = 2\nassert f(x, pi) > 1", "global n\nassert n == f(n)"])
def test_what_fits_into_no_function_stays_code(text: str) -> None:
    assert isinstance(suite(text)[-1], CodeTest)


@pytest.mark.parametrize(
    ("text", "last"),
    [
        pytest.param("r = f({1: 2})\nassert r == {3}", CallTest("{1: 2}", "{3}"), id="result"),
        pytest.param("a = [1]\nb = 2\nr = f(a, b)\nassert r == [3]", CallTest("[1], 2", "[3]"), id="arguments"),
        pytest.param("x = 2\nassert f(x) == 3", CallTest("2", "3"), id="argument-only"),
        pytest.param("a = [1]\nf(a)\nassert a == [2]", None, id="changed-in-place"),
        pytest.param("a = [1]\nf(a)\nassert f(a) == 2", None, id="called-before"),
        pytest.param("a = [1]\nassert f(a) == 1\nassert f(a) == 2", None, id="asserted-before"),
        pytest.param("x = []\nx.append(1)\nassert f(x) == 2", None, id="built-by-statements"),
        pytest.param("a = [1]\nb = [a, a]\nassert f(b) == 2", None, id="shared-item"),
        pytest.param("x = [1]\nassert f(x) == x", None, id="compared-with-itself"),
        pytest.param("x = y = []\nassert f(x) == 2", None, id="two-names"),
    ],
)
def test_names_are_substituted_if_the_meaning_stays_the_same(text: str, last: CallTest | None) -> None:
    test = suite(text)[-1]
    assert test == last if last else isinstance(test, FunctionTest)


def test_a_test_that_binds_a_builtin_name_does_not_change_the_program() -> None:
    program = "def f(n): return str(n)"
    (test,) = suite("str = '3'\nassert f(3) in [str]")
    assert isinstance(test, FunctionTest)
    namespace: dict[str, Any] = {}
    exec(program + "\n" + test.function, namespace)
    assert namespace[CHECK]() is True
