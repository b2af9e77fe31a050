"""Generated examples that an update trains on beside new ones, so that the network keeps what it knew.

They come from the sources that the network was trained on, in about the same shares. The same seed gives the same
examples. Runs generated programs in this process, as training does.
"""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from random import Random

from cwm_agent.training.example import HELD_OUT_SEED, Example, Source, infinite_examples
from cwm_agent.training.steps.line_examples import lines
from cwm_agent.training.steps.program_examples import local_steps, program_steps

LONGEST_CONTEXT = 200
"""Bytes of the source of a program in the program view; longer ones cost more than an update may."""
LONGEST_EXAMPLE = 160
"""Bytes of query and answer together."""
BURST = 4
"""Examples drawn from one source before the next one is chosen."""
SOURCES: tuple[tuple[Source, float], ...] = (
    (lines, 0.5),
    (local_steps, 0.25),
    (partial(program_steps, most=LONGEST_CONTEXT), 0.25),
)


def replay_examples(seed: int, count: int) -> list[Example]:
    """That many generated examples of both views."""
    return list(islice(_mixed(seed), count))


def held_out_examples(count: int) -> list[Example]:
    """That many examples from seeds that neither training nor replay draws."""
    return list(islice(_mixed(HELD_OUT_SEED), count))


def _mixed(seed: int) -> Iterator[Example]:
    rng = Random(seed)
    streams = [_short(infinite_examples(source, seed)) for source, _ in SOURCES]
    weights = [weight for _, weight in SOURCES]
    while True:
        yield from islice(rng.choices(streams, weights)[0], BURST)


def _short(examples: Iterator[Example]) -> Iterator[Example]:
    return (each for each in examples if len(each.query) + len(each.answer) <= LONGEST_EXAMPLE)
