"""Runs, windows and workings: texts both ways, and that they say what Python says."""

import re
from datetime import date, timedelta
from math import gcd, isqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cwm_agent.views.local import repeated_items
from cwm_agent.views.local.value_windows import asked_place, window
from cwm_agent.views.scratchpad.arithmetic import column_arithmetic, date_arithmetic, divisor_steps, long_arithmetic
from cwm_agent.views.scratchpad.scratchpad import workings

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
    assert repeated_items.shortened(text) == (said or text)
    assert repeated_items.whole(said or text) == text


@settings(max_examples=300, deadline=None)
@given(st.recursive(VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner)))
def test_runs_written_out_again_are_the_value(value: object) -> None:
    assert repeated_items.whole(repeated_items.shortened(repr(value))) == repr(value)


def test_a_run_beyond_all_measure_is_refused() -> None:
    with pytest.raises(repeated_items.TooLong):
        repeated_items.whole("v0=[0]*999999")


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
        ("x = max(xs, key=len)", {"xs": "['ab', 'c', 'abc']"}, "'ab':2 'c':1 'abc':3; 2 3"),
        ("x = sorted(d, key=d.get)", {"d": "{'a': 3, 'b': 1}"}, "'a':3 'b':1; 1:'b' 3:'a'"),
        ("x = sum(xs)", {"xs": "values({'a': 8, 'b': 4, 'c': 7})"}, "8+4=12+7=19"),
        (
            "x = sum(xs)",
            {"xs": "[14.6, 15.3]"},
            "146+153=299;49 6*6=36:6 .2;49 3*6=18:8 -.4;48 9*8=72:2 .4;.4-.1+.2=.5:0;=",
        ),
        ("x = sum(xs)", {"xs": "[6, 1287, 1716]"}, "6+1287=1293+1716(3+6=9 9+1=10 2+8=10 1+2=3)=3009"),
        ("x = sorted(s)", {"s": "'river'"}, "ir|ev|r eirv|r"),
        (
            "x = sorted(xs)",
            {"xs": "[(2, 'b'), (1, 'z'), (1, 'a'), (0, 'c')]"},
            "[(1, 'z'), (2, 'b')][(0, 'c'), (1, 'a')]",
        ),
        ("x = sorted(xs)", {"xs": "[(2, 'b'), (1, 'z'), (1, 3), (0, 'c')]"}, None),
        ("x = set(xs)", {"xs": "[3, 1, 2, 1, 2, 2]"}, "[1, 3][1, 2][2] [1, 2, 3][2]"),
        ("x = a < b", {"a": "'hear'", "b": "'hekar'"}, "he|a|k"),
        ("x = a < b", {"a": "'ab'", "b": "'abc'"}, "ab||c"),
        ("x = a < 'b'", {"a": "'a'"}, None),
        ("x = a > b", {"a": "[1, 10]", "b": "[1, 2]"}, "1|10|2"),
        ("x = iter(r)", {"r": "range(49, 100, 7)"}, "51/7 8*7=56"),
        ("x = iter(r)", {"r": "range(121, 100, 11)"}, None),
        ("x = round(a, 1)", {"a": "22.99"}, "22.9|9"),
        ("x = round(a, 2)", {"a": "22.99"}, None),
        ("x = oct(a)", {"a": "88"}, "88 44 22:0 11 5 2:3 1:1"),
        ("x = a + b", {"a": "1287", "b": "1716"}, "7+6=13 8+2=10 2+8=10 1+2=3"),
        ("x -= a", {"x": "40370", "a": "71"}, "10-1=9 17-8=9 3-1=2 40"),
        ("x = a - b", {"a": "81050", "b": "419550"}, "0-0=0 5-5=0 5-0=5 9-1=8 11-8=3 4-1=3"),
        ("x = a + b", {"a": "1287", "b": "7"}, None),
        (
            "x = a + b",
            {"a": "14.6", "b": "-15.3"},
            "146-153=-7;49 6*6=36:6 .2;49 3*6=18:8 -.4;53 7*6=42:2 .4;.4+3.2+6.4=10:10;9.6*1.110e-16=1.07e-15 0.70000000000000107",
        ),
        ("x = a / 4", {"a": "54.6"}, ".1 546/4 5:1 14:3 26:6 2 . 20:5"),
        ("x = a * 0.5", {"a": "4"}, ".1 4*5=20"),
        ("x = a * b", {"a": "367", "b": "36"}, "42 40 22=2202; 21 20 11=1101 1+0=1 0+2=2 1+2=3 1=13212"),
        ("x = a % b", {"a": "339", "b": "29"}, "33:1-29=4 49:1-29=20 20"),
        ("x = sorted(xs)", {"xs": "[4, 3, 2, 1]"}, "[3, 4][1, 2]"),
        ("x = xs.sort(reverse=True)", {"xs": "[1, 2, 3, 4]"}, "[2, 1][4, 3]"),
        ("x = a * b", {"a": "34", "b": "27"}, "238 680 918"),
        ("x = a * b", {"a": "6", "b": "6666"}, "36 39 39 39"),
        ("x = a // b", {"a": "426", "b": "4"}, "4:1 2:0 26:6 2"),
        ("x = a // b", {"a": "5", "b": "1000"}, None),
        ("x = a / b", {"a": "339", "b": "12"}, "33:2 99:8 3 . 30:2 60:5"),
        (
            "x = a / b",
            {"a": "24", "b": "72"},
            "24/72 2:12/36 2:6/18 2:3/9 3:1/3 . 10:3 ..;54 1*4=4:4 1.333;-.333*5.551e-17=-1.85e-17 0.3333333333333333148",
        ),
        ("x = a ** 4", {"a": "3"}, "9 27 81"),
        ("x = a ^ b", {"a": "12", "b": "10"}, "1100 1010 0110"),
        ("x = a << 3", {"a": "5"}, "10 20 40"),
        ("x = int(s, 2)", {"s": "'101'"}, "1 2 5"),
        ("x = a + b", {"a": "1", "b": "2"}, None),
        ("x = int(s, 16)", {"s": "'1f4'"}, "1 16+15=31 496+4=500"),
        ("x = hex(a)", {"a": "43"}, "43:11; 2:2"),
        ("x = hex(a)", {"a": "1071"}, "1071 107:6-96=11 111:6-96=15 15; 66:2; 4:4"),
        ("x = f'{a:02x}'", {"a": "43"}, "43:11; 2:2"),
        ("x = format(a, 'X')", {"a": "43"}, "43:11; 2:2"),
        ("x = '%x' % a", {"a": "7"}, None),
        ("x = math.gcd(a, b)", {"a": "462", "b": "1071"}, "1071:2-924=147 462:3-441=21 147:7-147=0"),
        ("x = gcd(a, b)", {"a": "7", "b": "-3"}, "7:2-6=1"),
        ("x = gcd(a, b)", {"a": "1000", "b": "7"}, "1000(10:1 30:4 20:2 6)=6 7:1-6=1"),
        ("x = gcd(a, 0)", {"a": "7"}, None),
        ("x = lcm(a, b)", {"a": "12", "b": "18"}, "18:1-12=6 12:2-12=0; 12/6=2*18=36"),
        ("x = isqrt(a)", {"a": "1369"}, "30:900 40:1600 37:1369 38:1444"),
        ("x = a // b", {"a": "12.5", "b": "0.5"}, "125//5 12:2 25:5 0"),
        ("x = a // b", {"a": "1.0", "b": "0.1"}, None),
        ("x = a // b", {"a": "-1.5", "b": "0.5"}, None),
        ("x = math.radians(a)", {"a": "100"}, None),
        ("x = round(a, 2)", {"a": "Fraction(26, 9)"}, "2 8 . 80:8 .. 289/100"),
        ("x = math.sqrt(a)", {"a": "49"}, None),
        ("x = math.sqrt(a)", {"a": "12.25"}, "30:900 40:1600 35:1225 36:1296"),
        ("x = bisect.bisect_left(a, b)", {"a": "[2, 3, 5, 5, 8]", "b": "5"}, "1:2 2:3 5"),
        ("x = bisect_right(a, 5)", {"a": "[2, 3, 5, 5, 8]"}, "1:2 2:3 3:5 4:5 8"),
        ("x = bisect(a, 9)", {"a": "[2, 3, 5, 8, 5]"}, None),
        ("x = Fraction(a, b)", {"a": "12", "b": "-18"}, "18:1-12=6 12:2-12=0; 6 -2/3"),
        (
            "x = a + b",
            {"a": "Fraction(1, 6)", "b": "Fraction(1, 4)"},
            "1*4=4 1*6=6 4+6=10/6*4=24; 24:2-20=4 10:2-8=2 4:2-4=0; 2 5/12",
        ),
        ("x -= 1", {"x": "Fraction(1, 2)"}, "1*1=1 1*2=2 1-2=-1/2*1=2"),
        ("x = a * b", {"a": "Fraction(-2, 3)", "b": "Fraction(3, 8)"}, "-2*3=6/3*8=24; 24:4-24=0; 6 -1/4"),
        ("x = a / b", {"a": "Fraction(1, 2)", "b": "Fraction(-3, 4)"}, "-1*4=4/2*3=6; 6:1-4=2 4:2-4=0; 2 -2/3"),
        ("x = a / b", {"a": "Fraction(1, 2)", "b": "0"}, None),
        ("x = a < b", {"a": "Fraction(1, 3)", "b": "Fraction(1, 4)"}, "1*4=4 1*3=3"),
        (
            "x = a - b",
            {"a": "date(2024, 3, 5)", "b": "date(2023, 12, 25)"},
            "60+5=65 334+25=359 65-359=-294; 2024-2023=1*365=365-294=71",
        ),
        ("x = a - b", {"a": "date(2024, 3, 5)", "b": "date(2024, 2, 5)"}, "60+5=65 31+5=36 65-36=29"),
        (
            "x = a - b",
            {"a": "date(2024, 3, 1)", "b": "date(2025, 3, 1)"},
            "60+1=61 59+1=60 61-60=1; 2024-2025=-1*365=-365+1=-364; 2024 -1=-365",
        ),
        ("x = a + b", {"a": "date(2024, 1, 31)", "b": "timedelta(40)"}, "31+40=71 1:71-31=40 2024.2:40-29=11 3"),
        ("x = a - b", {"a": "date(2024, 3, 5)", "b": "timedelta(10)"}, "5-10=-5 2024.2:-5+29=24"),
        ("x = a + b", {"a": "date(2024, 1, 31)", "b": "timedelta(1, 5)"}, None),
    ],
)
def test_workings_are_written_as_on_paper(statement: str, values: dict[str, str], written: str | None) -> None:
    assert workings(statement, values, lambda text: text) == written


