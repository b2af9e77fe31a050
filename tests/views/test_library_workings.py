"""Workings over decimals, fractions, moments and regular expressions: what they say, and that Python says the same."""

import re
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cwm_agent.views.scratchpad import match_steps
from cwm_agent.views.scratchpad.scratchpad import workings

NAMED = r"(?P<name>[a-z]\w*)|(?P<number>\d+)|(?P<sign>[=*+()])"
TOKENS = f"Pattern({NAMED!r}, 32)"
LOG = r"(\d{4}-\d{2}) (\w+) (.*)"


@pytest.mark.parametrize(
    ("statement", "values", "written"),
    [
        ("x = a - b", {"a": "Decimal('1.50')", "b": "Decimal('0.25')"}, "150-25=125; 2"),
        ("x = a + 2", {"a": "Decimal('1.5')"}, "15+20=35; 1"),
        ("x = a * b", {"a": "Decimal('8.95')", "b": "Decimal('-0.2')"}, "895*2=1790; 2+1=3"),
        ("x = a / b", {"a": "Decimal('0.06')", "b": "Decimal('0.04')"}, "6/4 1 2 . 20:5"),
        ("x = a / b", {"a": "Decimal('0.06')", "b": "Decimal('0.00')"}, None),
        ("x = a < b", {"a": "Decimal('1.5')", "b": "Decimal('1.25')"}, "150 125"),
        ("x = a.quantize(b)", {"a": "Decimal('13.2840')", "b": "Decimal('0.01')"}, "13.28|40"),
        ("x = a.quantize(b, rounding=c)", {"a": "Decimal('2.5')", "b": "Decimal('1')", "c": "'ROUND_UP'"}, "2|5"),
        ("x = round(a, 1)", {"a": "Decimal('2.55')"}, "2.5|5"),
        ("x = sum(a)", {"a": "[Decimal('0.34'), Decimal('0.3')]"}, "34+30=64; 2"),
        ("x = sum(a)", {"a": "values({'k: ': Decimal('1'), 'n': Decimal('2.5')})"}, "10+25=35; 1"),
        ("x = sum(a, b)", {"a": "[Fraction(1, 2)]", "b": "Fraction(0, 1)"}, "0/1+1/2=1/2"),
        (
            "x = sum(a)",
            {"a": "[Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]"},
            "1/2+1/3: 1*3=3 1*2=2 3+2=5/2*3=6; 6:1-5=1; 1 5/6 =5/6, "
            "5/6+1/6: 5*6=30 1*6=6 30+6=36/6*6=36; 36:1-36=0; 36 1/1 =1/1",
        ),
        (
            "x = a - b",
            {"a": "date(2020, 3, 1)", "b": "date(1990, 3, 1)"},
            "60+1=61 59+1=60 61-60=1; 2020-1990=30*365=10950+1=10951; 1992..2016 24/4+1 +7=10958",
        ),
        (
            "x = a.weekday()",
            {"a": "date(2024, 5, 1)"},
            "2023/4=505 /100=20 /400=5 2023+505-20+5=2513; 121+1=122-1=121+2513=2634 26:3 53:7 44:6 2",
        ),
        (
            "x = a - b",
            {"a": "datetime(2024, 5, 1, 17, 0)", "b": "datetime(2024, 5, 1, 8, 30)"},
            "0; 17*60+0=1020*60=61200 8*60+30=510*60=30600 61200-30600(0-0=0 0-0=0 12-6=6 1-1=0 6-3=3)=30600",
        ),
        ("x = str(a)", {"a": "timedelta(0, 60300)"}, "16*3600=57600 60300-57600=2700 45*60=2700 2700-2700=0"),
        ("x = a.total_seconds()", {"a": "timedelta(2, 60)"}, "2*86400=172800+60=172860"),
        ("x = timedelta(hours=a)", {"a": "30"}, "30*3600=108000 1*86400=86400 108000-86400=21600"),
        ("x = timedelta(hours=a)", {"a": "-36"}, "-36*3600=-129600 -2*86400=-172800 -129600+172800=43200"),
        (
            "x = a.ctime()",
            {"a": "datetime(2024, 5, 1, 17, 0)"},
            "2023/4=505 /100=20 /400=5 2023+505-20+5=2513; 121+1=122-1=121+2513=2634 26:3 53:7 44:6 2",
        ),
        ("x = a.strftime('%d.%m.')", {"a": "date(2024, 5, 1)"}, None),
        (
            "x = a.isocalendar()",
            {"a": "date(2021, 1, 2)"},
            "2020/4=505 /100=20 /400=5 2020+505-20+5=2510; 0+2=2-1=1+2510=2511 25:3 41:5 61:8 5; "
            "2-2=0+366=366 365 36:5 15:2 1 52+1=53",
        ),
        ("x = functools.reduce(operator.add, a)", {"a": "[5, 2, 7, 5]"}, "5+2=7+7=14+5=19"),
        ("x = reduce(b, a, 2)", {"a": "[5, 2, 7]", "b": "_operator.mul"}, "10 20 140"),
        ("x = reduce(b, a)", {"a": "[5, 2, 7]", "b": "max"}, None),
        ("x = Counter(a)", {"a": "['b', 'a', 'b', 'c', 'b']"}, "'b':1 'a':1 'b':2 'c':1 'b':3"),
        ("x = Counter(a)", {"a": "['b', 'a']"}, None),
        ("x = a.istitle()", {"a": "'The AnT Hill'"}, "The AnT!"),
        ("x = a.istitle()", {"a": "'The Ant 4Ever'"}, "The Ant 4Ever"),
        ("x = a.translate(b)", {"a": "'Ab'", "b": "{65: 70, 99: None}"}, "A65:70F b98:!"),
        ("x = a.count(b)", {"a": "['a', 'b', 'a', 'c', 'a']", "b": "'a'"}, "1 1 2 2 3"),
        ("x = a.count(b)", {"a": "'xabyabzz'", "b": "'ab'"}, "xab:1 yab:2 zz"),
        ("x = a.count('q')", {"a": "'no such letter'"}, "no such letter"),
        ("x = a.count(b)", {"a": "'odd'", "b": "'o'"}, None),
        ("x = a.count(b)", {"a": "'long enough'", "b": "''"}, None),
        ("x = a.count(b)", {"a": "'two\\nlines of text'", "b": "'t'"}, None),
        ("x = a.replace(b, c)", {"a": "'78787840678'", "b": "'78'", "c": "'8'"}, "<78><78><78>406<78>"),
        ("x = a.replace('ab', c, 1)", {"a": "'xabyabzz'", "c": "''"}, "x<ab>yabzz"),
        ("x = a.replace('q', c)", {"a": "'none of it'", "c": "'u'"}, "none of it"),
        ("x = a.replace(b, '')", {"a": "'<b>bold</b>'", "b": "'<b>'"}, "{<b>}bold</b>"),
        ("x = a.replace(b, '')", {"a": "'<{[(all)]}>'", "b": "'a'"}, None),
        ("x = a.count(b, 2, -2)", {"a": "'banana bandana'", "b": "'an'"}, "nan:1 a ban:2 da"),
        ("x = a.rindex(b, 0, 9)", {"a": "'pre/here/car'", "b": "'/'"}, "3 8; 3 8"),
        ("x = a.rindex(b, 0, 8)", {"a": "'pre/here/car'", "b": "'/'"}, "3 8; 3"),
        ("x = a.find('e', 8)", {"a": "'pre/here/car'"}, "2 5 7; -"),
        ("x = a.rsplit(b, 2)", {"a": "'lake/kayak/trunk/kiwi'", "b": "'/'"}, "kiwi|trunk|lake/kayak"),
        ("x = a.rsplit(b, -1)", {"a": "'lake/kayak'", "b": "'/'"}, None),
        ("x = sorted(a, key=b.rindex)", {"a": "{'a', 'b'}", "b": "'abca'"}, "'a':3 'b':1; 1:'b' 3:'a'"),
        ("x = max(a, key=b.count)", {"a": "[1, 2]", "b": "[2, 2]"}, "1:0 2:2; 0 2"),
        ("x = a[b:c]", {"a": "'even steven eats eel'", "b": "-12", "c": "-3"}, "20-12=8 20-3=17 8:17"),
        ("x = a[b:]", {"a": "'even steven eats eel'", "b": "-3"}, None),
        ("x = a[2:50]", {"a": "'even steven'"}, "2:11"),
        ("x = a[-50:5]", {"a": "'even steven'"}, "11-50=-39 0:5"),
        ("del a[-2:]", {"a": "[4, 6, 6]"}, "1:3"),
        ("del a[b::3]", {"a": "[35, 89, 14, 107]", "b": "0"}, "0:35 3:107"),
        ("del a[5:]", {"a": "[35, 89]"}, None),
        ("x = a.replace(b, c)", {"a": "'long enough'", "b": "''", "c": "'-'"}, None),
        ("x = a.replace(year=b)", {"a": "date(2024, 1, 31)", "b": "2023"}, None),
        ("x = a.replace(b, c)", {"a": "'long enough'", "b": "3", "c": "'-'"}, None),
        ("x = math.hypot(a, 24)", {"a": "-7"}, "49+576=625 20:400 30:900 25:625 26:676"),
        ("x = re.fullmatch('[a-z][0-9]{2,7}', a)", {"a": "'x1'"}, "[a-z]>x:1 [0-9]{2,7}!"),
        ("x = a.search(b, 2)", {"a": TOKENS, "b": "'x1 = 3'"}, "x1:2 .. :3 [a-z]! \\d+! (?P<sign>[=*+()]>=:4)"),
        ("x = a(b, c)", {"a": "re.search", "b": "'cat|dog'", "c": "'a dog'"}, "..a :2 cat! dog>dog:5"),
        ("x = re.search('a[0-9]', a)", {"a": "'cab'"}, "..c:1 a>a:2 [0-9]! ..ab:3 $!"),
        ("x = re.search('a[0-9]', a)", {"a": "'caba5'"}, "..c:1 a>a:2 [0-9]! ..ab:3 a>a:4 [0-9]>5:5"),
        ("x = re.search('\\\\d', a)", {"a": "'none'"}, "..none:4 $!"),
        ("x = re.sub('\\\\D', '', a)", {"a": "'mid99'"}, "<m><i><d>99"),
        ("x = a.split(b)", {"a": "Pattern('[-_]', 32)", "b": "'long-name_x'"}, "long<->name<_>x"),
        ("x = a.split(b)", {"a": "'long-name'", "b": "'-'"}, None),
        (
            "x = a.groups()",
            {"a": f"Match(Pattern({LOG!r}, 32), '2024-03 ERROR disk full', 0, 23)"},
            "(\\d{4}>2024:4 ->-:5 \\d{2}>03:7)  > :8 (\\w+>ERROR:13)  > :14 (.*>disk :19full:23)",
        ),
        ("x = re.match('(\\\\w)\\\\1', a)", {"a": "'aa'"}, None),
        ("x = re.match('(', a)", {"a": "'aa'"}, None),
        ("x = a.match(b)", {"a": f"Pattern({LOG!r}, 32)", "b": "'2024-3'"}, "(\\d{4}>2024:4 ->-:5 \\d{2}!"),
        ("x = re.match('(?:a|b)(c|d)e', a)", {"a": "'bdf'"}, "(?:a! b>b:1) (c! d>d:2) e!"),
    ],
)
def test_workings_over_library_values(statement: str, values: dict[str, str], written: str | None) -> None:
    assert workings(statement, values, lambda text: text) == written


