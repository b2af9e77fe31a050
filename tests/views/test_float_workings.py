"""Workings of quotients without an end and of long floats: what they say, and that they agree with Python."""

import operator
import re
from decimal import Decimal, localcontext
from fractions import Fraction
from math import gcd
from statistics import mean

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from cwm_agent.views.scratchpad.arithmetic import (
    common_factors,
    long_decimals,
    modular_powers,
    near_decimals,
    real_roots,
)
from cwm_agent.views.scratchpad.scratchpad import workings

LONGEST = 440
REAL = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "%": operator.mod}


def work(left: float, sign: str, right: float) -> str | None:
    return workings(f"x = a {sign} b", {"a": repr(left), "b": repr(right)}, lambda text: text)


@pytest.mark.parametrize(
    ("left", "sign", "right", "written"),
    [
        (
            75,
            "/",
            45,
            "75/45 3:25/15 5:5/3 1 2 . 20:6 ..;52 5*4=20:2 .667;.333*2.220e-16=7.39e-17 1.666666666666666741",
        ),
        (
            0.75,
            "/",
            0.45,
            "75/45 3:25/15 5:5/3 1 2 . 20:6 ..;54 45*46=2070:20 -.2;52 5*4=20:2 .667;.667-.185=.482:0;"
            "-.667*2.220e-16=-1.48e-16 1.666666666666666519",
        ),
        (75, "/", 60, "75:1-60=15 15 . 150:2-120=30 300:5-300=0"),
        (1.3, "-", 3.3, "13-33=-20;52 3*8=24:4 -.2;51 3*4=12:2 .4;52 0*8=0:0 0;0-.2-.8=-1:-1;-1*2.220e-16=-2.22e-16 "
         "1.999999999999999778"),
        (123.456, "%", 1.0, "123456-123000=456;46 206*208=1648:148+41200:200=98 -.216;.216*1.421e-14=3.07e-15 "
         "0.45600000000000307"),
        (-0.9677734375, "/", 2, ".10 9677734375/2 9:4 16:8 7:3 17:8 17:8 13:6 14:7 3:1 17:8 15:7 1 . 10:5"),
        (-0.4833984375, "-", 0.015625, "-4833984375-156250000(5+0=5 7+0=7 3+0=3 4+0=4 8+5=13 9+3=12 3+7=10 3+6=9 "
         "8+1=9 4)=-4990234375"),
        (1.4142135623730951, "*", 3, ".16 14142135623730951*3=3 15 28 2 9 21 11 7 18 16 10 4 6 12 4 12 4=42426406871192853"),
        (3.14159, "*", 3, ".5 314159*3=27 17 4 12 4 9=942477"),
        (3.13, "*", 3.13, ".2+2=4 313*313=9 3 9=939; 313 3+3=6 1+9=10 3+1=4=4069; 9 3 9=939 9+0=9 3+4=7 9=97969;?"),
    ],
)  # fmt: skip
def test_a_float_is_worked_out(left: float, sign: str, right: float, written: str) -> None:
    assert work(left, sign, right) == written


def test_a_mean_names_its_ratio_once() -> None:
    written = workings("x = statistics.mean(a)", {"a": "[1, 2, 9, 4, 5, 1]"}, lambda text: text)
    assert written is not None
    assert written.startswith("1+2=3+9=12+4=16+5=21+1=22 22/6 2:11/3 3 2 . 20:6 ..;")
    assert float(written.split()[-1]) == mean([1, 2, 9, 4, 5, 1])


@pytest.mark.parametrize(
    ("left", "sign", "right"),
    [
        (1.4142135623730951, "*", 100),
        (1.4142135623730951, "/", 0.0),
        (1e-05, "+", 1.4142135623730951),
        (float("inf"), "/", 3),
    ],
)
def test_nothing_is_written_where_the_point_moves_or_there_is_no_result(left: float, sign: str, right: float) -> None:
    assert work(left, sign, right) is None


@given(st.integers(1, 5000), st.integers(1, 5000))
def test_a_quotient_of_counts_ends_in_its_float(a: int, b: int) -> None:
    written = work(a, "/", b)
    assert written is None or len(written) <= LONGEST
    rounding = (written or "").rpartition(";")[2]
    if "e-" in rounding:
        assert float(rounding.split()[-1]) == a / b


