"""Pages and back: what is written down is rebuilt from the text alone, and written again it is the same text."""

import re
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envs.execution.decompose.program import FILENAME
from envs.execution.state.frames import Bindings, HeapText
from envs.execution.state.value_grammar import SIZE_LIMIT, Unsupported, expanded, is_supported, references
from envs.execution.text.object_builder import ObjectBuilder
from envs.execution.text.object_renderer import ObjectRenderer


def page_of(scope: Mapping[str, object]) -> tuple[Bindings, HeapText]:
    rows, _, heap = ObjectRenderer({}, FILENAME).render([scope])
    return rows[0], heap


def rebuilt(rows: Bindings, heap: HeapText) -> dict[str, Any]:
    maker = ObjectBuilder(dict(heap), {}, {})
    return {name: maker.value(text) for name, text in rows}


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(allow_nan=False),
    st.text(max_size=8),
    st.binary(max_size=8),
    st.sampled_from(["#1", "[", "it's", '"', "\\", "?", "?x", "@", "\n", "iter(#1, 0)"]),
)
KEYS = st.one_of(st.integers(-9, 9), st.text(max_size=3), st.tuples(st.integers(-9, 9), st.text(max_size=2)))
SIMPLE = st.one_of(
    SCALARS,
    st.tuples(),
    st.tuples(SCALARS),
    st.tuples(SCALARS, SCALARS),
    st.frozensets(KEYS, max_size=3),
    st.builds(range, st.integers(-9, 9), st.integers(-9, 9)),
    st.builds(slice, st.integers(0, 3), st.none()),
)
CONTAINERS: list[Callable[[list[Any]], Any]] = [
    list,
    lambda items: dict(enumerate(items)),
    lambda items: {repr(item): item for item in items},
    deque,
    lambda items: OrderedDict(enumerate(items)),
    lambda items: defaultdict(list, enumerate(items)),
]


@st.composite
def tangles(draw: st.DrawFn) -> dict[str, object]:
    """Names bound to lists, dicts and their like, which hold each other in every way, themselves included."""
    parts = draw(st.lists(st.tuples(st.sampled_from(CONTAINERS), st.lists(SIMPLE, max_size=4)), min_size=1, max_size=5))
    things: list[Any] = [make(items) for make, items in parts]
    places = st.integers(0, len(things) - 1)
    for holder, held, wrapped in draw(st.lists(st.tuples(places, places, st.booleans()), max_size=6)):
        item = (things[held], 0) if wrapped else things[held]
        if type(things[holder]) is list:
            things[holder].append(item)
        elif type(things[holder]) is dict:
            things[holder][len(things[holder])] = item
        elif held < holder and isinstance(things[holder], deque):  # made in one go, so never part of a cycle
            things[holder].append(len(things[held]))
    sets = draw(st.lists(st.sets(KEYS, max_size=4), max_size=2))
    return {f"x{index}": thing for index, thing in enumerate([*things, *sets, *things[:1]])}


@settings(max_examples=150, deadline=None)
@given(tangles())
def test_a_frame_rebuilt_is_the_same_frame(scope: dict[str, object]) -> None:
    rows, heap = page_of(scope)
    assert page_of(rebuilt(rows, heap)) == (rows, heap)


@settings(max_examples=60, deadline=None)
@given(tangles())
def test_aliases_are_one_object_after_the_round_trip(scope: dict[str, object]) -> None:
    again = rebuilt(*page_of(scope))
    same = [(one, other) for one in scope for other in scope if scope[one] is scope[other]]
    assert all(again[one] is again[other] for one, other in same)


@settings(max_examples=60, deadline=None)
@given(tangles())
def test_every_reference_of_a_frame_is_in_its_heap_and_no_address_is_shown(scope: dict[str, object]) -> None:
    rows, heap = page_of(scope)
    texts = [text for _, text in (*rows, *heap)]
    assert {label for text in texts for label in references(text)} == {label for label, _ in heap}
    assert not any(re.search(r"\bat 0x[0-9a-f]{8}", text) for text in texts)


ITERATORS: dict[str, Callable[[], Iterator[Any]]] = {
    "list": lambda: iter([5, 6, 7, 8]),
    "list of lists": lambda: iter([[5], [6], [7]]),
    "tuple": lambda: iter((5, 6, 7, 8)),
    "str": lambda: iter("abcd"),
    "str beyond ASCII": lambda: iter("éäöü"),
    "bytes": lambda: iter(b"abcd"),
    "range": lambda: iter(range(3, 20, 4)),
    "range backwards": lambda: iter(range(9, 0, -2)),
    "dict": lambda: iter({"a": 1, "b": 2, "c": 3}),
    "dict keys": lambda: iter({"a": 1, "b": 2, "c": 3}.keys()),
    "dict values": lambda: iter({"a": 1, "b": 2, "c": 3}.values()),
    "dict items": lambda: iter({"a": 1, "b": [2], "c": 3}.items()),
    "set of ints": lambda: iter({1, 2, 3, 4}),
    "enumerate": lambda: iter(enumerate("abcd", 7)),
    "zip": lambda: iter(zip("abcd", [1, 2, 3], strict=False)),
    "zip of three": lambda: iter(zip("abcd", [1, 2, 3], range(9), strict=False)),
    "reversed list": lambda: reversed([5, 6, 7, 8]),
    "reversed tuple": lambda: reversed((5, 6, 7, 8)),
    "reversed str": lambda: reversed("abcd"),
    "map": lambda: map(str, [5, 6, 7, 8]),
    "map of a method": lambda: map(str.upper, "abcd"),
    "map over two": lambda: map(max, [1, 9, 3], [4, 5, 6]),
    "filter": lambda: filter(None, [0, 5, 0, 6, 7]),
    "enumerate of zip of reversed": lambda: enumerate(zip(reversed([1, 2, 3]), "abc", strict=False)),
}


