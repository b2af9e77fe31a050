"""Where the tokens of a pass stand, the same for all layers; knows no weights and no bytes.

Each row of a batch reads as many tokens as it likes. They lie one behind the other, so that products and norms do no
work for rows that read less than others; only looking back fills rows up, and rows of unlike length do that apart.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

UNLIKE, SHORT = 2, 8
"""A row that reads more than so many times what the shortest of its neighbours does is set apart from them; below SHORT
tokens all are alike."""
COLUMNS_AT_ONCE = 16
"""torch looks at so many columns in one instruction, and at what is left over one by one."""


class TokenSpan(NamedTuple):
    """Neighbouring rows whose tokens look back in one operation."""

    rows: slice
    """Of the memory."""
    longest: int
    """Tokens of a row, at most."""
    filled: Tensor
    """The tokens of each row among all of the pass, filled up to the longest."""
    back: Tensor
    """The tokens' places among those filled up."""
    columns: int
    """That the tokens may look at."""
    mask: Tensor | None
    """0 where a token may look, minus infinity elsewhere; None where all rows begin."""


class TokenPositions(NamedTuple):
    """Where the tokens stand."""

    tokens: int
    """How many there are. Behind them more may be computed, of which nothing comes."""
    positions: Tensor
    targets: Tensor
    """Each token's place among the columns of all rows of the memory."""
    inputs: Tensor
    """The convolution's inputs row by row: of each row those that were recent before, then those at its tokens."""
    starts: list[int]
    """Where each row begins among these."""
    mixed: Tensor
    """Each token's place among what the convolution gives."""
    spans: list[TokenSpan]


def even(columns: int) -> int:
    """So many columns, or the few more that cost less."""
    return -(-columns // COLUMNS_AT_ONCE) * COLUMNS_AT_ONCE


def places(
    counts: Sequence[int],
    lengths: Sequence[int],
    *,
    first: int,
    columns: int,
    window: int,
    computed: int,
    dtype: torch.dtype,
    device: torch.device,
) -> TokenPositions:
    """The places of so many tokens in rows of such lengths, which stand in a memory from its row `first` on.

    The memory has so many columns, the convolution looks back at `window` tokens, and so many are computed.
    """
    widths, count, recent = torch.tensor(counts), sum(counts), window * len(counts)
    extra = (0, computed - count)
    row = torch.repeat_interleave(torch.arange(len(counts)), widths)
    begins = widths.cumsum(0) - widths
    token = torch.arange(count)
    positions = token - begins[row] + torch.tensor(lengths)[row]
    starts = begins + window * torch.arange(len(counts))
    inputs = torch.empty(recent + count, dtype=torch.long)
    inputs[(starts[:, None] + torch.arange(window)).flatten()] = torch.arange(recent)
    inputs[token + window * (row + 1)] = recent + token
    spans = [_span(counts, lengths, each, first, dtype, device) for each in _alike(counts)]
    spans[-1] = spans[-1]._replace(back=functional.pad(spans[-1].back, extra))
    return TokenPositions(
        count,
        functional.pad(positions, extra).to(device),
        ((row + first) * columns + positions).to(device),
        inputs.to(device),
        starts.tolist(),
        functional.pad(token + window * row, extra).to(device),
        spans,
    )


def _alike(counts: Sequence[int]) -> Iterator[slice]:
    """Neighbours of like length."""
    first, longest, shortest = 0, counts[0], counts[0]
    for row, count in enumerate(counts):
        longest, shortest = max(longest, count), min(shortest, count)
        if longest > UNLIKE * max(shortest, SHORT):
            yield slice(first, row)
            first, longest, shortest = row, count, count
    yield slice(first, len(counts))


def _span(
    counts: Sequence[int], lengths: Sequence[int], rows: slice, first: int, dtype: torch.dtype, device: torch.device
) -> TokenSpan:
    widths, before = torch.tensor(counts[rows], device=device), torch.tensor(lengths[rows], device=device)
    longest = max(1, *counts[rows])
    columns = even(max(length + count for length, count in zip(lengths[rows], counts[rows], strict=True)))
    within = torch.arange(longest, device=device)
    begins = widths.cumsum(0) - widths + sum(counts[: rows.start])
    filled = (begins[:, None] + within).clamp_(max=sum(counts) - 1)
    mask = None
    if any(lengths[rows]):
        hidden = torch.arange(columns, device=device) > (before[:, None] + within)[:, None, :, None]
        mask = torch.zeros(hidden.shape, dtype=dtype, device=device).masked_fill_(hidden, -torch.inf)
    back = (within < widths[:, None]).flatten().nonzero()[:, 0]
    return TokenSpan(slice(first + rows.start, first + rows.stop), longest, filled.flatten(), back, columns, mask)
