"""Writes out digits of large whole numbers in other bases, one easy step after the other; knows only numbers.

oct(1000)           1000 500 250:0 125 62 31:5 15 7 3:7 1:1     halved again and again; behind three halves their digit
hex(1000000)        .. behind four
bin(1000)           1000 500 250 125:1000 62 31 15 7:1110 3 1:11
int('1750', 8)      1 111 101 000; 1 3 7 15 ..                  the bits of each digit; doubled, with the next bit added
int('zz', 36)       35 35*36=.. 1260+35=1295                    the value so far by the base, plus the digit
n.bit_length()      2**17=131072 17+1=18                        the largest power of two that fits
n.bit_count()       1000 500 250 125:1 62 31 15 7:3 3 1:2 1+3+2=6

A number is halved digit by digit from the left, which a network does while it copies; a division by 16 it does not.
"""

from cwm_agent.views.scratchpad.arithmetic import divisor_steps, long_arithmetic

_GROUPS = {2: 4, 8: 3, 16: 4}
"""How many halves stand before a digit, or before four digits of base 2."""
_MOST_BITS = 64


def written(number: int, base: int) -> str | None:
    """Return how a positive number is written in base 2, 8 or 16; None for one digit or too many bits."""
    if not base <= number < 1 << _MOST_BITS:
        return None
    return " ".join(f"{halves}:{_digits(value, base, last)}" for halves, value, last in _groups(number, _GROUPS[base]))


def _digits(value: int, base: int, last: bool) -> str:
    """The digit of a group; of base 2 its four bits, the last group without zeros in front."""
    return f"{value:{'o' if base == 8 else 'x'}}" if base > 2 else f"{value:b}" if last else f"{value:04b}"


def _groups(number: int, size: int) -> list[tuple[str, int, bool]]:
    """The halves in groups, the value of each group's bits, and whether it is the last."""
    found = []
    while number:
        halves = [str(number >> place) for place in range(size) if number >> place]
        found.append((" ".join(halves), number % (1 << size), number < 1 << size))
        number >>= size
    return found


def bit_count(number: int) -> str | None:
    """Return the halves with the ones of each group, and their sum."""
    if not 1 < number < 1 << _MOST_BITS:
        return None
    groups = _groups(number, _GROUPS[2])
    counts = [value.bit_count() for _, value, _ in groups]
    halves = " ".join(f"{text}:{count}" for (text, _, _), count in zip(groups, counts, strict=True))
    return halves if len(counts) == 1 else f"{halves} {'+'.join(map(str, counts))}={sum(counts)}"


def bit_length(number: int) -> str | None:
    """Return the largest power of two that fits, and one more than its exponent."""
    if not 1 < number < 1 << _MOST_BITS:
        return None
    place = number.bit_length() - 1
    return f"2**{place}={1 << place} {place}+1={place + 1}"


def read(digits: str, base: int) -> str | None:
    """Return the value of digits in base 8 or 16 by their bits; None if they are none."""
    digits = digits[2:] if digits[:2].lower() in ("0x", "0o") else digits
    try:
        number = int(digits, base)
    except ValueError:
        return None
    if not 1 < number < 1 << _MOST_BITS or not digits.isalnum():
        return None
    width = _GROUPS[base]
    bits = " ".join(f"{int(digit, base):0{width}b}" for digit in digits).lstrip("0 ")
    return f"{bits}; {long_arithmetic.in_base(bits.replace(' ', ''), 2) or number}"


def read_other(digits: str, base: int) -> str | None:
    """Return the value after each digit of any base; None if they are no digits or too few to need it."""
    try:
        values = [int(digit, base) for digit in digits]
    except ValueError:
        return None
    if len(values) < 2:
        return None
    found, total = [str(values[0])], values[0]
    for value in values[1:]:
        product = divisor_steps.multiplied(total, base) if total else "0"
        found.append(f"{product} {total * base}+{value}={total * base + value}" if value else product)
        total = total * base + value
    return " ".join(found)
