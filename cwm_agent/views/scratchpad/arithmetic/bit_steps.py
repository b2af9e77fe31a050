"""Writes out operations on the bits of whole numbers; knows only numbers.

bin(37)      32:1 5 16:0 8:0 4:1 1 2:0 1:1                       each power of two, taken away or not; what is left
5 ^ 255      .. 00000101 11111111 11111010; 1 3 7 15 31 62 ..    both in binary, the result, its value digit by digit
18 & -18     64-18=46; ..                                        a negative number from the next power of two on
5 | -18      .. 46-64=-18                                        and a negative result back
12 << 2      24 48                                               doubled or halved again and again
3232240122 & 255       323:1-256=67 672:2-512=160 .. 250         wide numbers by a mask or a shift: as a division
177573 ^ 104           17757:138.. 37; 37 104 77; 177573-37=177536+77=177613     only the low bits change
"""

from collections.abc import Callable, Mapping

from cwm_agent.views.scratchpad.arithmetic import long_arithmetic

LARGEST = 65535
"""Largest number whose bits are found power by power."""
_KNOWN = 16
"""Numbers below are written in binary at once."""
_MOST_PLACES = 20
_WIDEST = 1 << 40
_SMALL = 1024
"""A second operand below changes only so many of the lowest values of a wide number."""
_BITS: Mapping[str, Callable[[int, int], int]] = {
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
}
SIGNS = frozenset(_BITS)


def powers(number: int) -> str | None:
    """Return which powers of two a number has, from the largest on; None if it is small or too large."""
    if not _KNOWN <= number <= LARGEST:
        return None
    found = []
    for place in reversed(range(number.bit_length())):
        taken = number >> place & 1
        number -= taken << place
        found.append(f"{1 << place}:{taken}" + (f" {number}" if taken and number else ""))
    return " ".join(found)


def operation(a: int, sign: str, b: int) -> str | None:
    """Return the workings of an operation; None for small or huge numbers."""
    if sign in ("<<", ">>"):
        return _shifted(a, sign, b)
    width = max(abs(a), abs(b)).bit_length()
    if width < 3:
        return None
    if max(abs(a), abs(b)) > LARGEST:
        return _wide(max(a, b), min(a, b), sign) if min(a, b) > 1 else None
    if a < 0 or b < 0:
        width += 1
    found = [f"{1 << width}-{-each}={(1 << width) + each}" for each in (a, b) if each < 0]
    left, right = (each % (1 << width) for each in (a, b))
    found += [work for each in (left, right) if (work := powers(each))]
    result = _BITS[sign](left, right)
    found.append(f"{left:0{width}b} {right:0{width}b} {result:0{width}b}")
    value = long_arithmetic.in_base(f"{result:b}", 2) if result >= _KNOWN else None
    found += [value] if value else []
    if result >> width - 1 and min(a, b) < 0:
        found.append(f"{result}-{1 << width}={result - (1 << width)}")
    return "; ".join(found)


def _wide(a: int, b: int, sign: str) -> str | None:
    """Return the remainder by a mask; of a small second number what it does to the lowest bits, put in their place."""
    if a > _WIDEST:
        return None
    if sign == "&" and b & (b + 1) == 0:
        return long_arithmetic.arithmetic(a, "%", b + 1)
    unit = 1 << b.bit_length()
    low = a % unit
    result = _BITS[sign](low, b)
    if b >= _SMALL:
        return None
    work, bits = long_arithmetic.arithmetic(a, "%", unit), operation(low, sign, b)
    small = " ".join(filter(None, (bits, str(result)))) if bits else f"{low}{sign}{b}={result}"
    if work is None or sign == "&":
        return work and f"{work}; {small}"
    return f"{work}; {small}; {long_arithmetic.running([a, -low, result])}"


def _shifted(a: int, sign: str, b: int) -> str | None:
    if LARGEST * 256 < a <= _WIDEST and 0 < b <= _MOST_PLACES:
        return long_arithmetic.arithmetic(a, "//" if sign == ">>" else "*", 1 << b)
    if a < 2 or not 0 <= b <= _MOST_PLACES or a > LARGEST * 256:
        return None
    return " ".join(str(_BITS[sign](a, count)) for count in range(1, b + 1)) or None
