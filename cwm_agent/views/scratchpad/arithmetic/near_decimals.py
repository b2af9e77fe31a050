"""Writes out products and quotients of two long decimals to some ten digits, without their points; knows no program.

1.7320508100147274 * 1.4142135623730951    141421356237*17320508100=0=0; 0=0; 4 1 4 1=1414; ..; .. 4 2=244948974611
2.5 / 1.727328386239065                    2500000000/1727328386 1(-6 -9 -4 ..)=772671614 4(-28 -14 ..)=81740262 ..

A product is taken by each digit of the right factor from its end, by one more digit of the left factor each time. A
quotient is taken by a divisor that loses its last digit from step to step.

The model must place the point, and guess the digits that are not told: a program that rounds the result at the end, or
compares it, rarely sees them. Every column is a product of two digits with the carry and with the digit above.
"""

from decimal import Decimal

from cwm_agent.views.scratchpad.arithmetic import long_products

_FACTOR = 12
"""Digits of the left factor that count for the first digit of the right one."""
_DIVISOR, _LARGEST_DIGIT = 10, 9
_MOST_COLUMNS = 90
"""Most digits of one factor times those of the other for an exact product."""


def product(a: Decimal, b: Decimal) -> str | None:
    """Return the product of two numbers; None if one of them is nothing or a power of ten."""
    left, right = sorted((_digits(a), _digits(b)), key=lambda digits: (-len(digits), digits))
    if not left.strip("0") or len(right) < 2:
        return None
    if len(left) * len(right) <= _MOST_COLUMNS:
        return f"{left}*{right}={long_products.rows(int(left), int(right))}"
    most = min(_FACTOR, len(left))
    left, right = left[:most], right[: most - 1]
    found, total = [], 0
    for place in reversed(range(len(right))):
        kept, digit = int(left[: most - place]), int(right[place])
        found.append(long_products.row(kept, digit, total))
        total += kept * digit
    return f"{left}*{right}={'; '.join(found)}"


def quotient(a: Decimal, b: Decimal) -> str | None:
    """Return the quotient of two numbers; None if one of them is nothing."""
    above, below = (int(_digits(each)[:_DIVISOR].ljust(_DIVISOR, "0")) for each in (a, b))
    if not above or not below:
        return None
    rest = above if above >= below else above * 10
    found = [f"{rest}/{below}"]
    for _ in range(_DIVISOR):
        digit = min(rest // below, _LARGEST_DIGIT)  # ten where what the divisor has lost is seen
        columns = _taken_away(rest, below, digit)
        rest -= digit * below
        found.append(f"{digit}({columns})={rest}" if digit else "0")
        below //= 10
    return " ".join(found)


def _digits(number: Decimal) -> str:
    return "".join(map(str, number.normalize().as_tuple().digits))


def _taken_away(rest: int, below: int, digit: int) -> str:
    """Return from the right each digit of the rest less the divisor's digit times the digit, less what is borrowed."""
    found, borrowed = [], 0
    divisor, digits = str(below), str(rest)
    first = max(len(digits) - len(divisor), 0) + 1
    above = [digits[:first], *digits[first:]] if rest >= below else list(digits.rjust(len(divisor), "0"))
    for one, other in zip(reversed(above), reversed(divisor), strict=True):
        found.append(int(one) - int(other) * digit - borrowed)
        borrowed = -(found[-1] // 10)
    return " ".join(map(str, found))
