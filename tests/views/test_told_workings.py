"""Workings of groups of digits, exponents, conversions, keys of sorting, nested order and wrapped texts."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cwm_agent.views.scratchpad import padding_steps, text_steps
from cwm_agent.views.scratchpad.scratchpad import workings

PEOPLE = "[Person(name='Eva', age=34), Person(name='Jon', age=28)]"


@pytest.mark.parametrize(
    ("statement", "values", "written"),
    [
        ("x = f'{a:,}'", {"a": "1234567"}, "567 234 1"),
        ("x = f'{a:_.1f}'", {"a": "-1234.56"}, "-1234.5|6 234 1"),
        ("x = f'{a:,}'", {"a": "999"}, None),
        ("x = f'{a:>9,}'", {"a": "2400"}, "400 2 2,400:5+4"),
        ("x = f'{a:.2e}'", {"a": "1234567.891"}, "1.23|456 6"),
        ("x = f'{a:.2e}'", {"a": "0.00012"}, "1.2 -4"),
        ("x = f'{a:.2e}'", {"a": "0.0"}, None),
        ("x = f'{a!s:{b}}'", {"a": "2", "b": "'>5'"}, "2:1+4"),
        ("x = f'{a!r:>6}'", {"a": "#1"}, None),
        ("x = '{name!r:>8}'.format(name='Jo')", {}, "'Jo':4+4"),
        ("x = '{n:>3}'.format(**a)", {"a": "{'n': 1}"}, None),
        ("x = '{:02d}:{:02d}'.format(*a)", {"a": "(11, 0)"}, "11:2+0 0:1+1"),
        ("x = '{:02d}'.format(*a)", {"a": "#1"}, None),
        ("x = a < b", {"a": "(2, 'that')", "b": "(2, 'the')"}, "2|'that'|'the' th|a|e"),
        ("x = a < b", {"a": "(2, (3, 4))", "b": "(2, (3, 5))"}, "2|(3, 4)|(3, 5) 3|4|5"),
        ("x = sorted(a, key=b)", {"a": "[('b', 2), ('a', 9)]", "b": "itemgetter(0)"}, "('b', 2):'b' ('a', 9):'a'; 'a':('a', 9) 'b':('b', 2)"),
        ("a.sort(key=b, reverse=c)", {"a": PEOPLE, "b": "attrgetter('age')", "c": "False"}, "0:34 1:28; 28:1 34:0"),
        ("a.sort(key=b)", {"a": PEOPLE, "b": "attrgetter('city')"}, None),
        ("x = min(a, key=a.__getitem__)", {"a": "{'pens': 3, 'ink': 1}"}, "'pens':3 'ink':1; 3 1"),
        ("x = sorted(a, key=str.lower)", {"a": "['B', 'a']"}, "'B':'b' 'a':'a'; 'a':'a' 'b':'B'"),
        ("x = sorted(a, key=b)", {"a": "['B', 'a']", "b": "order@3"}, None),
        ("x = hypot(a, b)", {"a": "-6.0", "b": "8.0"}, "36+64=100 10:100 20:400 10:100 11:121"),
        ("x = a.strip(b)", {"a": "'--10%'", "b": "'%-'"}, "--|10|%"),
        ("x = a.rstrip('123')", {"a": "'AB3'"}, "|AB|3"),
        ("x = dist(a, b)", {"a": "(0, 3)", "b": "(4, 0)"}, "0-4=-4 3-0=3 16+9=25"),
        ("x = dist(a, b)", {"a": "(0, 3.5)", "b": "(4, 0)"}, None),
        ("x = monthrange(a, 13)", {"a": "2024"}, None),
        ("x = f'{a:>7}|{b:.1f}'", {"a": "Decimal('9.77')", "b": "Decimal('3.17')"}, "9.77:4+3 3.1|7"),
        ("x = perm(a, 3)", {"a": "6"}, "30 120"),
        ("x = math.comb(a, b)", {"a": "6", "b": "3"}, "30 120/6"),
        ("x = math.comb(a, b)", {"a": "3", "b": "6"}, None),
        ("x = a ** 2", {"a": "Decimal('1.2')"}, "12*12=24 120 144; 1+1=2"),
        ("x = a % b", {"a": "329", "b": "8.0"}, "32:4 9:1 1"),
        ("x = f(a, width=8)", {"f": "textwrap.wrap", "a": "'one two three'"}, "3 7|5"),
        ("x = textwrap.fill(a, 4)", {"a": "'one three'"}, None),
    ],
)  # fmt: skip
def test_workings(statement: str, values: dict[str, str], written: str | None) -> None:
    assert workings(statement, values, lambda text: text) == written


@given(st.integers(-(10**12), 10**12))
def test_groups_of_digits_are_pythons(number: int) -> None:
    found = padding_steps.fields([(number, ",")])
    parts = f"{abs(number):,}".split(",")
    assert found == (" ".join(reversed(parts)) if len(parts) > 1 else None)


@given(st.lists(st.text("abc", min_size=1, max_size=6), min_size=1, max_size=12), st.integers(6, 20))
def test_lines_of_a_wrapped_text_are_pythons(words: list[str], width: int) -> None:
    found = text_steps.wrapped(" ".join(words), width)
    assert found is not None
    assert [int(line.split()[-1]) for line in found.split("|")] == [
        len(line) for line in textwrap.wrap(" ".join(words), width)
    ]