@pytest.mark.parametrize("taken", [0, 1, 2, 99])
@pytest.mark.parametrize("kind", ITERATORS)
def test_an_iterator_in_mid_position_goes_on_alike_after_the_round_trip(kind: str, taken: int) -> None:
    iterator, witness = ITERATORS[kind](), ITERATORS[kind]()
    for _ in range(taken):
        next(iterator, None)
        next(witness, None)
    rows, heap = page_of({"it": iterator})
    again = rebuilt(rows, heap)
    assert page_of(again) == (rows, heap)
    assert list(again["it"]) == list(witness) == list(iterator)


@pytest.mark.parametrize("kind", ITERATORS)
def test_writing_an_iterator_down_does_not_move_it(kind: str) -> None:
    iterator, witness = ITERATORS[kind](), ITERATORS[kind]()
    page_of({"it": iterator})
    assert list(iterator) == list(witness)


@pytest.mark.parametrize(
    ("make", "change", "text"),
    [
        pytest.param(lambda: {"a": 1}, lambda d: d.update(b=2), "iter(keys(#2), changed)", id="dict grew"),
        pytest.param(lambda: {1, 2}, lambda s: s.add(3), "iter(#2, changed)", id="set grew"),
        pytest.param(lambda: [1, 2], lambda xs: xs.append(3), "iter(#2, 0)", id="a list may grow"),
    ],
)
def test_an_iterator_says_whether_its_source_changed_size(
    make: Callable[[], Any], change: Callable[[Any], None], text: str
) -> None:
    source = make()
    iterator = iter(source)
    change(source)
    _, heap = page_of({"it": iterator})
    assert dict(heap)[1] == text


class Own:
    def __init__(self) -> None:
        self.me = self


EXACT: list[tuple[object, str]] = [
    (True, "True"),
    (-0.0, "-0.0"),
    (float("inf"), "inf"),
    (1 + 2j, "(1+2j)"),
    ((), "()"),
    ((1,), "(1,)"),
    ((1, ("a", None)), "(1, ('a', None))"),
    (frozenset(), "frozenset()"),
    (frozenset({3, 1}), "frozenset({1, 3})"),
    (range(1, 9, 2), "range(1, 9, 2)"),
    (slice(1, None), "slice(1, None, None)"),
    (ValueError("no", 3), "ValueError('no', 3)"),
    (len, "len"),
    (str.upper, "str.upper"),
    (dict, "dict"),
    (Counter, "collections.Counter"),
    ("x".upper, "'x'.upper"),
]


@pytest.mark.parametrize(("value", "text"), EXACT, ids=[text for _, text in EXACT])
def test_immutable_values_are_written_where_they_stand_and_rebuilt(value: object, text: str) -> None:
    rows, heap = page_of({"x": value})
    assert (rows, heap) == ((("x", text),), ())
    assert page_of(rebuilt(rows, heap)) == (rows, heap)


CONTENTS: list[tuple[object, str]] = [
    ([1, "a"], "[1, 'a']"),
    ({"a": 1}, "{'a': 1}"),
    ({3, 1, 2}, "{1, 2, 3}"),
    ({1, "a"}, "'a', 1"),
    (set(), "set()"),
    (bytearray(b"ab"), "bytearray(b'ab')"),
    (deque([1, 2], 5), "deque([1, 2], 5)"),
    (Counter("aab"), "Counter({'a': 2, 'b': 1})"),
    (defaultdict(int, a=1), "defaultdict(int, {'a': 1})"),
    (OrderedDict(a=1), "OrderedDict({'a': 1})"),
    (types.CellType(4), "cell(4)"),
    (types.CellType(), "cell()"),
]


@pytest.mark.parametrize(("value", "text"), CONTENTS, ids=[text for _, text in CONTENTS])
def test_what_can_change_is_written_once_in_the_heap(value: object, text: str) -> None:
    rows, heap = page_of({"x": value, "y": value})
    assert rows == (("x", "#1"), ("y", "#1"))
    assert text in dict(heap)[1]
    assert page_of(rebuilt(rows, heap)) == (rows, heap)


def test_sets_of_sets_are_written_in_an_order_of_their_own() -> None:
    """Subset is no order: the text must not depend on how the set came about."""
    parts = [frozenset({number}) for number in range(6)]
    backwards = parts[::-1]
    assert page_of({"x": set(parts)}) == page_of({"x": set(backwards)})


