"""Claims about expressions that are calculated on the texts of a frame: what Python itself says, or nothing."""

import ast
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cwm_agent.agent.repair.evidence.expression_value import RaisedError, value_or_error
from cwm_agent.agent.repair.evidence.run_state import Instance, RunState, Unknown

HEAP = {
    1: "[3, 1, 2]",
    2: "{'a': #1, 'b': 7}",
    3: "Node(value=4, next=#4, seen=#1, rule=f@3())",
    4: "Node(value=5, next=#3, seen=#1, rule=f@3())",
    5: "deque([1, 2])",
    6: "Counter({'a': 2})",
    7: "defaultdict(list, {1: #1})",
    8: "{1, 2}",
    9: "[#1, #8]",
}
TEXTS = {
    "xs": "#1",
    "d": "#2",
    "node": "#3",
    "queue": "#5",
    "count": "#6",
    "lists": "#7",
    "nested": "#9",
    "s": "'Ab #1 c'",
    "n": "-2",
    "x": "2.5",
    "big": "inf",
    "none": "None",
    "pair": "(1, #1)",
    "span": "range(0, 3)",
    "odd": "?a file",
    "few": "frozenset({1})",
    "empty": "set()",
    "helper": "helper",
}
STATE = RunState(TEXTS, HEAP)
OBJECTS: Mapping[str, object] = {
    "xs": [3, 1, 2],
    "d": {"a": [3, 1, 2], "b": 7},
    "queue": [1, 2],
    "count": {"a": 2},
    "lists": {1: [3, 1, 2]},
    "nested": [[3, 1, 2], {1, 2}],
    "s": "Ab #1 c",
    "n": -2,
    "x": 2.5,
    "big": float("inf"),
    "none": None,
    "pair": (1, [3, 1, 2]),
    "span": range(3),
    "few": {1},
    "empty": set(),
}


def value(expression: str, state: RunState = STATE) -> object:
    return value_or_error(ast.parse(expression, mode="eval").body, state)


@pytest.mark.parametrize(
    "expression",
    [
        "xs[0] + n",
        "xs[1:] + xs[::-1]",
        "d['a'][2] * 3 - d['b'] // 2 % 5",
        "n < xs[0] <= 3 and not none",
        "none or s",
        "s.lower().split('#')[0].strip()",
        "s[0] in 'AB' and s.find('z')",
        "len(queue) + len(span) + sum(xs)",
        "max(xs, default=0) - min(xs[5:], default=1)",
        "sorted(xs, reverse=True)",
        "[a * b for a, b in zip(xs, span) if a != 2]",
        "{k: len(str(k)) for k in d}",
        "{x % 2 for x in xs}",
        "[x for row in nested for x in row if x > 1]",
        "any(x > 2 for x in xs)",
        "d.get('c', [])",
        "count['a']",
        "f'{n} and {s}'",
        "(n, *[]) if False else (n, x)",
        "pair[1] is xs",
        "xs == nested[0]",
        "1 in few | {2}",
        "~n & 3 ^ 1",
        "list(enumerate(xs, 1))",
        "dict(zip(span, xs))",
        "round(x / 2, 1)",
        "big > 10",
    ],
)
def test_an_expression_has_the_value_that_python_gives_it(expression: str) -> None:
    assert value(expression) == eval(expression, {}, dict(OBJECTS) | {"pair": (1, OBJECTS["xs"])})


@pytest.mark.parametrize(
    ("expression", "expected"),
    [("xs[3]", "IndexError"), ("d['c']", "KeyError"), ("n / 0", "ZeroDivisionError"), ("n + s", "TypeError")],
)
def test_an_error_stands_in_place_of_a_value(expression: str, expected: str) -> None:
    assert value(expression) == RaisedError(expected)


@pytest.mark.parametrize(
    "expression",
    [
        "missing",
        "odd",
        "helper(n)",
        "helper",
        "xs.append(1)",
        "xs.pop()",
        "node == node.next",
        "not node",
        "len(node)",
        "node.missing",
        "node.rule",
        "node[0]",
        "node + 1",
        "sorted(xs, key=abs)",
        "'a' * 10 ** 9",
        "'a' * 1000000000",
        "sum(range(1000000000))",
        "[x for x in range(1000)]",
        "[0 for a in range(30) for b in range(30)]",
        "2 ** 8",
        "1 << 9",
        "lambda: 1",
        "open('x')",
        "str(xs)",
        "f'{n:3}'",
        "(yield)",
    ],
)
def test_what_only_running_would_tell_is_unknown(expression: str) -> None:
    with pytest.raises(Unknown):
        value(expression)


def test_objects_that_hold_one_another_are_read_as_far_as_they_are_asked_for() -> None:
    assert value("node.next.next.value") == 4
    assert value("node.next.seen[0]") == 3
    assert value("node.next.next is node")
    assert isinstance(value("node"), Instance)


def test_a_name_of_the_program_hides_a_function_of_the_language() -> None:
    with pytest.raises(Unknown):
        value("len(xs)", RunState({**TEXTS, "len": "len@3()"}, HEAP))


def test_a_list_that_holds_itself_is_unknown() -> None:
    with pytest.raises(Unknown):
        value("xs", RunState({"xs": "#1"}, {1: "[#1]"}))


PLAIN = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5)


@given(st.recursive(PLAIN, lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(PLAIN, inner)))
def test_values_are_read_back(written: object) -> None:
    assert value("x", RunState({"x": repr(written)}, {})) == written
