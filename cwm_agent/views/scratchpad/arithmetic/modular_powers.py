"""Writes out what a number times a power of two leaves modulo an odd number; knows only whole numbers.

20 * 2**52 % 67     20*54=1080 108:1-67=41 410:6-402=8 8     the power's remainder by heart
93 * 2**50 % 175    48:106 93*4=372 372:2-350=22 22 106*2=212:1-175=37 370+212=582:3-525=57
                                                             from 2**48 (or 2**40) by heart for a longer modulus

The last product goes digit by digit of the shorter factor, each added to ten times the remainder so far.
"""

from cwm_agent.views.scratchpad.arithmetic import long_arithmetic

LARGEST_MODULUS = 999
_KNOWN_MODULUS = 99
"""Largest one for which the remainder of every power is known by heart."""
_KNOWN_POWERS = (48, 40)
_MOST_DOUBLINGS = 9


def remainder(number: int, power: int, modulus: int) -> tuple[int, str] | None:
    """Return `number * 2**power % modulus` and the workings; None for a power that is far from the known ones."""
    left = number % modulus
    if modulus <= _KNOWN_MODULUS:
        right = pow(2, power, modulus)
        return left * right % modulus, _reduced(left, right, modulus)
    known = next((each for each in _KNOWN_POWERS if 0 <= power - each <= _MOST_DOUBLINGS), None)
    if known is None:
        return None
    right, doubled = pow(2, known, modulus), 2 ** (power - known)
    work = [f"{known}:{right}"]
    if doubled > 1:
        work.append(_reduced(left, doubled, modulus))
    left = left * doubled % modulus
    work.append(_digit_by_digit(min(left, right), max(left, right), modulus))
    return left * right % modulus, " ".join(work)


def _reduced(left: int, right: int, modulus: int) -> str:
    """A product, and the division that leaves its remainder."""
    work = long_arithmetic.arithmetic(left * right, "%", modulus)
    return f"{left}*{right}={left * right}" + (f" {work}" if work else "")


def _digit_by_digit(short: int, long: int, modulus: int) -> str:
    """The product with each digit of the shorter factor, added to ten times the remainder so far."""
    found, rest = [], 0
    for place, digit in enumerate(map(int, str(short))):
        value = rest * 10 + long * digit
        sign = f"{rest * 10}+{long * digit}={value}" if place else f"{long}*{digit}={value}"
        times, rest = divmod(value, modulus)
        found.append(f"{sign}:{times}-{times * modulus}={rest}" if times else sign)
    return " ".join(found)
