"""Writes out arithmetic digit by digit, by the written method; knows only numbers.

34 * 27        238 680 918          partial products by the digits of the right, and their running sum
1287 + 1716    7+6=13 8+2=10 ..     longer sums and products in columns: `column_arithmetic.py`
426 // 4       4:1 2:0 26:6 2       digit by digit; then the remainder
339 % 29       33:1-29=4 49:1-29=20 20    by more than twelve also the subtraction
-31 % 9        31:3 4 9-4=5 -3-1=-4       of unlike signs: what the divisor leaves, and one quotient less
9 / 40         . 90:2 100:2 200:5   the same, and behind the point until nothing is left or the digits repeat
13 / 67        . 130:1-67 630:9-603    without the result of the subtraction where workings must be brief
3 ** 4         9 27 81              power by power
pow(3, -1, 7)  3 6 2 5 1 5                the remainders of 1, 2, .. times the number, up to 1, and how many
pow(8, 3, 15)  8 64:4 32:2          each power's remainder, from the one before
int('101', 2)  1 2 5                the value of the digits so far
round(6051, -2)    60|51>50 61      what is kept, what is cut off beside its half, and the result without zeros
7 / 74         . 70:0 700:9-666 340:4-296 440:5-370 700..3    to the end: until digits come again, and how many
"""

import re
from itertools import accumulate
from math import gcd

from cwm_agent.views.scratchpad.arithmetic import column_arithmetic, long_products

_ROUND = re.compile(r"10*$")
_DIGITS = 17
"""Most digits that a float shows."""
_LARGEST_POWER = 10**12
_LARGEST_SHORT = 99
"""Of factors whose product has no columns."""
_LONGEST_POWER = 430
"""Bytes of a power with its products written out; without them where it would be more."""
_LARGEST_INVERTED = 60
_KNOWN_TABLE = 12
"""Largest divisor for which a step leaves out the subtraction."""
_MOST_TERMS = 10
"""Most terms of a sum with every addition written out."""


def arithmetic(a: int, sign: str, b: int) -> str | None:
    """Return the workings of an operation on two numbers; those of * and / are without signs; None if it needs none."""
    if sign in ("+", "-"):
        return column_arithmetic.summed(a, b if sign == "+" else -b)
    if sign in ("%", "//") and a * b < 0:
        return _rounded_down(a, b)
    a, b = abs(a), abs(b)
    if sign == "*":
        return _times(a, b)
    if sign == "**":
        return _powers(a, b)
    if not b:
        return None
    if sign == "/":
        return ratio(a, b)
    small = a < 100 and b < 10
    return None if a < b or small or _ROUND.match(str(b)) else _division(a, b)[0]  # a power of ten only moves the point


def _rounded_down(a: int, b: int) -> str:
    """The division without signs, then what the divisor leaves and the next lower quotient, if it leaves anything."""
    quotient, rest = divmod(abs(a), abs(b))
    written = arithmetic(abs(a), "%", abs(b)) or f"{abs(a)}:{quotient} {rest}"
    lower = f" {abs(b)}-{rest}={abs(b) - rest} {-quotient}-1={-quotient - 1}" if rest else ""
    return written + lower


def _times(a: int, b: int) -> str | None:
    if len(str(a)) < len(str(b)):
        a, b = b, a
    if b < 2 or _ROUND.match(str(b)) or _ROUND.match(str(a)):
        return None
    if b > 9:
        if column_arithmetic.is_long_product(a, b):
            return column_arithmetic.product(a, b)
        return _product(a, b) if a <= _LARGEST_SHORT else long_products.rows(a, b)
    return column_arithmetic.carried(a, b) if a > 999 else None


def _product(a: int, b: int) -> str:
    partials = [a * int(digit) * 10**place for place, digit in enumerate(str(b)[::-1])]
    totals = list(accumulate(partials))
    return " ".join(
        [str(partials[0])] + [f"{part} {total}" for part, total in zip(partials[1:], totals[1:], strict=True)]
    )


def _division(a: int, b: int, *, brief: bool = False) -> tuple[str, int]:
    found: list[str] = []
    rest = 0
    for digit in str(a):
        rest = rest * 10 + int(digit)
        if rest >= b or found:
            found.append(_taken(rest, b, brief=brief))
        rest %= b
    return " ".join([*found, str(rest)]), rest


def _taken(rest: int, b: int, *, brief: bool = False) -> str:
    """Return one step of a division: the digit, and for a large divisor also the subtraction and its result."""
    times = rest // b
    if b <= _KNOWN_TABLE or not times:
        return f"{rest}:{times}"
    return f"{rest}:{times}-{times * b}" + ("" if brief else f"={rest % b}")


