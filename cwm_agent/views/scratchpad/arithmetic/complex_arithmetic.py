"""Writes out products and quotients of complex numbers with short parts; knows only their text.

(2+1j) * (3+4j)    2*3=6 1*4=4 6-4=2; 2*4=8 1*3=3 8+3=11
(1+2j) / (3+4j)    1*3=3 2*4=8 3+8=11; 2*3=6 1*4=4 6-4=2; 9+16=25 11/25=0.44 2/25=0.08
abs((3-4j))        9+16=25 5*5=25            `real_roots.py`, where the root is found
"""

import operator
import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from cwm_agent.views.scratchpad.arithmetic import long_arithmetic, real_roots

_PART = r"\d{1,4}(?:\.\d{1,3})?"
_NUMBER = re.compile(rf"\(?(?:(-?{_PART})(?=[+)-]|$))?(?:([+-]?{_PART})j)?\)?$")
_REAL: Mapping[str, Callable[[complex, complex], complex]] = {"*": operator.mul, "/": operator.truediv}
_MOST_PLACES = 6
_DIGITS = 17

Parts = tuple[Fraction, Fraction]
"""The real and the imaginary part."""


def is_complex(text: str) -> bool:
    """Whether a text is that of a complex number."""
    return text.endswith(("j", "j)")) and _NUMBER.match(text) is not None


def _parts(text: str) -> Parts | None:
    match = _NUMBER.match(text)
    return None if match is None or not text else (Fraction(match[1] or 0), Fraction(match[2] or 0))


def arithmetic(left: str, sign: str, right: str) -> str | None:
    """Return the workings of a product, a quotient or a square; None where they would not lead to Python's result."""
    if sign == "**" and right == "2":
        sign, right = "*", left
    one, other = _parts(left), _parts(right)
    if one is None or other is None or sign not in _REAL or (sign == "/" and not any(other)):
        return None
    found = _product(one, other) if sign == "*" else _quotient(one, other)
    real = _REAL[sign](complex(*map(float, one)), complex(*map(float, other)))
    return found[0] if complex(*map(float, found[1])) == real else None


def _product(one: Parts, other: Parts) -> tuple[str, Parts]:
    (a, b), (c, d) = one, other
    work = f"{_pair(a, c, '-', b, d)}; {_pair(a, d, '+', b, c)}"
    return work, (a * c - b * d, a * d + b * c)


def _quotient(one: Parts, other: Parts) -> tuple[str, Parts]:
    (a, b), (c, d) = one, other
    real, imaginary, below = a * c + b * d, b * c - a * d, c * c + d * d
    work = f"{_pair(a, c, '+', b, d)}; {_pair(b, c, '-', a, d)}; {_text(c * c)}+{_text(d * d)}={_text(below)}"
    return f"{work} {_divided(real, below)} {_divided(imaginary, below)}", (real / below, imaginary / below)


def _pair(a: Fraction, b: Fraction, sign: str, c: Fraction, d: Fraction) -> str:
    """Two products, and their sum or difference."""
    second = c * d if sign == "+" else -c * d
    joined = f"{_text(a * b)}{'' if second < 0 else '+'}{_text(second)}={_text(a * b + second)}"
    return f"{_text(a)}*{_text(b)}={_text(a * b)} {_text(c)}*{_text(d)}={_text(c * d)} {joined}"


def _divided(above: Fraction, below: Fraction) -> str:
    """A ratio as a decimal, with the division where that has no end; what is left out of both is a power of ten."""
    ratio, found = f"{_text(above)}/{_text(below)}", above / below
    if found * 10**_MOST_PLACES % 1 == 0:
        return f"{ratio}={_text(found)}"
    scale = max(above.denominator, below.denominator)
    work = long_arithmetic.ratio(abs(int(above * scale)), int(below * scale), _DIGITS, brief=True)
    return f"{ratio} {work}"


def _text(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else repr(float(value))


def length(text: str) -> str | None:
    """Return the squares of both parts, their sum and its root; None for parts that are not whole."""
    parts = _parts(text)
    if parts is None or any(part.denominator > 1 for part in parts):
        return None
    return real_roots.hypotenuse(str(int(parts[0])), str(int(parts[1])))
