"""Examples and their sources: the contract between generators and training.

A *source* is a callable `(seed: int) -> Iterator[Example]`, named on the command line as `module:function`. The same
seed gives the same examples. Consecutive examples about one program have the same `context`, which is then packed once.
Knows no generator and no network.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from cwm_agent.plugins import PluginError, load_callable

HELD_OUT_SEED = 2**40
"""Evaluation uses seeds from this number on; training uses smaller ones."""
MAX_FAILURES = 20
"""Exceptions of one source that are tolerated."""


@dataclass(frozen=True, slots=True)
class Example:
    """One query with its right answer."""

    context: bytes
    """Text that neighbouring examples share, such as numbered source; empty in the local view."""
    query: bytes
    answer: bytes
    kind: str
    """The construct it teaches; evaluation reports by kind."""


Source = Callable[[int], Iterator[Example]]


class SourceError(ValueError):
    """A source of examples that cannot be used."""


@dataclass(frozen=True, slots=True)
class Share:
    """A source and its share of the rows."""

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


def infinite_examples(source: Source, seed: int) -> Iterator[Example]:
    """An infinite stream of examples: a source that ends or raises is started again with the next seed.

    A run draws millions of examples and must not fail because of one. If a source raises before its first example, or
    more than `MAX_FAILURES` times, its exception is passed on.
    """
    failures = 0
    while True:
        count = 0
        try:
            for count, example in enumerate(source(seed), start=1):  # noqa: B007  the last count is used below
                yield example
        except Exception:
            failures += 1
            if not count or failures > MAX_FAILURES:
                raise
        if not count:
            raise SourceError(f"The source gave no example for seed {seed}; it must yield at least one per seed.")
        seed += 1


def held_out(source: Source, count: int, *, seed: int = 0) -> list[Example]:
    """`count` examples from seeds that training never draws."""
    return list(islice(infinite_examples(source, HELD_OUT_SEED + seed), count))