def ratio(a: int, b: int, shown: int = _DIGITS, *, brief: bool = False) -> str | None:
    """Return the division of two positive numbers to so many digits; None if it needs none."""
    if a < 10 and b < 10 and a % b == 0:
        return None
    before, rest = _division(a, b, brief=brief) if a >= 100 or b >= 10 else (f"{a // b} {a % b}", a % b)
    digits = len(str(a // b)) if a >= b else 0
    found = [".", *_behind_the_point(rest, b, (digits, shown), brief=brief)]
    return " ".join([before, *found] if a >= b else found)


def _behind_the_point(rest: int, b: int, written: tuple[int, int], *, brief: bool) -> list[str]:
    """Return the digits behind the point until the remainder is 0, one digit repeats, or a float shows no more."""
    found: list[str] = []
    digits, shown = written
    while rest and digits < shown:
        following = rest * 10 % b
        found.append(_taken(rest * 10, b, brief=brief))
        if following == rest:
            return [*found, ".."]
        digits += bool(digits or rest * 10 // b)
        rest = following
    return found


def _powers(a: int, b: int) -> str | None:
    if b == 2:
        return _times(a, a) if a > 19 else None
    if not 2 < b < 65 or a < 2 or _ROUND.match(str(a)):
        return None
    written = long_products.power(a, b) if a > 2 else None
    if written is not None and len(written) <= _LONGEST_POWER:
        return written
    return " ".join(str(a**exponent) for exponent in range(2, b + 1)) if a == 2 or a**b <= _LARGEST_POWER else None


def remainders(a: int, exponent: int, modulus: int) -> str | None:
    """Return the remainder of each power of a number, of multiples for an inverse; None for other negative numbers,
    many powers or a large modulus."""
    if exponent == -1 and 1 < modulus <= _LARGEST_INVERTED and a > 0:
        return _multiples(a % modulus, modulus)
    if not 0 < exponent <= _MOST_TERMS or a < 0 or modulus < 2:
        return None
    rest, found = a % modulus, [f"{a}:{a % modulus}" if a >= modulus else str(a)]
    for _ in range(exponent - 1):
        product = rest * (a % modulus)
        rest = product % modulus
        found.append(f"{product}:{rest}")
    return " ".join(found)


def _multiples(a: int, modulus: int) -> str | None:
    if gcd(a, modulus) != 1:
        return None
    found = [a % modulus]
    while found[-1] != 1:
        found.append((found[-1] + a) % modulus)
    return " ".join(map(str, [*found, len(found)]))


def in_base(digits: str, base: int) -> str | None:
    """Return the value after each digit; None if the digits are no number or too few to need it."""
    try:
        values = [int(digit, base) for digit in digits]
    except ValueError:
        return None
    return (
        " ".join(map(str, accumulate(values, lambda total, value: total * base + value))) if len(values) > 2 else None
    )


def rounded(number: int, places: int) -> str:
    """Return how a number is rounded to so many zeros: what is cut off beside its half; ties go to the even digit."""
    unit = 10**places
    kept, cut = divmod(abs(number), unit)
    sign = "=" if 2 * cut == unit else "<" if 2 * cut < unit else ">"
    return f"{kept}|{cut:0{places}d}{sign}{unit // 2} {round(abs(number), -places) // unit}"


def periodic(a: int, b: int, shown: int) -> str:
    """Return a division of positive numbers, in brief, until its digits come again or one more than shown is there."""
    before, rest = _division(a, b, brief=True) if a >= b else ("", a)
    found, seen = list[str](), dict[int, int]()
    digits = len(str(a // b)) if a >= b else 0
    while rest and digits <= shown and rest not in seen:
        seen[rest] = len(found)
        found.append(_taken(rest * 10, b, brief=True))
        digits += bool(digits or rest * 10 // b)
        rest = rest * 10 % b
    ending = [f"{rest * 10}..{len(found) - seen[rest]}"] if rest in seen else []
    return " ".join([*filter(None, [before]), ".", *found, *ending])


def running(numbers: list[int]) -> str:
    """Return a sum term by term: `3+5=8-4=4`; long additions with their columns, `1287+1716(7+6=13 ..)=3003`."""
    found, total = [str(numbers[0])], numbers[0]
    for number in numbers[1:]:
        work = column_arithmetic.summed(total, number) if len(numbers) <= _MOST_TERMS else None
        total += number
        found.append(f"{number:+d}{f'({work})' if work else ''}={total}")
    return "".join(found)
