"""Writes out products and powers whose numbers are too long for columns of single sums; knows only whole numbers.

734259 * 48613    27 17 7 13 10 22=2202777; 16 ..     by each digit from the right; a column is the digit's product
                                                      plus the digit above it plus the carry
37 ** 3           37*37=259+1110=1369; 1369*37=..=50653
7 ** 5            49 343 2401(7 0 28 16)16807

A row begins with the sum so far without its last digit, which is a digit of the result. So every column is a number of
two digits, and a row is as long as one without the sums.
"""

from cwm_agent.views.scratchpad.arithmetic import column_arithmetic

LARGEST = 10**21
"""Beyond this no power is written out."""
_KNOWN = 1000
"""Numbers below are multiplied by one digit at once."""
_SHORT_BASE = 10
_SHORT = 2
"""Most digits of factors whose product is the sum of two products by one digit."""


def rows(a: int, b: int) -> str:
    """Return the sums of the products by each digit of the right factor; all last digits are the result's."""
    found, total = [], 0
    for digit in map(int, reversed(str(b))):
        before = total // 10
        total = before + a * digit
        found.append(row(a, digit, before))
    return "; ".join(found)


def row(a: int, digit: int, before: int) -> str:
    """Return the sums of a product by one digit with the number above it, and the result."""
    return f"{_columns(a, digit, before) if digit else 0}={before + a * digit}"


def _columns(a: int, digit: int, before: int) -> str:
    carry, found = 0, []
    digits = str(a)
    above = str(before).rjust(len(digits), "0")
    for one, other in zip(reversed(digits), reversed(above), strict=True):
        found.append(int(one) * digit + int(other) + carry)
        carry = found[-1] // 10
    return " ".join(map(str, found))


def power(base: int, exponent: int) -> str | None:
    """Return a power by one product after the other; None if it is too large."""
    if base**exponent >= LARGEST:
        return None
    numbers = [base**place for place in range(1, exponent + 1)]
    if base < _SHORT_BASE:
        return "".join(_by_digit(known, base) for known in numbers[:-1]).lstrip()
    return "; ".join(f"{known}*{base}={_product(known, base)}" for known in numbers[:-1])


def _by_digit(known: int, base: int) -> str:
    """The next power, behind the columns of the product in brackets where it needs them."""
    return f"({column_arithmetic.carried(known, base)}){known * base}" if known >= _KNOWN else f" {known * base}"


def _product(a: int, b: int) -> str:
    """The product with its columns, ending in the result."""
    a, b = max(a, b), min(a, b)
    if column_arithmetic.is_long_product(a, b):
        return column_arithmetic.product(a, b)
    if len(str(a)) > _SHORT:
        return f"{rows(a, b)}={a * b}"
    partials = [a * int(digit) * 10**place for place, digit in enumerate(reversed(str(b))) if digit != "0"]
    return f"{'+'.join(map(str, partials))}={a * b}"
