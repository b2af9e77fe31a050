"""Settling imagined text: labels as a real run would give them, new objects lifted out, bad brackets refused."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from local_worlds import small
from markov_programs import PROGRAMS

from envs.execution.state.effects import Question
from envs.execution.state.frames import HeapText
from envs.execution.stepper.exact_effects import ExactEffects
from envs.execution.stepper.stepper import Stepper
from envs.execution.text.canonical_labels import CanonicalLabels, MalformedText, check_text


def settled(rows: dict[str, str], heap: dict[int, str], before: set[int]) -> tuple[dict[str, str], HeapText]:
    labels = CanonicalLabels(heap, before)
    bound = labels.bindings(rows.items())
    return dict(bound), labels.heap()


CASES: list[tuple[str, dict[str, str], dict[int, str], set[int], dict[str, str], dict[int, str]]] = [
    ("plain values stay", {"a": "1", "b": "(2, 'x')"}, {}, set(), {"a": "1", "b": "(2, 'x')"}, {}),
    ("a new list takes label 1", {"a": "[1, 2]"}, {}, set(), {"a": "#1"}, {1: "[1, 2]"}),
    ("known labels stay", {"a": "#7"}, {7: "[1]"}, {7}, {"a": "#7"}, {7: "[1]"}),
    ("the smallest unused", {"a": "#2", "b": "[]"}, {2: "[1]"}, {2}, {"a": "#2", "b": "#1"}, {1: "[]", 2: "[1]"}),
    ("not one of the frame before", {"b": "[]"}, {1: "[1]"}, {1}, {"b": "#2"}, {2: "[]"}),
    ("provisional labels", {"a": "#900"}, {900: "[#901]", 901: "{}"}, set(), {"a": "#1"}, {1: "[#2]", 2: "{}"}),
    ("shared provisional", {"a": "#900", "b": "#900"}, {900: "[]"}, set(), {"a": "#1", "b": "#1"}, {1: "[]"}),
    ("a cycle", {"a": "#900"}, {900: "[#900]"}, set(), {"a": "#1"}, {1: "[#1]"}),
    ("what is not reached is gone", {"a": "1"}, {1: "[1]"}, {1}, {"a": "1"}, {}),
    ("nested lists", {"a": "[[1], [2]]"}, {}, set(), {"a": "#1"}, {1: "[#2, #3]", 2: "[1]", 3: "[2]"}),
    ("names before depth", {"a": "[[1]]", "b": "[2]"}, {}, set(), {"a": "#1", "b": "#2"}, {1: "[#3]", 2: "[2]", 3: "[1]"}),
    ("in a tuple", {"a": "(1, [2])"}, {}, set(), {"a": "(1, #1)"}, {1: "[2]"}),
    ("dict of lists", {"a": "{'k': [1]}"}, {}, set(), {"a": "#1"}, {1: "{'k': #2}", 2: "[1]"}),
    ("a set", {"a": "{1, 2}"}, {}, set(), {"a": "#1"}, {1: "{1, 2}"}),
    ("an empty set", {"a": "set()"}, {}, set(), {"a": "#1"}, {1: "set()"}),
    ("a frozenset is a value", {"a": "frozenset({1, 2})"}, {}, set(), {"a": "frozenset({1, 2})"}, {}),
    ("frozensets in a list", {"a": "[frozenset({1}), [2]]"}, {}, set(), {"a": "#1"}, {1: "[frozenset({1}), #2]", 2: "[2]"}),
    ("a set of frozensets", {"a": "{frozenset({1})}"}, {}, set(), {"a": "#1"}, {1: "{frozenset({1})}"}),
    ("a Counter keeps its braces", {"a": "Counter({'x': 1})"}, {}, set(), {"a": "#1"}, {1: "Counter({'x': 1})"}),
    ("a deque", {"a": "deque([1, [2]], 5)"}, {}, set(), {"a": "#1"}, {1: "deque([1, #2], 5)", 2: "[2]"}),
    ("defaultdict", {"a": "defaultdict(list, {1: [2]})"}, {}, set(), {"a": "#1"}, {1: "defaultdict(list, {1: #2})", 2: "[2]"}),
    ("defaultdict of a lambda", {"a": "defaultdict(g@3(#900), {1: [2]})"}, {900: "cell(1)"}, set(), {"a": "#1"},
     {1: "defaultdict(g@3(#2), {1: #3})", 2: "cell(1)", 3: "[2]"}),
    ("an iterator", {"a": "iter(#1, 0)"}, {1: "[1]"}, {1}, {"a": "#2"}, {1: "[1]", 2: "iter(#1, 0)"}),
    ("a set's iterator", {"a": "iter(#1, [2, 3])"}, {1: "{2, 3}"}, {1}, {"a": "#2"}, {1: "{2, 3}", 2: "iter(#1, [2, 3])"}),
    ("a frozenset's iterator", {"a": "iter(frozenset({2, 3}), [3])"}, {}, set(), {"a": "#1"},
     {1: "iter(frozenset({2, 3}), [3])"}),
    ("a dict's iterator", {"a": "iter(items(#1), 0)"}, {1: "{}"}, {1}, {"a": "#2"}, {1: "{}", 2: "iter(items(#1), 0)"}),
    ("enumerate of an iterator", {"a": "enumerate(iter(#1, 0), 0)"}, {1: "[]"}, {1}, {"a": "#2"},
     {1: "[]", 2: "enumerate(#3, 0)", 3: "iter(#1, 0)"}),
    ("zip of two", {"a": "zip(iter('ab', 0), iter('cd', 0))"}, {}, set(), {"a": "#1"},
     {1: "zip(#2, #3)", 2: "iter('ab', 0)", 3: "iter('cd', 0)"}),
    ("brackets in strings are text", {"a": "'[#1('"}, {}, set(), {"a": "'[#1('"}, {}),
    ("strings in new lists", {"a": "['[', ']#1', \"it's\"]"}, {}, set(), {"a": "#1"}, {1: "['[', ']#1', \"it's\"]"}),
    ("a bound method", {"a": "#1.append"}, {1: "[]"}, {1}, {"a": "#1.append"}, {1: "[]"}),
    ("an exception with a list", {"a": "ValueError([1])"}, {}, set(), {"a": "ValueError(#1)"}, {1: "[1]"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "heap", "before", "bound", "contents"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_settling(
    rows: dict[str, str], heap: dict[int, str], before: set[int], bound: dict[str, str], contents: dict[int, str]
) -> None:
    assert settled(rows, heap, before) == (bound, tuple(sorted(contents.items())))


@pytest.mark.parametrize(
    "text", ["[", "]", "[1", "1]", "([)", "([)]", "[1}", "{'a': [}", "f(", "[#1", "'[' ]", "f({1)"]
)
def test_brackets_that_do_not_match_are_malformed(text: str) -> None:
    with pytest.raises(MalformedText):
        check_text(text)


@pytest.mark.parametrize("text", ["'abc", "['a, 1]", '"x', "'\\'", "[1, '"])
def test_a_string_that_does_not_end_is_malformed(text: str) -> None:
    with pytest.raises(MalformedText):
        check_text(text)


@pytest.mark.parametrize("text", ["'it\\'s'", '"it\'s"', "b'\\\\'", "['[', \"]\"]", "1", "''"])
def test_whole_text_is_not_malformed(text: str) -> None:
    check_text(text)


def test_a_reference_to_nothing_is_malformed() -> None:
    with pytest.raises(MalformedText, match="#5"):
        settled({"a": "#5"}, {}, set())


NESTED = st.recursive(
    st.one_of(st.integers(0, 9).map(repr), st.text(max_size=3).map(repr)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(inner, min_size=2, max_size=3).map(lambda items: f"({', '.join(items)})"),
        st.lists(inner, max_size=3).map(lambda items: f"deque([{', '.join(items)}])"),
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from("abcd"), NESTED, min_size=1))
def test_settling_what_is_settled_changes_nothing(rows: dict[str, str]) -> None:
    bound, heap = settled(rows, {}, set())
    assert settled(bound, dict(heap), {label for label, _ in heap}) == (bound, heap)


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_effect_told_from_a_real_frame_gives_the_next_real_frame(name: str) -> None:
    program, real = small(name)
    stepper, statements = Stepper(program), ExactEffects(program)
    for frame, following in pairwise(real.frames):
        question = stepper.ask(frame)
        if isinstance(question, Question):
            floor = max((label for label, _ in frame.heap), default=0)
            assert stepper.tell(frame, statements.effect(question, floor)) == following


def test_many_new_objects_take_labels_in_one_pass() -> None:
    """Each label was searched for from the first on: twenty thousand lists took two hundred million steps."""
    labels = CanonicalLabels({}, frozenset({2}))
    assert labels.text("([], [], [])") == "(#1, #3, #4)"
    assert labels.text("(" + "[], " * 20_000 + ")").endswith("#20004, )")