def test_results_of_the_steps_are_pythons() -> None:
    """The numbers in the table above, computed by Python."""
    assert (date(2020, 3, 1) - date(1990, 3, 1)).days == 10958
    assert date(2024, 5, 1).weekday() == 2
    assert datetime(2024, 5, 1, 17) - datetime(2024, 5, 1, 8, 30) == timedelta(0, 30600)
    assert str(timedelta(0, 60300)) == "16:45:00"


AMOUNTS = st.decimals(-999, 999, places=2) | st.decimals(0, 9, places=3) | st.integers(-99, 99).map(Decimal)


@settings(max_examples=200, deadline=None)
@given(AMOUNTS, AMOUNTS, st.sampled_from("+-*"))
def test_workings_of_decimals_end_in_the_digits_and_places_of_the_result(a: Decimal, b: Decimal, sign: str) -> None:
    written = workings(f"x = a {sign} b", {"a": repr(a), "b": repr(b)}, lambda text: text)
    assume(written is not None)  # a product of many digits may need more than an answer holds
    assert written is not None
    work, _, last = written.rpartition("; ")
    digits, places = re.split("[= ]", work)[-1], last.rpartition("=")[2]
    result = {"+": a + b, "-": a - b, "*": a * b}[sign]
    assert abs(int(digits)) == abs(int(result.scaleb(int(places))))
    assert int(places) == -int(result.as_tuple().exponent)


