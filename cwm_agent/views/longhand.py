"""Arithmetic worked out in writing, digit by digit, as people do on paper; knows numbers alone.

34 * 27        238 680 918          partial products by the digits of the right, and their running sum
6666 * 6       36 39 39 39          by one digit: from the right, with what is carried
426 // 4       4:1 2:0 26:6 2       digit by digit; then what is left
9 / 40         . 90:2 100:2 200:5   the same, and behind the point until nothing is left or the digits repeat
3 ** 4         9 27 81              power by power
12 ^ 10        1100 1010 110        both in binary, then the result
int('101', 2)  1 2 5                what the digits so far come to
"""

import re
from itertools import accumulate, pairwise

_ROUND = re.compile(r"10*$")
_DIGITS = 17
"""Digits that a float shows at most."""
_LARGEST_POWER = 10**12


def arithmetic(a: int, sign: str, b: int) -> str | None:
    """The workings of an operation on two numbers that are not negative; None where it needs none."""
    if sign == "*":
        return _times(a, b)
    if sign == "**":
        return _powers(a, b)
    if sign in _BITS:
        return _bits(a, sign, b)
    if not b:
        return None
    if sign == "/":
        return _ratio(a, b)
    small = a < 100 and b < 10
    return None if a < b or small or _ROUND.match(str(b)) else _division(a, b)[0]  # moving the point is no work


def _times(a: int, b: int) -> str | None:
    if len(str(a)) < len(str(b)):
        a, b = b, a
    if b < 2 or _ROUND.match(str(b)) or _ROUND.match(str(a)):
        return None
    if b > 9:
        return _product(a, b)
    return _carried(a, b) if a > 999 else None


def _carried(a: int, b: int) -> str:
    found, carry = [], 0
    for digit in reversed(str(a)):
        found.append(int(digit) * b + carry)
        carry = found[-1] // 10
    return " ".join(map(str, found))


def _product(a: int, b: int) -> str:
    partials = [a * int(digit) * 10**place for place, digit in enumerate(str(b)[::-1])]
    totals = list(accumulate(partials))
    return " ".join(
        [str(partials[0])] + [f"{part} {total}" for part, total in zip(partials[1:], totals[1:], strict=True)]
    )


def _division(a: int, b: int) -> tuple[str, int]:
    found: list[str] = []
    rest = 0
    for digit in str(a):
        rest = rest * 10 + int(digit)
        if rest >= b or found:
            found.append(f"{rest}:{rest // b}")
        rest %= b
    return " ".join([*found, str(rest)]), rest


def _ratio(a: int, b: int) -> str | None:
    if a < 10 and b < 10 and a % b == 0:
        return None
    before, rest = _division(a, b) if a >= 100 or b >= 10 else (f"{a // b} {a % b}", a % b)
    found = [".", *_behind_the_point(rest, b, len(str(a // b)) if a >= b else 0)]
    return " ".join([before, *found] if a >= b else found)


def _behind_the_point(rest: int, b: int, digits: int) -> list[str]:
    """Digit by digit until nothing is left, one digit goes on for ever, or a float shows no more."""
    found: list[str] = []
    while rest and digits < _DIGITS:
        following = rest * 10 % b
        found.append(f"{rest * 10}:{rest * 10 // b}")
        if following == rest:
            return [*found, ".."]
        digits += bool(digits or rest * 10 // b)
        rest = following
    return found


def _powers(a: int, b: int) -> str | None:
    if b == 2:
        return _times(a, a) if a > 19 else None
    if not 2 < b < 41 or a < 2 or _ROUND.match(str(a)) or a**b > _LARGEST_POWER:
        return None
    return " ".join(str(a**exponent) for exponent in range(2, b + 1))


_BITS = {
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
}


def _bits(a: int, sign: str, b: int) -> str | None:
    if max(a, b) > 9999 or (sign in "<<>>" and b > 20):
        return None
    if sign in ("<<", ">>"):
        return None if a < 2 else " ".join(str(_BITS[sign](a, count)) for count in range(1, b + 1)) or None
    width = max(a, b).bit_length()
    return None if width < 3 else f"{a:0{width}b} {b:0{width}b} {_BITS[sign](a, b):0{width}b}"


def in_base(digits: str, base: int) -> str | None:
    """What the digits so far come to; None where they are no number or too few to need it."""
    try:
        values = [int(digit, base) for digit in digits]
    except ValueError:
        return None
    return (
        " ".join(map(str, accumulate(values, lambda total, value: total * base + value))) if len(values) > 2 else None
    )


def running(numbers: list[int]) -> str:
    """A sum, term by term: `3+5=8-4=4`."""
    totals = list(accumulate(numbers))
    return str(numbers[0]) + "".join(
        f"{number:+d}={total}" for number, (_, total) in zip(numbers[1:], pairwise(totals), strict=True)
    )
