"""Runs, windows and workings: texts both ways, and that they say what Python says."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cwm_agent.views import longhand, repeats
from cwm_agent.views.windows import asked_place, window
from cwm_agent.views.workings import workings

ITEMS = st.one_of(
    st.integers(-99, 99), st.booleans(), st.none(), st.sampled_from(["", "a", "#", " ", "it's", "\n", "é"])
)
VALUES = st.one_of(
    st.builds(lambda item, count: [item] * count, ITEMS, st.integers(0, 60)),
    st.lists(ITEMS, max_size=30),
    st.builds(lambda item, count: item * count, st.sampled_from("a'\"\\\n#* é"), st.integers(0, 60)),
    st.text(max_size=30),
    st.binary(max_size=30),
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("v0=[" + ", ".join(["0"] * 100) + "]", "v0=[0]*100"),
        ("v0=[" + ", ".join(["None"] * 10) + "]", "v0=[None]*10"),
        ("v0=[" + ", ".join(["0"] * 9) + "]", None),
        ("v0=[" + ", ".join(["0"] * 30) + ", 1]", None),
        ("v0='" + "a" * 40 + "'", "v0='a'*40"),
        ("v0=b'" + "a" * 40 + "'", None),
        ("v0={'k': [" + ", ".join(["True"] * 12) + "]}", "v0={'k': [True]*12}"),
        ("v0=..+'" + "-" * 25 + "'", "v0=..+'-'*25"),
        ("v0='[0]*3'", None),
    ],
)
def test_a_run_is_said_short_and_nothing_else_is(text: str, said: str | None) -> None:
    assert repeats.said(text) == (said or text)
    assert repeats.whole(said or text) == text


@settings(max_examples=300, deadline=None)
@given(st.recursive(VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner)))
def test_runs_written_out_again_are_the_value(value: object) -> None:
    assert repeats.whole(repeats.said(repr(value))) == repr(value)


def test_a_run_beyond_all_measure_is_refused() -> None:
    with pytest.raises(repeats.TooLong):
        repeats.whole("v0=[0]*999999")


TABLE = str(list(range(100, 137)))


@pytest.mark.parametrize(
    ("text", "place", "seen"),
    [
        (TABLE, 3, "[100, 101, 102, 103, 104, 105, 106, 107, 108, 109, \t37\t]"),
        (TABLE, 15, "[\t10\t110, 111, 112, 113, 114, 115, 116, 117, 118, 119, \t37\t]"),
        (TABLE, 36, "[\t30\t130, 131, 132, 133, 134, 135, 136]"),
        (TABLE, 500, "[\t30\t130, 131, 132, 133, 134, 135, 136]"),
        (TABLE, -1, "[\t-10\t127, 128, 129, 130, 131, 132, 133, 134, 135, 136]"),
        (TABLE, -12, "[\t-20\t117, 118, 119, 120, 121, 122, 123, 124, 125, 126, \t-10\t]"),
        (TABLE, -99, "[\t-37\t100, 101, 102, 103, 104, 105, 106, \t-30\t]"),
        ("'abcdefghijklmnopqrstu\\nwx'", 21, "'\t20\tu\\nwx'"),
        ("[1, 2, 3]", 1, None),
        ("'abcdefghijklmnopqrstuvwxyz'.find", 1, None),
        ("[" + ", ".join(f"#{n}" for n in range(1, 40)) + "]", 1, None),
        ("{'a': 1, 'b': 2, 'c': 3, 'd': 4}", 1, None),
    ],
)
def test_a_window_shows_the_ten_places_around_one(text: str, place: int, seen: str | None) -> None:
    assert window(text, place) == seen


@pytest.mark.parametrize(
    ("statement", "asked"),
    [
        ("x = xs[i]", ("xs", 7)),
        ("x = xs[-2]", ("xs", -2)),
        ("xs[i] = y", ("xs", 7)),
        ("xs[i] += y", ("xs", 7)),
        ("del xs[3]", ("xs", 3)),
        ("x = xs[i:]", None),
        ("x = xs[s]", None),
        ("x = xs.pop(i)", None),
    ],
)
def test_a_line_that_asks_for_one_place_is_known_by_its_form(statement: str, asked: tuple[str, int] | None) -> None:
    assert asked_place(statement, {"i": "7", "s": "'k'", "xs": "#1"}) == asked


@pytest.mark.parametrize(
    ("statement", "values", "written"),
    [
        ("x = sum(xs)", {"xs": "[8, -14, 7]"}, "8-14=-6+7=1"),
        ("x = sum(xs, 5)", {"xs": "[8, -14]"}, "5+8=13-14=-1"),
        ("x = max(xs)", {"xs": "[3, 5, 4, 9]"}, "3 5 9"),
        ("x = min(xs)", {"xs": "[3, 5, 4, 1]"}, "3 1"),
        ("x = max(xs, key=len)", {"xs": "['ab', 'c']"}, "2 1"),
        ("x = sorted(d, key=d.get)", {"d": "{'a': 3, 'b': 1}"}, "3 1"),
        ("x = sorted(xs)", {"xs": "[4, 3, 2, 1]"}, "[3, 4][1, 2]"),
        ("x = xs.sort(reverse=True)", {"xs": "[1, 2, 3, 4]"}, "[2, 1][4, 3]"),
        ("x = a * b", {"a": "34", "b": "27"}, "238 680 918"),
        ("x = a * b", {"a": "6", "b": "6666"}, "36 39 39 39"),
        ("x = a // b", {"a": "426", "b": "4"}, "4:1 2:0 26:6 2"),
        ("x = a // b", {"a": "5", "b": "1000"}, None),
        ("x = a / b", {"a": "339", "b": "12"}, "33:2 99:8 3 . 30:2 60:5"),
        ("x = a / b", {"a": "24", "b": "72"}, ". 240:3 .."),
        ("x = a ** 4", {"a": "3"}, "9 27 81"),
        ("x = a ^ b", {"a": "12", "b": "10"}, "1100 1010 0110"),
        ("x = a << 3", {"a": "5"}, "10 20 40"),
        ("x = int(s, 2)", {"s": "'101'"}, "1 2 5"),
        ("x = a + b", {"a": "1", "b": "2"}, None),
    ],
)
def test_workings_are_written_as_on_paper(statement: str, values: dict[str, str], written: str | None) -> None:
    assert workings(statement, values, lambda text: text) == written


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 10**5))
def test_written_division_gives_the_digits_and_the_rest(a: int, b: int) -> None:
    written = longhand.arithmetic(a, "//", b)
    if written is not None:
        *digits, rest = written.split()
        assert int("".join(part.partition(":")[2] for part in digits)) == a // b
        assert int(rest) == a % b


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6), st.integers(10, 10**6))
def test_written_products_end_in_the_product(a: int, b: int) -> None:
    written = longhand.arithmetic(a, "*", b)
    if written is not None and min(a, b) > 9:
        assert int(written.split()[-1]) == a * b
