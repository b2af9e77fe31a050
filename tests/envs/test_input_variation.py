"""Varied inputs keep the types of the tests' arguments, differ from them, and depend on the seed only."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from envs.domains.inputs.input_variation import Vocabulary, changed, varied_inputs
from tasks import CallTest, CodeTest
from tasks.value import read_value, write_value

TESTS = (CallTest("[3, 1, 2], 'ab', key=2.5", "None"), CallTest("[7], 'xyz', key=0.5", "None"))
PLAIN = st.recursive(
    st.booleans() | st.none() | st.integers(-99, 99) | st.text("abc", max_size=4) | st.floats(-9, 9),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text("ab"), inner),
    max_leaves=6,
)


def test_inputs_are_new_distinct_and_keep_their_shape() -> None:
    found = varied_inputs(TESTS, Random(0), 100)
    assert len(found) == len(set(found)) == 100
    assert not set(found) & {test.arguments for test in TESTS}
    for text in found:
        value = read_value(f"[{text.replace('key=', '')}]")
        assert [type(part) for part in value] == [list, str, float]  # type: ignore[attr-defined]
        assert all(type(item) is int for item in value[0])  # type: ignore[index]


def test_the_seed_decides() -> None:
    assert varied_inputs(TESTS, Random(5), 20) == varied_inputs(TESTS, Random(5), 20)
    assert varied_inputs(TESTS, Random(5), 20) != varied_inputs(TESTS, Random(6), 20)


def test_numbers_stay_positive_where_the_tests_have_no_negative_one() -> None:
    found = varied_inputs([CallTest("4", "None"), CallTest("0", "None")], Random(1), 10)
    assert found
    assert all(int(text) >= 0 for text in found)


def test_calls_that_cannot_be_varied_give_nothing() -> None:
    assert varied_inputs([CodeTest("assert f(1) == 1"), CallTest("", "None")], Random(0), 10) == []
    assert varied_inputs([CallTest("None", "None")], Random(0), 10) == []


@settings(deadline=None)
@given(PLAIN, st.integers(0, 1000))
def test_a_change_keeps_the_type(value: object, seed: int) -> None:
    vocabulary = Vocabulary()
    vocabulary.add(value)
    new = changed(value, vocabulary, Random(seed))
    assert type(new) is type(value)
    assert write_value(new)