def test_known_objects_keep_their_label_and_new_ones_take_the_smallest_unused() -> None:
    renderer = ObjectRenderer({}, FILENAME)
    a: list[int] = [1]
    b: list[int] = [2]
    assert renderer.render([{"a": a, "b": b}])[0][0] == (("a", "#1"), ("b", "#2"))
    c: list[int] = [3]
    assert renderer.render([{"a": c, "b": b}])[0][0] == (("a", "#3"), ("b", "#2")), "1 was in the frame before"
    d: list[int] = [4]
    assert renderer.render([{"a": c, "b": b, "d": d}])[0][0] == (("a", "#3"), ("b", "#2"), ("d", "#1"))


def test_a_renderer_goes_on_with_the_labels_of_a_frame_that_was_rebuilt() -> None:
    maker = ObjectBuilder({7: "[1]", 9: "[#7]"}, {}, {})
    values = {"a": maker.value("#9"), "b": maker.value("#7")}
    renderer = ObjectRenderer({}, FILENAME)
    renderer.adopt(maker.labels())
    assert renderer.render([values])[0][0] == (("a", "#9"), ("b", "#7"))


def test_an_object_of_the_program_that_holds_itself_is_rebuilt() -> None:
    namespace: dict[str, object] = {"Own": Own}
    renderer = ObjectRenderer(namespace, FILENAME)
    rows, _, heap = renderer.render([{"x": Own()}])
    assert heap == ((1, "Own(me=#1)"),)
    again: Any = ObjectBuilder(dict(heap), namespace, {}).value(rows[0][0][1])
    assert again.me is again


def generator() -> Iterator[int]:
    yield 1


UNSUPPORTED: list[tuple[object, str]] = [
    (generator(), "?generator"),
    (partial(generator), "?partial"),
    (partial(int, base=2), "?partial"),
    (memoryview(b"x"), "?memoryview"),
    (Own(), "?Own"),
    ("x" * (SIZE_LIMIT + 1), f"?str of {SIZE_LIMIT + 1} characters"),
    (tuple(range(SIZE_LIMIT + 1)), f"?tuple of {SIZE_LIMIT + 1} items"),
    (10**5000, "?int of more than 4300 digits"),
    ([].__len__, "?method-wrapper"),
    (lambda: 0, "?a lambda of another module"),
]


@pytest.mark.parametrize(("value", "text"), UNSUPPORTED, ids=[text for _, text in UNSUPPORTED])
def test_what_cannot_be_written_down_says_why(value: object, text: str) -> None:
    rows, heap = page_of({"x": value})
    assert rows == (("x", text),)
    assert not is_supported(text)
    with pytest.raises(Unsupported):
        rebuilt(rows, heap)


def test_a_strict_zip_is_not_taken_for_a_plain_one() -> None:
    _, heap = page_of({"it": zip([1], [2], strict=True)})
    assert "?strict zip" in dict(heap).values()


@pytest.mark.parametrize(
    ("text", "heap", "shown"),
    [
        ("#1", {1: "[#2, #2]", 2: "[5]"}, "[[5], [5]]"),
        ("#1", {1: "[#1]"}, "[...]"),
        ("('#1', #1)", {1: "{}"}, "('#1', {})"),
    ],
)
def test_a_value_is_expanded_as_repr_shows_it(text: str, heap: dict[int, str], shown: str) -> None:
    assert expanded(text, heap) == shown


@pytest.mark.parametrize(
    ("heap", "reason"),
    [
        pytest.param(
            {label: f"[#{label + 1}, #{label + 1}]" for label in range(1, 60)} | {60: "[0]"},
            "characters",
            id="doubling",
        ),
        pytest.param({label: f"[#{label + 1}]" for label in range(1, 5000)} | {5000: "[0]"}, "deep", id="deep"),
    ],
)
def test_a_value_that_explodes_when_expanded_says_so_and_ends(heap: dict[int, str], reason: str) -> None:
    shown = expanded("#1", heap)
    assert shown.startswith("?value")
    assert reason in shown


@pytest.mark.parametrize(
    "text",
    ["", "[", "#", "#99", "'abc", "1 2", "nobody", "range('a')", "zip(1)", "iter(3, 4)", "{[]: 1}", "g@3()", "Own(x=1)",
     "int(x=1)", "?", "reversed(3, 1)", "(1+", "deque(5)", "a.b", "1..", "x=1", "[1}", "\x00"],
)  # fmt: skip
def test_text_that_stands_for_nothing_is_unsupported_and_never_another_error(text: str) -> None:
    with pytest.raises(Unsupported):
        ObjectBuilder({}, {}, {}).value(text)


@pytest.mark.parametrize("view", ["keys", "items", "values"])
def test_an_iterator_that_goes_backwards_over_an_ordered_dict_has_a_text_of_its_own(view: str) -> None:
    """It is not that of an iterator that goes forwards."""
    iterator = reversed(getattr(OrderedDict(a=1, b=2), view)())
    assert f"reversed({view}(#2), 1)" in dict(page_of({"i": iterator})[1]).values()