@settings(max_examples=200, deadline=None)
@given(st.dates(date(1990, 1, 1), date(2029, 1, 1)), st.dates(date(1990, 1, 1), date(2029, 1, 1)))
def test_a_written_difference_of_dates_ends_in_its_days(a: date, b: date) -> None:
    written = date_arithmetic.arithmetic(repr(a).removeprefix("datetime."), "-", repr(b).removeprefix("datetime."))
    assert written is not None
    assert int(written.rpartition("=")[2]) == (a - b).days


@settings(max_examples=200, deadline=None)
@given(st.dates(date(1990, 1, 1), date(2029, 1, 1)), st.integers(-400, 400))
def test_a_date_moved_by_days_is_written_with_its_day_and_month(a: date, days: int) -> None:
    written = date_arithmetic.arithmetic(f"date({a.year}, {a.month}, {a.day})", "+", f"timedelta({days})")
    moved = a + timedelta(days)
    assert written is not None
    steps = written.split()
    assert str(moved.day) in (steps[-1].rpartition("=")[2], steps[-2 if len(steps) > 1 else -1].rpartition("=")[2])
    month = f"{moved.year}.2" if moved.month == 2 else str(moved.month)
    assert len(steps) == 1 or steps[-1] == str(moved.month) or steps[-1].partition(":")[0] == month


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 10**6), st.integers(2, 10**6))
def test_the_steps_of_a_divisor_end_in_it(a: int, b: int) -> None:
    written = divisor_steps.divisor(a, b)
    if written is not None:
        rests = [int(step.rpartition("=")[2]) for step in re.sub(r"\(.*?\)", "", written).split()]
        assert gcd(a, b) == (rests[-1] or [min(a, b), *rests][-2])


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**7))
def test_a_written_root_is_between_two_squares(number: int) -> None:
    written = divisor_steps.root(number)
    if written is not None:
        found, following = (step.split(":") for step in written.split()[-2:])
        assert int(found[0]) == isqrt(number) == int(following[0]) - 1
        assert int(found[1]) <= number < int(following[1])


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 10**5))
def test_written_division_gives_the_digits_and_the_rest(a: int, b: int) -> None:
    written = long_arithmetic.arithmetic(a, "//", b)
    if written is not None:
        *digits, rest = written.split()
        assert int("".join(part.partition(":")[2].partition("-")[0] for part in digits)) == a // b
        assert int(rest) == a % b


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6), st.integers(10, 10**6))
def test_written_products_end_in_the_product(a: int, b: int) -> None:
    written = long_arithmetic.arithmetic(a, "*", b)
    short, long = sorted((len(str(a)), len(str(b))))
    if written is not None and min(a, b) > 9 and (long < 3 or short * long <= 25):  # longer ones end in a row
        assert int(re.split("[ =]", written)[-1]) == a * b


