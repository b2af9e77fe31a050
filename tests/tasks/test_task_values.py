"""Claims about plain values as text, and about the comparison of results."""

import math

import pytest

from tasks import CallTest, Comparison, NotPlain, read_value, write_value
from tasks.errors import BadTask


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("(3 + 5, 3 * 5 - 1)", (8, 14), id="arithmetic"),
        pytest.param("-2 ** 3", -8, id="sign"),
        pytest.param("'ab' * 2 + 'c'", "ababc", id="text"),
        pytest.param("[0] * 3", [0, 0, 0], id="repeat"),
        pytest.param("set()", set(), id="empty-set"),
        pytest.param("frozenset({1})", frozenset({1}), id="frozenset"),
        pytest.param("{1: {'a': (None,)}}", {1: {"a": (None,)}}, id="nested"),
        pytest.param("float('-inf')", -math.inf, id="infinity"),
    ],
)
def test_reading_folds_expressions_of_literals(text: str, value: object) -> None:
    assert read_value(text) == value


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("f(3)", id="call"),
        pytest.param("x", id="name"),
        pytest.param("[[0] * 3] * 3", id="shared-rows"),
        pytest.param("9 ** 9 ** 9", id="huge-power"),
        pytest.param("'a' * 10 ** 9", id="huge-text"),
        pytest.param("1 / 0", id="no-value"),
        pytest.param("{[]: 1}", id="unhashable"),
        pytest.param("[1, 2", id="unclosed"),
        pytest.param("(" * 5000 + ")" * 5000, id="too-deep"),
        pytest.param("'%d' % 3", id="formatting"),
        pytest.param("...", id="ellipsis"),
        pytest.param("__import__('os')", id="import"),
    ],
)
def test_a_text_that_must_run_is_not_plain(text: str) -> None:
    with pytest.raises(NotPlain):
        read_value(text)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -3,
        0.1,
        math.inf,
        "it's",
        b"x",
        [],
        (1,),
        (),
        {},
        {"b": 1, "a": [2]},
        set(),
        {3, 1},
        {"b", 1},
    ],
)
def test_writing_then_reading_gives_the_same_value(value: object) -> None:
    assert read_value(write_value(value)) == value


def test_sets_are_written_in_sorted_order() -> None:
    assert write_value({"pear", "fig", "apple"}) == "{'apple', 'fig', 'pear'}"


@pytest.mark.parametrize(
    ("comparison", "expected", "actual", "holds"),
    [
        pytest.param(Comparison(), "1", "True", True, id="equal-as-python"),
        pytest.param(Comparison(), "[1]", "(1,)", False, id="list-is-no-tuple"),
        pytest.param(Comparison(), "{1, 2}", "{2, 1}", True, id="sets-by-content"),
        pytest.param(Comparison(), "[float('nan')]", "[nan]", True, id="nan-equals-nan"),
        pytest.param(Comparison(), "0.3", "0.30000000000000004", False, id="floats-exact-by-default"),
        pytest.param(Comparison("exact"), "True", "1", False, id="exact-type"),
        pytest.param(Comparison("exact"), "[1.0]", "[1]", False, id="exact-type-inside"),
        pytest.param(Comparison("close", 1e-6), "[0.3]", "[0.3000000001]", True, id="close-inside"),
        pytest.param(Comparison("close", 1e-6), "0.3", "0.31", False, id="not-close"),
        pytest.param(Comparison("close", 1e-6), "0.3", "nan", False, id="close-nan"),
        pytest.param(Comparison("close", relative=0.1), "100", "109", True, id="close-relative"),
        pytest.param(Comparison("truth"), "True", "[0]", True, id="truth"),
        pytest.param(Comparison("truth"), "False", "''", True, id="falsehood"),
        pytest.param(Comparison("truth"), "True", "<Node object>", True, id="truth-of-an-object"),
        pytest.param(Comparison("items"), "[1, 2]", "(1, 2)", True, id="items"),
        pytest.param(Comparison("items"), "[(1, 2)]", "[[1, 2]]", False, id="items-keep-inner-types"),
        pytest.param(Comparison("json"), "[[1, 2]]", "[(1, 2)]", True, id="json-tuples"),
        pytest.param(Comparison(), "3", "<Node object>", False, id="not-plain"),
        pytest.param(Comparison(), "{'a': 1}", "{'a': 1, 'b': 2}", False, id="dict-with-more"),
    ],
)
def test_each_comparison_accepts_and_refuses_as_defined(
    comparison: Comparison, expected: str, actual: str, holds: bool
) -> None:
    assert CallTest("", expected, comparison).accepts_text(actual) is holds


@pytest.mark.parametrize("fields", [{"kind": "equals"}, {"kind": "close"}, {"absolute": -1.0}])
def test_an_invalid_comparison_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(BadTask, match="comparison"):
        Comparison(**fields)  # type: ignore[arg-type]
