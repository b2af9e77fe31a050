"""Writes out sums, differences and products column by column from the right; knows only whole numbers.

1287 + 1716    7+6=13 8+2=10 2+8=10 1+2=3           the carry is added to the lower digit
40370 - 71     10-1=9 17-8=9 3-1=2 40               so is the borrow; then the unchanged digits
367 * 36       42 40 22=2202; 21 20 11=1101 1+0=1 0+2=2 1+2=3 1=13212
                                                    by each digit from the right, added to the sum so far
6666 * 6       36 39 39 39                          by one digit

A network does not see a number as a whole. In this form it does one small sum at a time, with the digits side by side.
"""

_LONG, _NOT_SHORT = 4, 2
"""Fewest digits of the longer and of the shorter number for which a sum is written out."""
_MOST_COLUMNS = 25
"""Most digits of one factor times those of the other; a longer product is not written out."""


def summed(a: int, b: int) -> str | None:
    """Return the columns of `a + b`; None if the numbers are so short that a model adds them in one step."""
    digits = sorted((len(str(abs(a))), len(str(abs(b)))))
    return _columns(a, b) if digits[1] >= _LONG and digits[0] >= _NOT_SHORT else None


def _columns(a: int, b: int) -> str:
    minus = (a < 0) != (b < 0)
    upper, lower = abs(a), abs(b)
    if upper < lower if minus else len(str(upper)) < len(str(lower)):
        upper, lower = lower, upper
    return _written(str(upper), str(lower), minus)


def _written(upper: str, lower: str, minus: bool) -> str:
    found: list[str] = []
    carry = 0
    for place in range(1, len(upper) + 1):
        if place > len(lower) and not carry:
            return " ".join([*found, upper[: 1 - place]])
        above, below = int(upper[-place]), (int(lower[-place]) if place <= len(lower) else 0) + carry
        if minus:
            carry = int(above < below)
            found.append(f"{above + 10 * carry}-{below}={above + 10 * carry - below}")
        else:
            carry = (above + below) // 10
            found.append(f"{above}+{below}={above + below}")
    return " ".join(found)


def carried(a: int, b: int) -> str:
    """Return the columns of a product by one digit, each with the carry of the one before."""
    found, carry = [], 0
    for digit in reversed(str(a)):
        found.append(int(digit) * b + carry)
        carry = found[-1] // 10
    return " ".join(map(str, found))


def is_long_product(a: int, b: int) -> bool:
    """Whether a product, the longer factor first, is written in columns."""
    long, short = len(str(a)), len(str(b))
    return long >= 3 and short >= 2 and long * short <= _MOST_COLUMNS


def product(a: int, b: int) -> str:
    """Return the products by each digit of the right factor, each added to the sum so far; ends in the product."""
    rows, total = [], 0
    for place, digit in enumerate(map(int, reversed(str(b)))):
        row = f"{carried(a, digit)}={a * digit}" if digit > 1 else f"{a * digit}"
        unit = 10**place
        if place and digit:
            row += f" {_columns(a * digit, total // unit)}={total + a * digit * unit}"
        total += a * digit * unit
        rows.append(row)
    return "; ".join(rows)
