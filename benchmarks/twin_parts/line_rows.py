"""Rows of training: lines of code with their answers, drawn by numbered chunks, so that every twin has the same order.

A chunk is what one seed draws. Workers draw and encode chunks; batches leave in the order of the chunks' numbers,
whichever worker is ready first. Rows of similar length form a batch, by their bytes and not by their tokens, so that
the batches of all twins hold the same rows. Loads no torch.
"""

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count, islice
from random import Random

from benchmarks.twin_parts.token_codecs import ByteCodec, PairCodec, TokenCodec
from benchmarks.twin_parts.token_rows import END, TokenBatch, TokenRow, padded
from cwm_agent.jobs.job_loop import run_jobs
from cwm_agent.jobs.placement import HERE, Placement
from cwm_agent.jobs.protocol import LostItem, Runner, Tell
from cwm_agent.training.data_feed import RUN_SEEDS, FeedError
from cwm_agent.training.example import HELD_OUT_SEED, Example, Share, infinite_examples, resolve

STEPS = "cwm_agent.training.steps"
SHARES = (
    Share("lines", f"{STEPS}.line_examples:lines", 0.45),
    Share("library", f"{STEPS}.line_examples:library_lines", 0.35),
    Share("steps", f"{STEPS}.program_examples:local_steps", 0.2),
)
"""Sources of the lines and their shares."""
CHUNK = 4096
"""Examples of a chunk."""
CHUNK_SEEDS = 2**16
"""Seeds of each chunk; a source that ends takes the next one."""
MOST_SEED = HELD_OUT_SEED // RUN_SEEDS - 1
"""Seeds above this one would draw lines that are held out."""


def examples_of(seed: int, number: int, size: int = CHUNK) -> Iterator[Example]:
    """The examples of one chunk."""
    base = seed * RUN_SEEDS + number * CHUNK_SEEDS
    streams = [infinite_examples(resolve(share.target), base) for share in SHARES]
    weights = [share.weight for share in SHARES]
    rng = Random(base)
    return (next(rng.choices(streams, weights)[0]) for _ in range(size))


def row_of(example: Example, codec: TokenCodec) -> TokenRow:
    """Question, end, answer and end as tokens."""
    question = codec.ids(example.query.decode())
    start = len(question) + 1
    return TokenRow((*question, END, *codec.ids(example.answer.decode()), END), start, start)


def size_of(example: Example) -> int:
    """Tokens of the row where a byte is a token; no other tokens are more."""
    return len(example.query) + len(example.answer) + 2


def codec_of(name: str, *, seed: int, texts: int, size: int) -> TokenCodec:
    """`bytes`, or `pairs`: so many tokens, learnt from the questions and answers that training draws first."""
    if name == "bytes":
        return ByteCodec()
    drawn = islice((each for number in count() for each in examples_of(seed, number)), texts)
    return PairCodec.learnt((text.decode() for each in drawn for text in (each.query, each.answer)), size)


@dataclass(frozen=True, slots=True)
class LineWork:
    """Draws chunks; an item is the number of a chunk."""

    codec: TokenCodec
    seed: int
    batch: int
    """Bytes of a batch, padding included."""
    longest: int
    """Bytes of a row; longer ones are left out for every twin."""
    isolates: bool = False
    chunk: int = CHUNK

    @contextmanager
    def opened(self, tell: Tell) -> Iterator[Runner[int, list[TokenBatch]]]:
        yield lambda numbers: ((place, self.batches(number)) for place, number in enumerate(numbers))

    def batches(self, number: int) -> list[TokenBatch]:
        """The batches of one chunk, in an order that its number fixes."""
        drawn = examples_of(self.seed, number, self.chunk)
        groups = list(grouped((each for each in drawn if size_of(each) <= self.longest), self.batch))
        Random(number).shuffle(groups)
        return [padded([row_of(each, self.codec) for each in group]) for group in groups]


def grouped(examples: Iterable[Example], most: int) -> Iterator[list[Example]]:
    """Examples of similar length, as many as have that many bytes together with their padding."""
    group: list[Example] = []
    for example in sorted(examples, key=lambda each: (size_of(each), each.query)):
        if group and (len(group) + 1) * size_of(example) > most:
            yield group
            group = []
        group.append(example)
    if group:
        yield group


def drawn_batches(work: LineWork, workers: int) -> Generator[TokenBatch, None, None]:
    """Batches without end, drawn ahead by that many processes or, with 0, by this one; closing it ends them."""
    placement = Placement(workers, apart=True) if workers else HERE
    early: dict[int, list[TokenBatch]] = {}
    wanted = 0
    with closing(run_jobs(work, ([number] for number in count()), placement)) as results:
        for found in results:
            if isinstance(found, LostItem):
                raise FeedError(f"The processes that draw lines died: {found.reason} Lower --workers.")
            early[found.item] = found.value
            while wanted in early:
                yield from early.pop(wanted)
                wanted += 1
