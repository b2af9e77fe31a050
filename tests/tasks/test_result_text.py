"""Claims about reading and comparing results: as Python's `==` says, in time that follows the size of the text."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks import CallTest, Comparison, NotPlain, read_value, write_value
from tasks.result_text import MAX_CHARACTERS, MAX_DEPTH, MAX_VALUES, read_result
from tasks.unhashed_values import canonical

_NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.booleans(),
    st.sampled_from([0.0, -0.0, 1.0, 2.5, 1e300, math.inf, -math.inf, 10**300, 2**61 - 1, 1j, 1 + 0j]),
    st.integers(),
    st.floats(allow_nan=False),
)
_SCALARS = st.one_of(
    _NUMBERS, st.none(), st.text(max_size=3), st.binary(max_size=2), st.sampled_from(["a", "it's", '"'])
)
_HASHABLE = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3).map(tuple), st.frozensets(inner, max_size=3)),
    max_leaves=6,
)
_VALUES = st.recursive(
    st.one_of(_SCALARS, st.sets(_HASHABLE, max_size=4), _HASHABLE),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(_HASHABLE, inner, max_size=3),
    ),
    max_leaves=8,
)
COLLIDING = [(2**61 - 1) * number for number in range(1, 20_001)]
"""Integers of one hash: a set of them takes minutes to build."""


@settings(max_examples=100, deadline=None)
@given(_VALUES, _VALUES)
def test_a_comparison_says_what_python_says(expected: object, actual: object) -> None:
    assert Comparison().holds(expected, read_result(write_value(actual))) is (expected == actual)
    assert Comparison().holds(expected, read_result(write_value(expected)))
    assert (canonical(expected) == canonical(actual)) is (expected == actual)


@settings(max_examples=100, deadline=None)
@given(_VALUES)
def test_every_plain_value_is_read_from_pythons_own_repr(value: object) -> None:
    """Also of exactly its own type at every depth, as far as `exact` looks."""
    assert Comparison("exact").holds(value, read_result(repr(value)))
    assert bool(read_result(repr(value))) is bool(value)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("[1, 2,]", "[1, 2]"),
        ("((1))", "1"),
        ("(1,)", "(1,)"),
        ("- 1", "-1"),
        ("{1, True, 1.0}", "{1}"),
        ("{1: 2, True: 3}", "{1: 3}"),
        ("{float('nan')}", "{float('nan')}"),
        ("set([1, 1])", "{1}"),
        ("frozenset((1,))", "{1}"),
        ("(1-2j)", "1-2j"),
        (r"'\x41\n'", r"'A\n'"),
        ("0x10", "16"),
    ],
)  # fmt: skip
def test_texts_of_equal_values_are_equal(text: str, same: str) -> None:
    assert Comparison().holds(read_value(same), read_result(text))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("[1, 2", id="unclosed"),
        pytest.param("[1 2]", id="no-comma"),
        pytest.param("1 2", id="two"),
        pytest.param("'a", id="unclosed-text"),
        pytest.param("{[1]: 2}", id="unhashable-key"),
        pytest.param("{(1, [2])}", id="unhashable-inside"),
        pytest.param("{{1}}", id="set-in-set"),
        pytest.param("{1: 2, 3}", id="key-without-value"),
        pytest.param("1 + 2", id="arithmetic"),
        pytest.param("f(1)", id="call"),
        pytest.param("<object>", id="object"),
        pytest.param("9" * 5000, id="digits"),
        pytest.param("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2), id="too-deep"),
        pytest.param("[" * 100_000, id="far-too-deep"),
        pytest.param("-" * 100_000, id="signs"),
        pytest.param("'\\'" * 50_000, id="escapes"),
        pytest.param("[" + "0," * (MAX_VALUES + 1) + "]", id="too-many"),
        pytest.param("'" + "a" * MAX_CHARACTERS + "'", id="too-long"),
    ],
)
def test_a_text_that_is_no_value_is_refused(text: str) -> None:
    with pytest.raises(NotPlain):
        read_result(text)


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("{" + ", ".join(map(str, COLLIDING)) + "}", id="set"),
        pytest.param("{" + ", ".join(f"{number}: 0" for number in COLLIDING) + "}", id="dict"),
    ],
)
def test_colliding_hashes_cost_nothing(written: str) -> None:
    """A set of integers with one hash is compared in a moment; it would take minutes to build."""
    assert not CallTest("", "{1}").accepts_text(written)
    assert len(read_result(written)) == len(COLLIDING)  # type: ignore[arg-type]


def test_sets_in_sets_cost_their_size() -> None:
    """Sixty levels with two items each are read and compared: each level is visited once."""
    text = "frozenset({0})"
    for level in range(60):
        text = f"frozenset({{{level}, {text}}})"
    assert CallTest("", text).accepts_text(text)


@pytest.mark.parametrize(
    ("expected", "actual", "holds"),
    [
        ("1.5", hex(10**5000), False),
        (hex(10**1000), "1.5", False),
        (hex(10**1000), hex(10**1000 + 1), True),
        (hex(10**1000), hex(2 * 10**5000), False),
        ("float('inf')", hex(10**5000), False),
        (hex(10**1000), "nan", False),
        ("1e308", "-1e308", False),
    ],
)
def test_integers_beyond_every_float_are_compared_closely(expected: str, actual: str, holds: bool) -> None:
    assert CallTest("", expected, Comparison("close", relative=1e-6)).accepts_text(actual) is holds
    assert CallTest("", expected, Comparison("close", absolute=10.0)).accepts_text(actual) is holds


def test_long_integers_are_written_and_read() -> None:
    """Python refuses to write their decimals."""
    assert read_result(write_value(10**5000)) == 10**5000
