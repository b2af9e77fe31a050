"""Fuzzes the trees that leave the sandbox: honest values come back equal, forged trees are judged and never pass."""

import json
import math
from typing import Any

from hypothesis import strategies as st

from benchmarks.fuzzers.harness.fuzzer import Data, Fuzzer
from benchmarks.fuzzers.harness.mutations import ODD, ODD_NUMBERS, changed_json, json_values
from envs.execution.sandbox.call_results import read_call_result
from envs.execution.sandbox.isolation import wire_format
from envs.execution.sandbox.program_tests import Check, judge_check

EXPECTED = ["0", "1.5", "'a'", "[1, 2]", "(1,)", "{1, 2}", "{'a': [1]}", "b'x'", "None", "frozenset()", "2j"]
_SCALARS = st.none() | st.booleans() | st.sampled_from(ODD_NUMBERS) | st.integers() | st.text(max_size=6)
_HASHABLE = st.recursive(
    _SCALARS | st.binary(max_size=4) | st.floats() | st.complex_numbers(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=8,
)
VALUES = st.recursive(
    _HASHABLE,
    lambda inner: (
        st.lists(inner, max_size=3) | st.sets(_HASHABLE, max_size=3) | st.dictionaries(_HASHABLE, inner, max_size=3)
    ),
    max_leaves=12,
)
_LEAVES = st.sampled_from(["i", "f", "c", "b", "l", "t", "s", "z", "d", "o", "-0x1f", "nan", "1_0", *ODD])


def _deep(head: str, depth: int, twice: bool) -> Data:
    tree: Data = [head, 1, 2]
    for _ in range(depth):
        tree = [head, tree, tree] if twice else [head, tree, 0] if head == "d" else [head, tree]
    return tree


def _joined(pair: tuple[Data, list[Data]]) -> Data:
    return [pair[0], *pair[1]]


def _inputs() -> st.SearchStrategy[Data]:
    honest = VALUES.map(lambda value: json.loads(json.dumps(wire_format.tree(value))))
    heads = st.sampled_from(["l", "t", "s", "z", "d"])
    forged = st.recursive(
        _SCALARS | st.floats() | _LEAVES,
        lambda inner: st.tuples(_LEAVES | st.integers(), st.lists(inner, max_size=4)).map(_joined),
        max_leaves=16,
    )
    deep = st.builds(_deep, heads, st.integers(1, 900), st.just(False)) | st.builds(
        _deep, heads, st.integers(1, 10), st.just(True)
    )
    trees = honest | changed_json(honest) | forged | deep | json_values(_LEAVES)
    result = st.fixed_dictionaries({"returned": trees}, optional={"cpu_s": json_values(), "message": json_values()})
    raised = st.fixed_dictionaries({"raised": json_values(), "message": json_values()})
    return st.tuples(result | raised | json_values(), st.integers(0, len(EXPECTED) - 1)).map(list)


def _check(data: Data) -> str:
    result, expected = read_call_result(data[0]), EXPECTED[data[1]]
    words = [
        judge_check(Check("f()", expected), result),
        judge_check(Check("f()", expected, "close"), result),
        judge_check(Check("f()", "ValueError", "raises"), result),
    ]
    for verdict in words:
        assert type(verdict.value) is str
        assert math.isfinite(verdict.cpu_s)
    return words[0].outcome


def _reprs() -> st.SearchStrategy[Data]:
    return VALUES.map(repr)


def _check_value(data: Data) -> str:
    """The tree of a value, through JSON, gives the value back, equals itself and is shown."""
    value = eval(data, {"nan": math.nan, "inf": math.inf})  # noqa: S307 - a text that this module wrote
    tree: Any = json.loads(json.dumps(wire_format.tree(value)))
    back = wire_format.value(tree)
    assert repr(back) == repr(value) or back == value or value != value or "nan" in repr(value)
    again: Any = json.loads(json.dumps(wire_format.tree(back)))
    assert wire_format.key(tree) == wire_format.key(again)
    assert wire_format.close(tree, again, 0.0) or "nan" in repr(value)
    assert not wire_format.has_opaque(tree)
    return type(value).__name__ + wire_format.show(tree)[:1]


FUZZERS = (
    Fuzzer("wire-results", "every message of a fork gets a verdict, in linear work", _inputs, _check),
    Fuzzer("wire-values", "a value leaves the sandbox and comes back equal", _reprs, _check_value, changes=False),
)
