"""Workings of spreads, complex numbers, other bases, long products and powers, exact quotients and halves.

What they say, and that each leads to what Python computes.
"""

import math
import re
import statistics
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cwm_agent.views.scratchpad.arithmetic import base_digits, binary_rounding, long_arithmetic, long_products
from cwm_agent.views.scratchpad.scratchpad import workings

SCORES = st.lists(st.integers(0, 60), min_size=2, max_size=6)
PART = st.integers(-9, 9)


def work(statement: str, **values: object) -> str | None:
    texts = {name: repr(value) for name, value in values.items()}
    return workings(statement, texts, lambda text: text)


@pytest.mark.parametrize(
    ("statement", "value", "written"),
    [
        ("x = statistics.variance(a)", [1, 4, 1, 7, 7], "1+4=5+1=6+7=13+7=20/5=4; -3 0 -3 3 3; 9+0=9+9=18+9=27+9=36/4 9 0 ."),
        ("x = statistics.pvariance(a)", [4, 2, 0, 8, 2],
         "4+2=6+0=6+8=14+2=16/5=3 1; 1 -1 -3 5 -1; 1+1=2+9=11+25=36+1=37; 5*37=185-1=184/25 184:7-175=9 9 . 90:3-75=15 "
         "150:6-150=0"),
        ("x = statistics.stdev(a)", [6, 1, 11], "6+1=7+11=18/3=6; 0 -5 5; 0+25=25+25=50/2=25 5*5=25"),
        ("x = statistics.pstdev(a)", [0.5, 3.5],
         "5+35=40/2=20; -15 15; 225+225=450/200=225 10:100 20:400 15:225 16:256 15*15=225"),
        ("x = statistics.stdev(a)", [1, 2], "1+2=3/2=1 1; 0 1; 0+1=1; 2*1=2-1=1/2"),
        ("x = float(a)", Fraction(21, 2), "10 1 . 10:5"),
        ("x = abs(a)", 3 - 4j, "9+16=25"),
        ("x = a ** 2", 2 + 1j, "2*2=4 1*1=1 4-1=3; 2*1=2 1*2=2 2+2=4"),
        ("x = oct(a)", 1000, "1000 500 250:0 125 62 31:5 15 7 3:7 1:1"),
        ("x = f'{a:o}'", 1000, "1000 500 250:0 125 62 31:5 15 7 3:7 1:1"),
        ("x = bin(a)", 70000,
         "70000 35000 17500 8750:0000 4375 2187 1093 546:0111 273 136 68 34:0001 17 8 4 2:0001 1:1"),
        ("x = a.bit_length()", 641, "2**9=512 9+1=10"),
        ("x = a.bit_count()", 1909, "1909 954 477 238:2 119 59 29 14:3 7 3 1:3 2+3+3=8"),
        ("x = int(a, 8)", "7654321", "111 110 101 100 011 010 001; " + " ".join(
            str(0o7654321 >> place) for place in reversed(range(21)))),
        ("x = int(a, 16)", "0x1f4", "1 16+15=31 496+4=500"),
        ("x = int(a, 36)", "zz", "35 35*36=210 1050 1260 1260+35=1295"),
        ("x = round(a, -2)", 6051, "60|51>50 61"),
        ("x = round(a, -1)", 445, "44|5=5 44"),
        ("x = round(a, 2)", 2.675, "2.67|5;51 175*156=1050:50+8750:0+17500:0=50 .4"),
        ("x = a ** 5", 7, "49 343 2401(7 0 28 16)16807"),
        ("x = pow(a, 3)", 37, "37*37=259+1110=1369; 1369*37=63 48 25 9=9583; 27 20 11 4=4107 7+8=15 0+6=6 1+9=10 4+1=5=50653"),
        ("x = a ** 3", Fraction(28, 3), "28*28=224+560=784; 784*28=32 67 62=6272; 8 16 15=1568 8+7=15 6+3=9 5+6=11 1+1=2=21952/9 27"),
        ("x = f'{a:.3g}'", 452316.0, "4.52|316 5"),
        ("x = f'{a:g}'", 7001448, "7.00144|8 6"),
        ("x = f'{a:+,.2f}'", 9.43e-10, "0.00|000"),
    ],
)  # fmt: skip
def test_workings_of_one_value(statement: str, value: object, written: str) -> None:
    assert work(statement, a=value) == written


@pytest.mark.parametrize(
    ("left", "sign", "right", "written"),
    [
        (2 + 1j, "*", 3 + 4j, "2*3=6 1*4=4 6-4=2; 2*4=8 1*3=3 8+3=11"),
        (1 + 2j, "/", 3 + 4j, "1*3=3 2*4=8 3+8=11; 2*3=6 1*4=4 6-4=2; 9+16=25 11/25=0.44 2/25=0.08"),
        (1 + 2j, "/", 0j, None),
        (-1.5 + 4j, "/", 3 - 1j, None),  # what binary rounding does to it is not told
        (Decimal("1.5"), "/", Decimal(21), "15/210 3:5/70 5:1/14 . 10:0 100:7-98 20:1-14 60:4-56 40:2-28 120:8-112 80:5-70 100..6"),
        (Decimal(1), "/", Decimal(3), "1/3 . 10:3 10..1"),
        (734259, "*", 486137, "63 41 18 29 23 51=5139813; 28 25 17 16 11 27=2716758; 14 13 9 5 10 10=1005934; "
         "57 44 21 26 20 45=4506147; 76 48 26 34 32 63=6324686; 44 30 15 19 16 35=3569504"),
    ],
)  # fmt: skip
def test_workings_of_two_values(left: object, sign: str, right: object, written: str | None) -> None:
    assert work(f"x = a {sign} b", a=left, b=right) == written


