"""Writes out variances and standard deviations by the distances from the mean; knows only numbers.

variance([1, 4, 1, 7, 7])    1+4=5+1=6+7=13+7=20/5=4; -3 0 -3 3 3; 9+0=9+9=18+9=27+9=36/4 9 0 .
pvariance([1, 2, 5])         1+2=3+5=8/3=2 2; -1 0 3; 1+0=1+9=10; 3*10=30-4=26/9 ..
                             a mean that is not whole is cut off: less the square of what is left of the division
stdev([6, 1, 11])            6+1=7+11=18/3=6; 0 -5 5; 0+25=25+25=50/2=25 5*5=25
                             and the root, where it is a short number

Floats are written without the point, as in `decimal_arithmetic.py`: the squares have twice as many places. A root
without an end is a guess: its digits would take more steps than an answer may have.
"""

import statistics
from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

from cwm_agent.views.scratchpad.arithmetic import decimal_arithmetic, divisor_steps, long_arithmetic

NAMES = frozenset({"variance", "pvariance", "stdev", "pstdev"})
_MOST_PLACES = 2
_FEWEST, _MOST = 2, 10
_LARGEST = 10**6


def spread(name: str, numbers: Sequence[float]) -> str | None:
    """Return the workings of a function of `statistics`; None where they would not lead to its result."""
    places = next((each for each in range(_MOST_PLACES + 1) if _are_whole(numbers, each)), None)
    if places is None or not _FEWEST <= len(numbers) <= _MOST:
        return None
    scaled = [round(number * 10**places) for number in numbers]
    if max(map(abs, scaled)) > _LARGEST:
        return None
    less = 0 if name.startswith("p") else 1
    work, above, below = _squares(scaled, less)
    exact = Fraction(above, below * 100**places)
    variance = (statistics.variance if less else statistics.pvariance)(numbers)
    if float(exact) != float(variance):
        return None
    if name.endswith("variance"):
        return f"{work}{_divided(above, below * 100**places)}"
    return f"{work}/{below * 100**places}{_root(exact)}"


def _are_whole(numbers: Sequence[float], places: int) -> bool:
    return all(Fraction(repr(number)) * 10**places % 1 == 0 for number in numbers)


def _squares(numbers: Sequence[int], less: int) -> tuple[str, int, int]:
    """The workings up to the last sum, and the ratio that is the variance."""
    count = len(numbers)
    mean, rest = divmod(sum(numbers), count)
    distances = [number - mean for number in numbers]
    squares = [each * each for each in distances]
    average = f"{long_arithmetic.running(list(numbers))}/{count}={mean}{f' {rest}' if rest else ''}"
    work = f"{average}; {' '.join(map(str, distances))}; {long_arithmetic.running(squares)}"
    if not rest:
        return work, sum(squares), count - less
    above = count * sum(squares) - rest * rest
    product = divisor_steps.multiplied(count, sum(squares))
    return f"{work}; {product}-{rest * rest}={above}", above, count * (count - less)


def _divided(above: int, below: int) -> str:
    """The ratio and its division."""
    work, ratio = decimal_arithmetic.quotient(above, below) if above else None, f"/{below}"
    if work is None:
        return ratio
    return work.removeprefix(str(above)) if work.startswith(f"{above}/{below} ") else f"{ratio} {work}"


def _root(variance: Fraction) -> str:
    """The variance as a number, and the steps to its root; nothing where that is no short number."""
    for places in range(_MOST_PLACES + 1):
        scaled = variance * 100**places
        if scaled.denominator == 1 and isqrt(scaled.numerator) ** 2 == scaled.numerator:
            root = isqrt(scaled.numerator)
            steps = divisor_steps.root(scaled.numerator)
            return f"={scaled.numerator}{f' {steps}' if steps else ''} {root}*{root}={scaled.numerator}"
    return ""
