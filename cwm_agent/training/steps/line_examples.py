"""Single lines with the values they read: the main source of the local view, drawn from the pattern tables.

Python runs each line; nothing here computes an answer. The same seed gives the same examples.
"""

from collections.abc import Iterator
from itertools import accumulate
from random import Random

from cwm_agent.training.example import Example
from cwm_agent.training.patterns.composed_patterns import MAKERS
from cwm_agent.training.patterns.pattern import pattern_family
from cwm_agent.training.steps.line_labels import line_example

QUERY_LIMIT = 600
ANSWER_LIMIT = 450
"""Limits in bytes; longer examples are drawn again."""

_SHARES = {
    "strings": 0.14, "formats": 0.022, "lists": 0.11, "dicts": 0.055, "sets": 0.03, "numbers": 0.09, "loops": 0.055,
    "collections": 0.05, "moves": 0.04, "tables": 0.08, "weak": 0.13, "everyday": 0.15,
}  # fmt: skip
"""Share of the examples of each table of patterns; composed lines are the rest. `everyday` has the simplest lines on
evenly distributed operands, since a long run has hundreds of them; `weak` the kinds with the lowest accuracy."""


def _weighed() -> tuple[list[object], list[float]]:
    drawers: list[object] = []
    weights: list[float] = []
    for name, share in _SHARES.items():
        family = pattern_family(name)
        total = sum(pattern.weight for pattern in family)
        drawers += [pattern.draw for pattern in family]
        weights += [share * pattern.weight / total for pattern in family]
    rest = 1 - sum(_SHARES.values())
    total = sum(weight for _, weight in MAKERS)
    drawers += [maker for maker, _ in MAKERS]
    weights += [rest * weight / total for _, weight in MAKERS]
    return drawers, list(accumulate(weights))


def lines(seed: int) -> Iterator[Example]:
    """An infinite stream of local-view examples."""
    rng = Random(seed)
    drawers, weights = _weighed()
    while True:
        drawn = rng.choices(drawers, cum_weights=weights)[0](rng)  # type: ignore[operator]
        example = line_example(drawn.statement, drawn.values, drawn.kind, constants=drawn.constants)
        if example is not None and _fits(example):
            yield _raised(example) if example.answer.startswith(b"!") else example


def _fits(example: Example) -> bool:
    """Whether the example is short enough and contains no memory address."""
    sizes = len(example.query) <= QUERY_LIMIT and len(example.answer) <= ANSWER_LIMIT
    return sizes and b" at 0x" not in example.answer


def _raised(example: Example) -> Example:
    """The example with a kind of its own if it raises, because then the exception is the hard part."""
    name = example.answer[1:].partition(b"(")[0].decode()
    return Example(example.context, example.query, example.answer, f"raises.{name}")
