"""Packs examples into rows of tokens, many independent examples in one row; knows no network.

A row holds *segments*: a context once, then examples that attend to it and to themselves only. Six numbers per token
are all that the network and the loss need (see `Field`). A dozen numpy calls make a row, so packing is not slower than
generating. Segment numbers rise along a row and padding is its last segment; `cwm_agent.engine.attention` uses this to
find the needed blocks from the first and last number of each block.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from cwm_agent.engine.tokenizer import Tokenizer
from cwm_agent.training.example import Example

Row = NDArray[np.int16]
"""Shape (fields, length)."""


class Field(IntEnum):
    """Numbers stored for each token."""

    TOKEN = 0
    SEGMENT = 1
    """Number of its segment, from 1."""
    CONTEXT = 2
    """Number of the other segment it may attend to; its own if there is none."""
    OFFSET = 3
    """Distance from the start of its segment."""
    POSITION = 4
    """Distance from the start of its context; examples start right after their context."""
    ROLE = 5
    """Role of the *next* token, see `Role`."""


class Role(IntEnum):
    """What kind of token is predicted, which sets its weight in the loss."""

    NOTHING = 0
    """Padding, or the first token of another segment."""
    QUERY = 1
    ANSWER = 2
    """A byte of an answer, or the END behind it."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One context or example in a row."""

    length: int
    ask: int
    """Offset of ASK; for a context, which has none, the length."""
    context: int
    """Number of the segment of its context, or its own."""
    shift: int
    """Length of its context."""


def step_length(example: Example) -> int:
    """Tokens of the example without context: START, query, ASK, answer, END."""
    return len(example.query) + len(example.answer) + 3


def pack(examples: Sequence[Example], length: int, tokenizer: Tokenizer) -> Row:
    """One row with the examples in order; ValueError if they do not fit."""
    pieces: list[bytes] = []
    segments: list[Segment] = []
    context, context_number = b"", 0
    for example in examples:
        if example.context and (example.context != context or not context_number):
            context, context_number = example.context, len(segments) + 1
            pieces.append(context)
            segments.append(Segment(len(context), len(context), context_number, 0))
        own = len(segments) + 1
        pieces.append(b"\0%b\0%b\0" % (example.query, example.answer))
        seen, shift = (context_number, len(context)) if example.context else (own, 0)
        segments.append(Segment(step_length(example), len(example.query) + 1, seen, shift))
    return _fill(b"".join(pieces), segments, length, tokenizer)


def _fill(raw: bytes, segments: Sequence[Segment], length: int, tokenizer: Tokenizer) -> Row:
    """The six fields of a row, from its bytes with a zero byte for each special token."""
    if len(raw) > length:
        raise ValueError(f"{len(raw)} tokens do not fit into a row of {length}; pack fewer examples.")
    padding = length - len(raw)
    table = np.array(
        [(s.length, s.ask, s.context, s.shift) for s in segments] + [(padding, padding, len(segments) + 1, 0)]
    )
    lengths = table[:, 0]
    starts = np.cumsum(lengths) - lengths
    which = np.repeat(np.arange(len(table)), lengths)
    offset = np.arange(length) - starts[which]
    row = np.empty((len(Field), length), np.int16)
    row[Field.TOKEN, : len(raw)] = np.frombuffer(raw, np.uint8)
    row[Field.TOKEN, len(raw) :] = tokenizer.pad
    row[Field.SEGMENT] = which + 1
    row[Field.CONTEXT] = table[which, 2]
    row[Field.OFFSET] = offset
    row[Field.POSITION] = offset + table[which, 3]
    row[Field.ROLE] = np.where(offset >= table[which, 1], Role.ANSWER, Role.QUERY)
    row[Field.ROLE, (starts + lengths - 1)[lengths > 0]] = Role.NOTHING
    row[Field.ROLE, len(raw) :] = Role.NOTHING
    steps = np.flatnonzero(table[:, 1] < lengths)
    row[Field.TOKEN, starts[steps]] = tokenizer.start
    row[Field.TOKEN, starts[steps] + table[steps, 1]] = tokenizer.ask
    row[Field.TOKEN, starts[steps] + lengths[steps] - 1] = tokenizer.end
    return row


def fits(example: Example, length: int) -> bool:
    """Whether the example with its context fits into a row of that length."""
    return len(example.context) + step_length(example) <= length


def fill_rows(examples: Iterable[Example], length: int) -> Iterator[list[Example]]:
    """The examples in order, in lists that fill one row each; every example must fit."""
    held: list[Example] = []
    used, context = 0, b""
    for example in examples:
        new = len(example.context) if example.context != context else 0
        if used + new + step_length(example) > length:
            yield held
            held, used, context, new = [], 0, b"", len(example.context)
        held.append(example)
        used += new + step_length(example)
        context = example.context or context
    if held:
        yield held