@given(st.integers(1, 3000), st.integers(2, 99))
def test_the_last_digit_is_told_for_every_divisor_of_two_digits(a: int, b: int) -> None:
    assume(not common_factors.ends(b // gcd(a, b)))
    written = work(a, "/", b)
    assert written is not None
    assert float(written.split()[-1]) == a / b


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_common_factors_end_in_the_reduced_fraction(a: int, b: int) -> None:
    last = common_factors.cancelled(a, b).split()[-1].rpartition(":")[2]
    assert last == f"{Fraction(a, b).numerator}/{Fraction(a, b).denominator}"


@given(st.integers(0, 10**5), st.integers(30, 60), st.integers(25, 499).map(lambda half: 2 * half + 1))
def test_powers_of_two_leave_the_remainder_that_python_finds(number: int, power: int, modulus: int) -> None:
    found = modular_powers.remainder(number, power, modulus)
    if found is not None:
        assert found[0] == number * 2**power % modulus
        assert found[1].replace("=", " ").split()[-1] == str(found[0])


dyadics = st.integers(-(2**20), 2**20).flatmap(lambda whole: st.integers(1, 14).map(lambda bits: whole / 2**bits))
long_floats = st.one_of(dyadics, st.floats(-1000, 1000), st.integers(1, 999).map(lambda whole: whole / 7))
operands = st.one_of(long_floats, st.integers(-999, 999), st.integers(1, 9999).map(lambda whole: whole / 100))


@given(long_floats, st.sampled_from("+-*/%"), operands)
def test_workings_of_long_floats_are_within_their_limit(left: float, sign: str, right: float) -> None:
    assume(right)
    written = work(left, sign, right)
    assert written is None or len(written) <= LONGEST


@given(long_floats, st.sampled_from("+-"), operands)
def test_columns_of_long_floats_end_in_the_digits_of_the_result(left: float, sign: str, right: float) -> None:
    found = re.search(r"\d[)\d]=(-?\d+)$", work(left, sign, right) or "")
    assume(found is not None)
    with localcontext(prec=40):
        exact = REAL[sign](*(Decimal(repr(each)).normalize() for each in (left, right)))
        if exact:
            digits = f"{exact:f}".replace(".", "").replace("-", "").strip("0")
            assert found is not None
            assert found[1].strip("-0") == digits
            assert abs(exact - Decimal(repr(REAL[sign](left, right)))) <= abs(exact) * Decimal("1e-14")


@given(long_floats, st.integers(2, 99))
def test_a_product_by_a_short_number_has_all_its_digits_and_its_point(left: float, right: int) -> None:
    written = long_decimals.arithmetic(repr(left), "*", str(right))
    assume(left and written is not None)
    with localcontext(prec=40):
        exact = abs(Decimal(repr(left)).normalize() * right)
    found = re.search(r"(\d+)$", str(written))
    point = re.match(r"\.(\d+) ", str(written))
    assert found is not None
    assert found[1].strip("0") == f"{exact:f}".replace(".", "").strip("0")
    if right % 10:
        places = int(point[1]) if point else 0
        assert Decimal(found[1]).scaleb(-places) == exact


decimals = st.floats(1e-4, 1e5, allow_subnormal=False).map(lambda each: Decimal(f"{each:.17g}"))


@given(decimals, decimals)
def test_a_product_of_long_decimals_has_its_first_digits(a: Decimal, b: Decimal) -> None:
    written = near_decimals.product(a, b)
    assume(written is not None)
    factors, _, rows = str(written).partition("=")
    totals = [row.rpartition("=")[2] for row in rows.split("; ")]
    left, right = factors.split("*")
    if len(left) * len(right) <= 90:  # in full: a row leaves out the last digit of the one before
        digits = totals[-1] + "".join(total[-1] for total in reversed(totals[:-1]))
        assert int(digits) == int(left) * int(right)
    else:
        assert _is_near(a * b, totals[-1], Decimal("1e-8"))


@given(decimals, decimals)
@example(Decimal("0.29999999999999999"), Decimal("0.33333333333333331"))
def test_a_quotient_of_long_decimals_has_its_first_digits(a: Decimal, b: Decimal) -> None:
    written = near_decimals.quotient(a, b)
    assert written is not None
    steps = re.findall(r" (\d)(?:\(.*?\)=\d+)?(?= |$)", re.sub(r"\(.*?\)", "()", written))
    assert len(steps) == 10
    assert _is_near(a / b, "".join(steps), Decimal("1e-7"))


def _is_near(exact: Decimal, digits: str, most: Decimal) -> bool:
    """Whether the digits are the first ones of a number, at one of the places where their point may be."""
    found = Decimal(digits).scaleb(exact.adjusted() - Decimal(digits).adjusted())
    return min(abs(found.scaleb(place) - exact) for place in (-1, 0, 1)) <= exact * most


@given(st.decimals("0.001", 10**6, places=4))
@example(Decimal("1000.00000001"))
def test_a_root_has_its_first_digits(number: Decimal) -> None:
    written = real_roots.root(str(number))
    assume(written is not None)
    head, _, steps = str(written).partition("; ")
    digits = head.split()[-2].partition(":")[0]
    if steps:
        digits += "".join(re.findall(r"/\d+:(\d)", steps))
        last = re.search(r"(\d+)/(\d+) \S+:\S+", steps)
        if last:  # what is left over twice the root, two pairs of digits further on
            digits = str(int(digits) * 10**4 + int(last[1]) // int(last[2]))
    assert _is_near(number.sqrt(), digits, Decimal("1e-7"))


@given(dyadics, st.sampled_from("+-"), dyadics)
def test_sums_of_dyadic_numbers_are_told_exactly(left: float, sign: str, right: float) -> None:
    with localcontext(prec=40):
        exact = REAL[sign](Decimal(repr(left)), Decimal(repr(right)))
    written = work(left, sign, right)
    if written is not None and ";" not in written and len(exact.as_tuple().digits) < 16:
        assert exact == Decimal(repr(REAL[sign](left, right)))