@settings(max_examples=200, deadline=None)
@given(st.dates(date(1950, 1, 1), date(2060, 1, 1)), st.dates(date(1950, 1, 1), date(2060, 1, 1)))
def test_workings_of_days_end_in_their_number(a: date, b: date) -> None:
    written = workings("x = a - b", {"a": repr(a)[9:], "b": repr(b)[9:]}, lambda text: text)
    assert written is not None
    assert int(written.rpartition("=")[2]) == (a - b).days


@settings(max_examples=200, deadline=None)
@given(st.dates(date(1950, 1, 1), date(2060, 1, 1)))
def test_workings_of_a_week_end_in_its_number(a: date) -> None:
    written = workings("x = a.isocalendar()", {"a": repr(a)[9:]}, lambda text: text)
    assert written is not None
    assert int(written.rpartition("=")[2]) == a.isocalendar().week


MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2030, 1, 1)).map(lambda found: found.replace(microsecond=0))


@settings(max_examples=200, deadline=None)
@given(MOMENTS, MOMENTS)
def test_workings_of_moments_hold_the_seconds(a: datetime, b: datetime) -> None:
    written = workings("x = a - b", {"a": repr(a)[9:], "b": repr(b)[9:]}, lambda text: text)
    assert written is None or f"={(a - b).seconds}" in written


PIECES = st.sampled_from(
    [r"\d+", r"\w*", "[a-c]{1,2}", "(a|b)", r"(?P<n>\d)?", "(?:ab)+", "x", r"\.", "b|c", "^", "$", " "]
)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(PIECES, min_size=1, max_size=4, unique=True).map("".join),
    st.text("abc1.x ", max_size=30),
    st.sampled_from(["match", "search", "fullmatch"]),
)
def test_the_parts_of_a_match_end_where_the_match_ends(pattern: str, text: str, method: str) -> None:
    found = getattr(re, method)(pattern, text)
    written = match_steps.one_match(method, pattern, 32, text)
    assert written is not None
    assert (found is None) == written.endswith("!")
    if found is not None:
        assert int(re.split(r"[:)]+", written.rstrip(")"))[-1]) == found.end()
    marked = match_steps.all_matches(pattern, 32, text)
    assert marked is not None
    assert re.sub("[<>()]", "", marked) == text
    assert marked.count("<") == len(list(re.finditer(pattern, text)))
