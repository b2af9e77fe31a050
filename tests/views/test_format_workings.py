"""Workings of formats, slices with steps, bits and iterations: what they say, and that Python says the same."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cwm_agent.views.scratchpad.scratchpad import workings

HEAP = {
    "#1": "map(len, #2)",
    "#2": "iter(#3, 1)",
    "#3": "['ab', 'c', 'def', 'gg']",
    "#4": "deque([12, 15, 11], 3)",
    "#5": "Counter({'m': 1, 'i': 5, 's': 5})",
    "#6": "islice((#7, 0, 3, 1), 0)",
    "#7": "iter(#8, 1)",
    "#8": "[9, 4, 6, 5, 1]",
}


def work(statement: str, values: dict[str, str]) -> str | None:
    return workings(statement, values, lambda text: HEAP.get(text, text))


@pytest.mark.parametrize(
    ("statement", "values", "written"),
    [
        ("x = f'{a}. {b:.<8}{c:>4}'", {"a": "'1'", "b": "'Yan'", "c": "65"}, "Yan:3+5 65:2+2"),
        ("x = f'{a:>9,.2f}|{b:.1%}'", {"a": "1234.5678", "b": "0.8571"}, "1234.56|78 234 1 1,234.57:8+1 85.7|1"),
        ("x = f'{a:{b}}'", {"a": "'name'", "b": "'^9'"}, "name:4+5 2 3"),
        ("x = f'{a!r:>8}'", {"a": "'ab'"}, "'ab':4+4"),
        ("x = f'{a:#7o}'", {"a": "10"}, "0o12:4+3"),
        ("x = sum(a)", {"a": "#6"}, "4+6=10+5=15"),
        ("x = a.find(b, 2)", {"a": "'xabyabzz'", "b": "'ab'"}, "1 4; 4"),
        ("x = a.rindex('q')", {"a": "'xabyabzz'"}, "-"),
        ("x = a.find('ab')", {"a": "'xab'"}, None),
        ("x = a.index(4)", {"a": "#8"}, None),
        ("x = Counter(a)", {"a": "'abcab'"}, "a1 b1 c1 a2 b2"),
        ("a.update('misss')", {"a": "#5"}, "m2 i6 s6 s7 s8"),
        ("a.update(b)", {"a": "#8", "b": "'misss'"}, None),
        ("x = math.prod(a)", {"a": "#8"}, "36 216 1080 1080"),
        ("x = prod(a)", {"a": "[2, 0.5, 3]"}, None),
        ("x = pow(a, 3, b)", {"a": "8", "b": "15"}, "8 64:4 32:2"),
        ("x = pow(a, -1, b)", {"a": "8", "b": "15"}, "8 1 2"),
        ("x = pow(a, -1, b)", {"a": "6", "b": "15"}, None),
        ("x = a % b", {"a": "-31", "b": "9"}, "31:3 4 9-4=5 -3-1=-4"),
        ("x = a // b", {"a": "63", "b": "-9"}, "63:7 0"),
        ("x = min(a, b)", {"a": "41182", "b": "41590"}, "41|1|5"),
        ("x = a < b", {"a": "41182", "b": "415900"}, None),
        (
            "x = math.sqrt(a)",
            {"a": "998002"},
            "90:8100 100:10000 99:9801 100:10000; 9980-9801=179 17902/1980:9 1989*9=17901 17902-17901=1 100/19980:0 "
            "10000/199800:0 100000000/199800 1000000:5-999000=1000 10000:0 100000:0 100000",
        ),
        ("x = a & 255", {"a": "323224"}, "323:1-256=67 672:2-512=160 1602:6-1536=66 664:2-512=152 152"),
        ("x = a & 1", {"a": "323224"}, None),
        ("x = a ^ 3", {"a": "323224"}, "32:8 3:0 32:8 2:0 24:6 0; 0^3=3; 323224+0=323224+3=323227"),
        (
            "x = a >> 16",
            {"a": "3232240122"},
            "323224:4-262144=61080 610800:9-589824=20976 209761:3-196608=13153 131532:2-131072=460 4602:0 4602",
        ),
        ("x = sum(a)", {"a": "b'abc'"}, "97+98=195+99=294"),
        ("x = sum(a)", {"a": "map(str.isdigit, iter('Mi42W7', 0))"}, "0 0 1 2 2 3"),
        ("x = a ** 0.5", {"a": "1369"}, "30:900 40:1600 37:1369 38:1444"),
        ("x = len(a)", {"a": "range(14, 150, 12)"}, "136/12 12*12=144"),
        ("x = len(a)", {"a": "range(-5, 3)"}, "3+5=8"),
        ("x = len(a)", {"a": "#8"}, None),
        (
            "x = a | b",
            {"a": "5", "b": "-18"},
            "64-18=46; 32:1 14 16:0 8:1 6 4:1 2 2:1 1:0; 000101 101110 101111; 1 2 5 11 23 47; 47-64=-17",
        ),
        ("x = f'{a}'", {"a": "'ab'"}, None),
        ("x = f'{a:,}'", {"a": "12345"}, "345 12"),
        ("x = f'{a:<10}  {b:^5}   |'", {"a": "'Cher'", "b": "'x'"}, "Cher:4+6 x:1+4 2 2 6+2+2=10 2+3=5"),
        ("x = '%-6s%4d%8.2f' % a", {"a": "('Tea', 3, 2.5)"}, "Tea:3+3 3:1+3 2.50:4+4 3+3=6"),
        ("x = '%d of %d' % a", {"a": "(1, 2)"}, None),
        ("x = '%s' % a", {"a": "#3"}, None),
        ("x = '{:<7}{:>6.1f}'.format('sum', a)", {"a": "20.5"}, "sum:3+4 20.5:4+2 4+2=6"),
        ("x = format(a, '>5')", {"a": "42"}, "42:2+3"),
        ("x = a.center(b, '*')", {"a": "'60.50'", "b": "12"}, "60.50:5+7 3 4"),
        ("x = a.zfill(True)", {"a": "'60'"}, "60:2+0"),
        ("x = a.zfill(5)", {"a": "'60'"}, "60:2+3"),
        ("x = f'{a:%j}'", {"a": "date(2024, 7, 14)"}, "182+14=196"),
        ("x = a.strftime('%d.%m.')", {"a": "date(2024, 7, 14)"}, None),
        (
            "x = a.strftime('%a')",
            {"a": "datetime(2024, 5, 1, 9, 0)"},
            "2023/4=505 /100=20 /400=5 2023+505-20+5=2513; 121+1=122-1=121+2513=2634 26:3 53:7 44:6 2",
        ),
        ("x = bin(a)", {"a": "37"}, "32:1 5 16:0 8:0 4:1 1 2:0 1:1"),
        ("x = f'{a:08b}'", {"a": "20"}, "16:1 4 8:0 4:1 2:0 1:0"),
        (
            "x = a & b",
            {"a": "18", "b": "-18"},
            "64-18=46; 16:1 2 8:0 4:0 2:1 1:0; 32:1 14 16:0 8:1 6 4:1 2 2:1 1:0; 010010 101110 000010",
        ),
        ("x = a ^ 10", {"a": "12"}, "1100 1010 0110"),
        ("x = a << 3", {"a": "18"}, "36 72 144"),
        ("x = a[10:2:-3]", {"a": "[3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]"}, "10:13 7:10 4:7"),
        ("x = a[b::2]", {"a": "'abcdefgh'", "b": "-3"}, "5:f 7:h"),
        ("x = a[::-1]", {"a": "'abcdefgh'"}, None),
        ("x = sum(a)", {"a": "#1"}, "1+3=4+2=6"),
        ("x = sum(a)", {"a": "#4"}, "12+15=27+11=38"),
        ("x = sorted(a)", {"a": "map(int, iter('48213', 0))"}, "[4, 8][1, 2][3] [1, 2, 4, 8][3]"),
        ("x = a.most_common(1)", {"a": "#5"}, "'m':1 'i':5 's':5; 5:'i' 5:'s' 1:'m'"),
        ("a.rotate(127)", {"a": "#4"}, "127%3=1"),
        ("x = statistics.mean(a)", {"a": "[4, 9, 2]"}, "4+9=13+2=15 15/3 5 0 ."),
        ("x = statistics.median(a)", {"a": "[4, 9, 2]"}, "[2, 4, 9] 4"),
        ("x = statistics.mean(a)", {"a": "[4, 0.5]"}, "40+5=45 45/2 22 1 . 10:5"),
        ("a.rotate(1)", {"a": "#4"}, None),
        ("x = '-+-'.join(a)", {"a": "['-----', '---']"}, "-*5 -*3"),
        ("x = ' '.join(a)", {"a": "['ab', '---']"}, None),
        ("x = timedelta(minutes=5, seconds=a)", {"a": "-30"}, "5*60=300 -30*1=-30 300-30=270"),
        ("x = a > b", {"a": "timedelta(0, 900)", "b": "timedelta(0, 60)"}, "0|900|60"),
        (
            "x = a < b",
            {"a": "datetime(2024, 5, 1, 12, 4, 3)", "b": "datetime(2024, 5, 1, 12, 15)"},
            "2024, 5, 1, 12|4|15",
        ),
    ],
)
def test_workings(statement: str, values: dict[str, str], written: str | None) -> None:
    assert work(statement, values) == written


@given(st.text("abc ", max_size=12), st.integers(0, 30), st.sampled_from("<>^"))
def test_added_blanks_are_pythons(text: str, width: int, side: str) -> None:
    written = work(f"x = f'{{a:{side}{width}}}'", {"a": repr(text)})
    if width:
        assert written is not None
        match = re.fullmatch(r"(.*):(\d+)\+(\d+)(?: (\d+) (\d+))?", written)
        assert match is not None
        before, behind = (match[4], match[5]) if match[4] else ("0", match[3]) if side == "<" else (match[3], "0")
        assert format(text, f"{side}{width}") == " " * int(before) + match[1] + " " * int(behind)


@given(st.text("abc", max_size=9), st.integers(1, 20))
def test_centred_texts_are_pythons(text: str, width: int) -> None:
    written = work(f"x = a.center({width})", {"a": repr(text)})
    assert written is not None
    if width > len(text):
        before, behind = map(int, written.split(" ")[-2:])
        assert text.center(width) == " " * before + text + " " * behind


@given(st.integers(-900, 900), st.integers(-900, 900), st.sampled_from("&|^"))
def test_bits_of_the_result_are_pythons(a: int, b: int, sign: str) -> None:
    written = work(f"x = a {sign} b", {"a": str(a), "b": str(b)})
    result = eval(f"{a} {sign} {b}")
    if written is not None:
        found = re.findall(r"\b[01]+ [01]+ ([01]+)\b", written)[-1]
        assert int(found, 2) == result % (1 << len(found))


@given(st.lists(st.integers(0, 99), min_size=5, max_size=20), st.integers(-9, 9), st.sampled_from([-3, -2, 2, 3]))
def test_items_of_a_slice_are_pythons(items: list[int], start: int, step: int) -> None:
    written = work(f"x = a[{start}::{step}]", {"a": repr(items)})
    assert [int(each.partition(":")[2]) for each in (written or "").split()] == items[start::step]
