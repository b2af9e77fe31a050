"""Writes out greatest common divisors, roots and hexadecimal digits step by step; knows only whole numbers.

gcd(1071, 462)    1071:2-924=147 462:3-441=21 147:7-147=0      each number by the remainder before it
lcm(12, 18)       18:1-12=6 12:2-12=0; 12/6=2*18=36            then one number by the divisor, times the other
isqrt(1369)       30:900 40:1600 37:1369 38:1444               place by place: the last root that fits, the next one
hex(43981)        43981 43:2-32=11 119:7-112=7 .. 13; 2748 ..  each division by 16 written out
int('1f4', 16)    1 16+15=31 496+4=500                         the value so far by 16, plus the digit
"""

from math import gcd

from cwm_agent.views.scratchpad.arithmetic import long_arithmetic

_LARGEST = 10**12
_SMALL = 256
"""Numbers below have two hexadecimal digits at most: one division, which needs no columns."""
_HEX_LIMIT = 10**6


def multiplied(a: int, b: int) -> str:
    """Return a product with its result, and with the long multiplication between them where it needs one."""
    work, found = long_arithmetic.arithmetic(a, "*", b), str(a * b)
    return f"{a}*{b}={found}" if work is None else f"{a}*{b}={work}" + ("" if work.endswith(found) else f"={found}")


def divisor(a: int, b: int) -> str | None:
    """Return the divisions by which Euclid finds the greatest common divisor, down to a remainder of 0 or 1."""
    a, b = sorted((abs(a), abs(b)), reverse=True)
    found = []
    while b > 1 and a <= _LARGEST:
        found.append(_remainder(a, b))
        a, b = b, a % b
    return " ".join(found) or None


def _remainder(a: int, b: int) -> str:
    times = a // b
    work = long_arithmetic.arithmetic(a, "%", b) if times > 9 else None
    return f"{a}({work})={a % b}" if work else f"{a}:{times}-{times * b}={a % b}"


def multiple(a: int, b: int) -> str | None:
    """Return the steps to the least common multiple: the common divisor, then a quotient and a product."""
    a, b = sorted((abs(a), abs(b)))
    steps = divisor(a, b)
    if steps is None:
        return None
    common = gcd(a, b)
    return f"{steps}; {a}/{common}={multiplied(a // common, b)}"


def reduced(numerator: int, denominator: int) -> str | None:
    """Return how a ratio is reduced: the common divisor's steps, the divisor, the ratio; None if it needs none."""
    steps = divisor(numerator, denominator)
    if steps is None:
        return None
    common = gcd(numerator, denominator) * (1 if denominator > 0 else -1)
    return f"{steps}; {abs(common)} {numerator // common}/{denominator // common}"


def root(number: int) -> str | None:
    """Return, for each decimal place, the last root whose square fits and the next one, with their squares."""
    if not 100 <= number <= _LARGEST:
        return None
    found, known = [], 0
    for place in reversed(range((len(str(number)) + 1) // 2)):
        unit: int = 10**place
        while (known + unit) ** 2 <= number:
            known += unit
        found += [f"{each}:{each * each}" for each in (known, known + unit)]
    return " ".join(found)


def hexadecimal(number: int) -> str | None:
    """Return the divisions by 16, the last digit first; None for one digit or too many."""
    if not 16 <= number < _HEX_LIMIT:
        return None
    found = []
    while number:
        work = long_arithmetic.arithmetic(number, "%", 16) if number >= _SMALL else None
        found.append(f"{number} {work}" if work else f"{number}:{number % 16}")
        number //= 16
    return "; ".join(found)


def from_hexadecimal(digits: str) -> str | None:
    """Return the value after each digit, as sixteen times the value before plus the digit; None for short texts."""
    try:
        values = [int(digit, 16) for digit in digits]
    except ValueError:
        return None
    if not 2 < len(values) < 9:
        return None
    found, total = [str(values[0])], values[0]
    for value in values[1:]:
        found.append(f"{total * 16}+{value}={total * 16 + value}")
        total = total * 16 + value
    return " ".join(found)