@given(SCORES, st.sampled_from(["variance", "pvariance"]))
def test_a_variance_is_the_ratio_that_is_divided(scores: list[int], name: str) -> None:
    written = work(f"x = statistics.{name}(a)", a=scores)
    if written is not None:
        above, below = re.findall(r"=(\d+)/(\d+)", written)[-1]
        assert float(Fraction(int(above), int(below))) == float(getattr(statistics, name)(scores))


@given(SCORES, st.sampled_from(["stdev", "pstdev"]))
def test_a_root_is_told_only_where_it_is_short(scores: list[int], name: str) -> None:
    written = work(f"x = statistics.{name}(a)", a=scores)
    found = re.search(r"(\d+)\*\1=\d+$", written or "")
    if found is not None:
        root = getattr(statistics, name)(scores)
        assert int(found[1]) in {round(root * 10**places) for places in range(3) if round(root, places) == root}


@given(PART, PART, PART, PART)
def test_parts_of_a_complex_product_are_told(a: int, b: int, c: int, d: int) -> None:
    left, right = complex(a, b), complex(c, d)
    written = work("x = l * r", l=left, r=right)
    if written is not None:
        real, imaginary = (float(half.rpartition("=")[2]) for half in written.split("; "))
        assert complex(real, imaginary) == left * right


@given(st.integers(16, 2**40), st.sampled_from([2, 8, 16]))
def test_groups_of_halves_are_the_digits(number: int, base: int) -> None:
    groups = [group.partition(" ")[0] for group in (base_digits.written(number, base) or "").split(":")[1:]]
    assert int("".join(reversed(groups)), base) == number


@given(st.integers(2, 2**40), st.sampled_from(["o", "x"]))
def test_digits_are_read_by_their_bits(number: int, kind: str) -> None:
    written = base_digits.read(f"{number:{kind}}", 8 if kind == "o" else 16)
    assert written is not None
    assert int(written.split()[-1]) == number


@given(st.text("0123456789abcxyz", min_size=2, max_size=5))
def test_digits_of_any_base_end_in_the_value(digits: str) -> None:
    written = base_digits.read_other(digits, 36)
    assert written is not None
    assert int(re.split("[ =]", written)[-1]) == int(digits, 36)


@given(st.integers(10**5, 10**10), st.integers(10**3, 10**10))
def test_the_last_digits_of_all_rows_are_the_product(a: int, b: int) -> None:
    *lower, last = (row.rpartition("=")[2] for row in long_products.rows(a, b).split("; "))
    assert int(last + "".join(total[-1] for total in reversed(lower))) == a * b


@given(st.integers(3, 300), st.integers(3, 12))
def test_a_power_ends_in_itself(base: int, exponent: int) -> None:
    written = long_products.power(base, exponent)
    assert written is None or int(re.split(r"[ =)]", written)[-1]) == base**exponent


@given(st.integers(1, 5000), st.integers(2, 99))
def test_digits_up_to_the_period_give_the_quotient(a: int, b: int) -> None:
    """Repeated to 28 digits they are what `Decimal` keeps."""
    assume(a % b)
    head, _, ending = long_arithmetic.periodic(a, b, 28).partition("..")
    digits = "".join(re.findall(r":(\d)", head.rpartition(". ")[2]))
    while ending and len(digits) < 80:
        digits += digits[-int(ending) :]
    assert abs(Decimal(a) / Decimal(b) - Decimal(f"{a // b}.{digits}")) <= Decimal(a // b or 1).scaleb(-27)


@given(st.integers(-(10**6), 10**6), st.integers(1, 3))
def test_rounding_to_zeros_tells_the_result(number: int, places: int) -> None:
    kept = int(long_arithmetic.rounded(number, places).split()[-1])
    assert kept * 10**places == abs(round(number, -places))


@given(st.integers(0, 4000))
def test_what_a_float_lacks_tells_on_which_side_of_the_middle_it_is(number: int) -> None:
    value = (10 * number + 5) / 100
    written = binary_rounding.lack(repr(value))
    if written is None:
        assert Fraction(value) == Fraction(repr(value))
    else:
        below = not written.split()[-1].startswith("-")
        assert (round(value, 1) < value) is below


@given(st.lists(st.integers(1, 999).map(lambda each: each / 10), min_size=2, max_size=5))
def test_a_sum_that_is_rounded_once_ends_in_its_float(terms: list[float]) -> None:
    written = work("x = math.fsum(a)", a=terms)
    if written is not None and "e-" in written:  # the distance of the float from the sum of the decimals
        assert float(written.split()[-1]) == math.fsum(terms)


@settings(max_examples=50)
@given(st.integers(-200, 200), st.integers(2, 120))
def test_a_fraction_is_divided_as_two_whole_numbers_are(a: int, b: int) -> None:
    fraction = Fraction(a, b)
    assume(fraction.denominator > 1)
    assert work("x = float(a)", a=fraction) == work("x = a / b", a=fraction.numerator, b=fraction.denominator)