@settings(max_examples=300, deadline=None)
@given(st.integers(-(10**9), 10**9), st.integers(-(10**6), 10**6))
def test_the_columns_of_a_sum_hold_its_digits(a: int, b: int) -> None:
    written = column_arithmetic.summed(a, b)
    if written is not None:
        *cells, last = (cell.rpartition("=")[2] for cell in written.split())
        assert int(last + "".join(cell[-1] for cell in reversed(cells))) == abs(a + b)


LINES = (
    "x = a + b", "x -= a", "x = a * b", "x = a / b", "x = a % b", "x = a ** b", "x = a < b", "x[a] += b", "x = sum(a)",
    "x = max(a)", "x = sorted(a)", "x = set(a)", "x = sorted(a, key=len)", "x = max(a, key=a.get)", "x = round(a, b)",
    "x = iter(a)", "x = oct(a)", "x = int(a, 2)", "x = divmod(a, b)", "x = int(a, b)", "x = bin(a)", "x = a.bit_count()",
    "x = statistics.stdev(a)", "x = statistics.pvariance(a)", "x = math.fsum(a)", "x = float(a)", "x = abs(a)",
    "x = pow(a, b)", "x = round(a, -2)", "x = f'{a:g}'", "x = f'{a:+,.2f}'", "x = format(a, b)", "x = f'{a:o}'",
    "x = gcd(a, b)", "x = math.lcm(a, b)", "x = isqrt(a)", "x = hex(a)", "x = int(a, 16)", "x = Fraction(a, b)",
)  # fmt: skip
OPERANDS = st.one_of(
    st.integers(),
    st.floats(),
    st.fractions(),
    st.decimals(),
    st.complex_numbers(max_magnitude=99),
    st.integers(-9, 9).map(lambda part: complex(part, 2)),
    st.booleans(),
    st.text(max_size=30),
    st.builds(range, st.integers(-99, 999), st.integers(-99, 999), st.integers(1, 60)),
    st.lists(ITEMS, max_size=30),
    st.lists(st.floats(0, 99), max_size=6).map(lambda found: [round(each, 2) for each in found]),
    st.lists(st.tuples(ITEMS, ITEMS), max_size=8),
    st.dictionaries(st.text(max_size=3), st.integers() | st.floats(), max_size=6),
)


@settings(max_examples=600, deadline=None)
@given(st.sampled_from(LINES), OPERANDS, OPERANDS, OPERANDS)
def test_workings_of_anything_are_one_short_row_or_none(statement: str, a: object, b: object, x: object) -> None:
    written = workings(statement, {"a": repr(a), "b": repr(b), "x": repr(x)}, lambda text: text)
    assert written is None or ("\n" not in written and len(written) <= 440)
