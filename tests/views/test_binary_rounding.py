"""What binary rounding does to a float is written out, and the workings end in the float that Python computes."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cwm_agent.views.scratchpad.scratchpad import workings


def work(left: float, sign: str, right: float) -> str | None:
    return workings(f"x = a {sign} b", {"a": repr(left), "b": repr(right)}, lambda text: text)


@pytest.mark.parametrize(
    ("left", "sign", "right", "written"),
    [
        (
            12,
            "*",
            0.3,
            ".1 12*3=36;54 3*2=6:6 .2;51 6*4=24:4 .8;.8-.3=.5:0;-.8*4.441e-16=-3.55e-16 3.599999999999999645",
        ),
        (
            47.599999999999994,
            "/",
            7,
            ".1 476/7 47:6 56:8 0 .;47 6*4=24:4 .8;50 8*2=16:6 1.2;1.2-.914=.286:0;-1.2*8.882e-16=-1.07e-15 "
            "6.79999999999999893",
        ),
        (5.7, "%", 1, "57-50=7;50 7*2=14:4 -.2;.2*8.882e-16=1.78e-16 0.700000000000000178"),
        (10, "/", 3, "3 1 . 10:3 ..;51 4*2=8:2 .667;.333*4.441e-16=1.48e-16 3.333333333333333481"),
    ],
)
def test_workings_tell_the_last_digits(left: float, sign: str, right: float, written: str) -> None:
    assert work(left, sign, right) == written


@pytest.mark.parametrize(("left", "sign", "right"), [(2.5, "+", 0.75), (4.4, "*", 2), (0.0, "+", 0.1), (9.9, "/", 4)])
def test_what_is_plain_needs_no_rounding(left: float, sign: str, right: float) -> None:
    assert ";" not in (work(left, sign, right) or "")


def test_nothing_is_divided_by_zero() -> None:
    assert work(5.7, "%", 0) is None
    assert work(5.7, "/", 0) is None


numbers = st.integers(1, 20_000).flatmap(lambda digits: st.sampled_from([digits, digits / 10, digits / 100]))


@given(numbers, st.sampled_from("+-*/"), numbers)
def test_workings_end_in_the_float_of_the_result(left: float, sign: str, right: float) -> None:
    real = {"+": left + right, "-": left - right, "*": left * right, "/": left / right}[sign]
    rounding = (work(left, sign, right) or "").rpartition(";")[2]
    if "e-" in rounding:
        assert float(rounding.split()[-1]) == abs(real)
    if rounding == "=":
        assert len(Decimal(repr(real)).as_tuple().digits) < 12
