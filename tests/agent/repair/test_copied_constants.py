"""Constants of a patch that come from the tests."""

import pytest

from cwm_agent.agent.repair.selection.copied_constants import has_copied_constant, has_fitted_constant
from cwm_agent.agent.repair.selection.naturalness import PatchFeatures
from tasks import CallTest, CodeTest, FunctionTest, Test

SOURCE = "def f(xs):\n    total = sum(xs)\n    return total\n"


def _patched(result: str) -> str:
    return SOURCE.replace("return total", f"return {result}")


@pytest.mark.parametrize(
    ("test", "given", "result", "fitted"),
    [
        pytest.param(CallTest("[5, 2]", "6"), "7", "total - 1", True, id="by-how-much-the-result-is-wrong"),
        pytest.param(CallTest("[5, 2]", "6"), "7", "total - 3", False, id="another-number"),
        pytest.param(CallTest("[5, 2]", "2"), "7", "total % 5", True, id="constant-of-the-test"),
        pytest.param(CallTest("[1, 0]", "0"), "5", "total * 0", False, id="trivial-constant-of-the-test"),
        pytest.param(FunctionTest("x = f([2, 9])\nreturn x", "2"), "11", "total - 9", True, id="several-steps"),
        pytest.param(CallTest("[5, 2]", "[6]"), "7", "[total - 1]", False, id="no-number"),
        pytest.param(CodeTest("assert f([9]) == 8"), "AssertionError", "total - 1", False, id="only-code"),
    ],
)
def test_a_constant_is_fitted_where_only_the_failing_test_explains_it(
    test: Test, given: str, result: str, fitted: bool
) -> None:
    assert has_fitted_constant(SOURCE, _patched(result), [(test, given)]) == fitted


def test_two_failing_tests_support_a_constant() -> None:
    failing: list[tuple[Test, str]] = [(CallTest("[5, 2]", "6"), "7"), (CallTest("[5]", "4"), "5")]
    assert not has_fitted_constant(SOURCE, _patched("total - 1"), failing)


def test_a_constant_that_the_program_has_already_is_new_where_it_stands_once_more() -> None:
    source = SOURCE.replace("sum(xs)", "sum(xs) - 1")
    patched = source.replace("return total", "return total - 1")
    assert has_fitted_constant(source, patched, [(CallTest("[5]", "3"), "4")])


def test_constants_of_tests_of_several_steps_count_as_copied() -> None:
    test = FunctionTest("x = f([40, 2])\nreturn x", "77")
    assert has_copied_constant(SOURCE, _patched("77"), [test])
    assert has_copied_constant(SOURCE, _patched("40"), [test])
    assert not has_copied_constant(SOURCE, _patched("78"), [test])
    assert not has_copied_constant(SOURCE, _patched("2"), [test])


def test_a_fitted_constant_lowers_the_score_once() -> None:
    plain, fitted = PatchFeatures(0.0, 0.0, 1, 1), PatchFeatures(0.0, 0.0, 1, 1, fitted_constant=True)
    both = PatchFeatures(0.0, 0.0, 1, 1, copied_constant=True, fitted_constant=True)
    assert plain.score > fitted.score == both.score
