"""Examples and where they come from: the contract between generators and training; knows neither.

A *source* is a callable `(seed: int) -> Iterator[Example]`, named on the command line as `module:function`.
The same seed gives the same examples. Consecutive examples about one program repeat the same `context`, which
is then stored once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from cwm_agent.plugins import PluginError, load_callable

HELD_OUT_SEED = 2**40
"""Evaluation draws from seeds at and above this; training stays below."""
MOST_BREAKS = 20
"""Exceptions of one source after which it is given up."""


@dataclass(frozen=True, slots=True)
class Example:
    """One question with its right answer."""

    context: bytes
    """What the steps around share, such as numbered source; empty in the local view."""
    query: bytes
    answer: bytes
    kind: str
    """The construct it teaches; evaluation reports by kind."""


Source = Callable[[int], Iterator[Example]]


class SourceError(ValueError):
    """A source of examples that cannot be used as it was named."""


@dataclass(frozen=True, slots=True)
class Share:
    """A source by name and how much of the tokens it gives."""

    name: str
    target: str
    """`module:function`."""
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.weight <= 0:
            raise SourceError(
                f"Source {self.name!r} has weight {self.weight}; give it a weight above 0 or leave it out."
            )


def resolve(target: str) -> Source:
    """The callable that `module:function` names."""
    try:
        source: Source = load_callable(target, "source of examples")
    except PluginError as error:
        raise SourceError(str(error)) from error
    return source


def parse_share(text: str) -> Share:
    """A share from `NAME=module:function[:weight]`."""
    name, equals, rest = text.partition("=")
    parts = rest.split(":")
    if not equals or not name or len(parts) not in (2, 3):
        raise SourceError(f"Write a source as NAME=module:function or NAME=module:function:weight, not {text!r}.")
    try:
        weight = float(parts[2]) if len(parts) == 3 else 1.0
    except ValueError:
        raise SourceError(f"The weight in {text!r} is {parts[2]!r}; it must be a number.") from None
    return Share(name, f"{parts[0]}:{parts[1]}", weight)


def endless(source: Source, seed: int) -> Iterator[Example]:
    """Examples for ever: a source that ends or breaks is started again with the next seed.

    A run of minutes draws millions of examples, and must not be lost to one of them. A source that breaks before its
    first example, or more than `MOST_BREAKS` times, is at fault itself: its exception is passed on.
    """
    breaks = 0
    while True:
        count = 0
        try:
            for count, example in enumerate(source(seed), start=1):  # noqa: B007  the last count is the question
                yield example
        except Exception:
            breaks += 1
            if not count or breaks > MOST_BREAKS:
                raise
        if not count:
            raise SourceError(f"The source gave no example for seed {seed}; it must give at least one.")
        seed += 1


def held_out(source: Source, count: int, *, seed: int = 0) -> list[Example]:
    """`count` examples from seeds that training never draws."""
    return list(islice(endless(source, HELD_OUT_SEED + seed), count))
