"""Claims about constants that tests expect: which ones base cases may return, and in which edit class."""

import pytest

from envs.domains.repair_core import expected_constants
from envs.editing.class_priors import prior_of
from envs.editing.edit import Edit
from envs.editing.edit_generation import edits
from tasks import CallTest

MERGE = "def merge(left, right):\n    return left + right\n"


@pytest.mark.parametrize("expected", ["0", "-1", "2.5", "None", "True", "'ab'", "[]", "()", "{}", "set()"])
def test_plain_values_and_empty_containers_are_listed(expected: str) -> None:
    assert expected_constants((CallTest("1", expected),)) == (expected,)


@pytest.mark.parametrize("expected", ["[7, 8]", "(1, 2)", "{1: 2}", "{3}", "[[]]", "[0]", "1234567"])
def test_results_of_several_items_and_long_ones_are_not_listed(expected: str) -> None:
    assert expected_constants((CallTest("1", expected),)) == ()


def test_the_most_frequent_results_come_first() -> None:
    tests = tuple(CallTest(str(at), expected) for at, expected in enumerate(["5", "0", "[1]", "[1]", "[1]", "0"]))
    assert expected_constants(tests) == ("0", "5")


def test_a_base_case_with_a_value_that_only_a_test_has_is_less_likely_than_one_with_a_neutral_value() -> None:
    classes = {edit.after.split("return ")[1].strip(): edit.operator for edit in _base_cases(("37", "0"))}
    assert classes["0"] == "insert-base-case"
    assert classes["left"] == "insert-base-case"
    assert classes["37"] == "insert-copied-case"
    assert prior_of(classes["37"]) < prior_of(classes["0"])


def _base_cases(expected: tuple[str, ...]) -> list[Edit]:
    return [edit for edit in edits(MERGE, expected) if edit.after.startswith("    if ") and "return" in edit.after]
