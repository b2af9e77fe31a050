"""Values as they leave the sandbox: equal as Python says, shown in time that follows their size, bounded in size."""

from __future__ import annotations

import json
import math
from functools import reduce
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envs.domains.task_tests import passed, sandbox_test
from envs.execution.sandbox.isolation.wire_format import (
    MOST_CHARACTERS,
    MOST_NODES,
    MalformedWire,
    check,
    close,
    has_opaque,
    key,
    show,
    tree,
)
from envs.execution.sandbox.sandbox import Check, Sandbox
from tasks import CallTest, Comparison
from tasks.result_text import read_result

_SCALARS = st.one_of(
    st.integers(-2, 2), st.booleans(), st.none(), st.integers(), st.floats(allow_nan=False), st.text(max_size=2),
    st.binary(max_size=2), st.sampled_from([1.0, 2**61 - 1, 10**30, 1 + 0j, 2j]),
)  # fmt: skip
_HASHABLE = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3).map(tuple), st.frozensets(inner, max_size=3)),
    max_leaves=5,
)
_VALUES = st.recursive(
    st.one_of(_HASHABLE, st.sets(_HASHABLE, max_size=3)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_HASHABLE, inner, max_size=3)),
    max_leaves=6,
)


def _sent(value: object) -> Any:
    """The tree as the parent reads it."""
    found = json.loads(json.dumps(tree(value)))
    check(found)
    return found


@settings(max_examples=100, deadline=None)
@given(_VALUES, _VALUES)
def test_trees_are_equal_exactly_when_values_are(one: object, other: object) -> None:
    assert (key(_sent(one)) == key(_sent(other))) is (one == other)


@settings(max_examples=100, deadline=None)
@given(_VALUES)
def test_what_is_shown_is_read_back_as_the_value(value: object) -> None:
    assert Comparison("exact").holds(value, read_result(show(_sent(value))))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({10, 9, 2.5}, "{2.5, 9, 10}"),
        ({"b", 1, None}, "{1, 'b', None}"),
        (frozenset({frozenset({3}), frozenset({1, 2})}), "frozenset({frozenset({1, 2}), frozenset({3})})"),
        ({math.nan, 1}, "{1, nan}"),
        ({10**400, 1}, "{1, " + str(10**400) + "}"),
    ],
)
def test_sets_are_shown_in_order(value: object, text: str) -> None:
    assert show(_sent(value)) == text


def test_frozensets_in_frozensets_cost_their_depth(one: Sandbox) -> None:
    """Forty levels were shown three times each, 3 ** 40 times in all."""
    source = "def f():\n    v = 0\n    for n in range(40): v = frozenset({v, n})\n    return v\n"
    value: object = reduce(lambda inside, number: frozenset({inside, number}), range(40), 0)
    test = CallTest("", show(_sent(value)))
    (verdict,) = one.run_tests(source, [sandbox_test(test, "f")], entry="f")
    assert passed(test, verdict)


def test_a_forged_set_of_colliding_integers_is_compared_without_hashing(one: Sandbox) -> None:
    """The set never exists; written to the channel it costs its text."""
    source = """import os
def f():
    body = ",".join('["i","%x"]' % ((2 ** 61 - 1) * number) for number in range(1, 12_001))
    os.write(3, ('d{"returned":["s",' + body + ']}').encode() + b"\\n")
    return 1
"""
    test = CallTest("", "{1}")
    (verdict,) = one.run_tests(source, [sandbox_test(test, "f")], entry="f")
    assert verdict.outcome == "returned"
    assert not passed(test, verdict)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("return [0] * 200_000", id="many"),
        pytest.param("return 'a' * 300_000", id="long"),
        pytest.param("return 1 << 2_000_000", id="long-integer"),
        pytest.param("v = 0\nfor _ in range(40): v = [v, v]\nreturn v", id="shared-lists"),
        pytest.param("v = 0\nfor _ in range(40): v = {1: v, 2: v}\nreturn v", id="shared-dicts"),
        pytest.param("v = 0\nfor _ in range(40): v = frozenset({(v, 1), (v, 2)})\nreturn v", id="shared-frozensets"),
    ],
)
def test_a_value_that_is_too_large_stays_inside(one: Sandbox, body: str) -> None:
    """Also one whose parts are shared: its text would double at each of forty levels."""
    source = "def f():\n" + "".join(f"    {line}\n" for line in body.splitlines())
    (verdict,) = one.run_tests(source, [Check("f()", "0")], entry="f")
    assert verdict.value.endswith("too large to leave>")


def test_honest_trees_pass_the_check_up_to_the_limit() -> None:
    assert not has_opaque(_sent([0] * (MOST_NODES - 4)))
    assert has_opaque(_sent([0] * (MOST_NODES - 3)))
    for bits in range(4 * MOST_CHARACTERS - 20, 4 * MOST_CHARACTERS + 4):  # to the last digit
        assert _sent(-1 << bits)[0] in ("i", "o")
    assert show(_sent([object()] * 100_000)) == "<list too large to leave>"
    deep = reduce(lambda inside, _: [inside], range(70), 0)
    assert "nested too deep" in show(_sent(deep))


@pytest.mark.parametrize(
    "node", [[0] * 3, ["l", ["x"]], ["i", "12g"], {}, ["d", 1, 2, 3], ["s", {}], 1 << 60, ["f", "1"]]
)
def test_a_tree_that_no_value_has_is_refused(node: object) -> None:
    with pytest.raises(MalformedWire):
        check(node)


@pytest.mark.parametrize(
    ("left", "right", "holds"),
    [
        pytest.param([10**5000], 1.5, False, id="long-integer"),
        pytest.param([10**5000], [1.5], False, id="long-integer-inside"),
        pytest.param([10**5000], [10**5000], True, id="equal-long-integers"),
        pytest.param([10**5000], [1j], False, id="long-integer-and-complex"),
        pytest.param({"a": 1.0, "b": 2.0}, {"b": 2.0, "a": 1.0 + 1e-9}, True, id="order"),
        pytest.param({"a": 1.0, "b": 2.0}, {"b": 1.0, "a": 2.0}, False, id="other-values"),
        pytest.param([{1, 2}], [{2, 1}], True, id="sets"),
    ],
)
def test_closeness_holds_for_long_integers_and_dicts_in_any_order(left: object, right: object, holds: bool) -> None:
    assert close(_sent(left), _sent(right), 1e-6) is holds
