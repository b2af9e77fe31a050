"""Indices that a forward pass needs, the same for all layers: where each new token stands in cache and batch.

Each row computes its own number of new tokens. They lie one after the other without padding, so rows with few tokens
cost little in products and norms. Only attention pads rows, in spans of neighbours; `attention_spans` cuts the rows
where padding would cost more than another span. Knows no weights and no bytes.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from cwm_agent.engine.kv_cache import conv_order, round_up_columns

SPAN_COST, DEVICE_SPAN_COST = 1_300, 1_000_000
"""What attention in one more span costs beside one token that attends to one column: on a CPU (80 microseconds on a
Neoverse-N1, where the token takes 0.06), and on an accelerator, where it is a guess."""
ROW_COST = 8
"""A row costs as much as so many tokens more, because its keys and values are loaded; fitted as well."""
MOST_PARTS = 64
"""Spans begin and end between so many parts of the rows at most: the time to cut them grows with the square."""


class TokenSpan(NamedTuple):
    """Neighbouring rows whose attention is computed in one operation."""

    rows: slice
    """Rows of the KV cache."""
    longest: int
    """Largest number of new tokens in a row."""
    tokens: slice
    """Of all new tokens."""
    padded: Tensor | None
    """Index of each row's tokens among all new tokens, padded to the longest row; None where none needs it."""
    unpadded: Tensor | None
    """Index of each real token among the padded ones."""
    columns: int
    """Columns that the tokens may attend to."""
    mask: Tensor | None
    """0 where a token may attend, minus infinity elsewhere; None where all rows are empty, so that a causal mask is
    enough."""


class TokenPositions(NamedTuple):
    """Indices of the new tokens of one forward pass."""

    tokens: int
    """Number of new tokens. More may be computed as padding behind them; their results are not used."""
    positions: Tensor
    cache_slots: Tensor
    """Index of each token among the columns of all rows of the KV cache."""
    conv_order: NDArray[np.int64]
    """Inputs of the convolution row by row: of each row first the ones from before, then those at its new tokens."""
    conv_starts: list[int]
    """Where each row begins in `conv_order`."""
    conv_outputs: Tensor
    """Index of each token among the outputs of the convolution."""
    spans: list[TokenSpan]


def token_positions(
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
    """Indices of `counts` new tokens in rows that hold `lengths` tokens, from row `first` of the KV cache on.

    The cache has `columns` columns, the convolution sees `window` earlier tokens, and the pass computes `computed`
    tokens, padding included.
    """
    widths, count = torch.tensor(counts), sum(counts)
    padding = (0, computed - count)
    row = torch.repeat_interleave(torch.arange(len(counts)), widths)
    begins = widths.cumsum(0) - widths
    token = torch.arange(count)
    positions = token - begins[row] + torch.tensor(lengths)[row]
    order, starts = conv_order(counts, window)
    cut = attention_spans(counts, lengths, SPAN_COST if device.type == "cpu" else DEVICE_SPAN_COST)
    spans = [_span(counts, lengths, rows, first, dtype=dtype, device=device) for rows in cut]
    return TokenPositions(
        tokens=count,
        positions=functional.pad(positions, padding).to(device),
        cache_slots=((row + first) * columns + positions).to(device),
        conv_order=order,
        conv_starts=starts,
        conv_outputs=functional.pad(token + window * row, padding).to(device),
        spans=spans,
    )


def attention_spans(counts: Sequence[int], lengths: Sequence[int], span_cost: int) -> list[slice]:
    """Rows with `counts` new tokens behind `lengths` others as spans of neighbours, cut as cheaply as parts allow."""
    step = -(-len(counts) // MOST_PARTS)
    bounds = [*range(0, len(counts), step), len(counts)]
    columns = [round_up_columns(length + count) for length, count in zip(lengths, counts, strict=True)]
    longest, widest = (
        np.array([max(1, *values[at : at + step]) for at in bounds[:-1]]) for values in (counts, columns)
    )
    least = np.zeros(len(bounds))  # what the first so many parts cost
    begins = [0]  # the part with which the last span of the first so many parts begins
    for last in range(len(longest)):
        tokens, width = (np.maximum.accumulate(each[last::-1])[::-1] for each in (longest, widest))
        rows = bounds[last + 1] - np.array(bounds[: last + 1])
        costs = least[: last + 1] + rows * (ROW_COST + tokens) * width + span_cost
        begins.append(int(costs.argmin()))
        least[last + 1] = costs[begins[-1]]
    found, end = list[slice](), len(longest)
    while end:
        found.append(slice(bounds[begins[end]], bounds[end]))
        end = begins[end]
    return found[::-1]


def _span(
    counts: Sequence[int], lengths: Sequence[int], rows: slice, first: int, *, dtype: torch.dtype, device: torch.device
) -> TokenSpan:
    widths, before = torch.tensor(counts[rows], device=device), torch.tensor(lengths[rows], device=device)
    longest = max(1, *counts[rows])
    columns = round_up_columns(max(length + count for length, count in zip(lengths[rows], counts[rows], strict=True)))
    within = torch.arange(longest, device=device)
    begin = sum(counts[: rows.start])
    padded = unpadded = mask = None
    if min(counts[rows]) < longest:
        begins = widths.cumsum(0) - widths + begin
        padded = (begins[:, None] + within).clamp_(max=sum(counts) - 1).flatten()
        unpadded = (within < widths[:, None]).flatten().nonzero()[:, 0]
    if any(lengths[rows]):
        hidden = torch.arange(columns, device=device) > (before[:, None] + within)[:, None, :, None]
        mask = torch.zeros(hidden.shape, dtype=dtype, device=device).masked_fill_(hidden, -torch.inf)
    return TokenSpan(
        rows=slice(first + rows.start, first + rows.stop),
        longest=longest,
        tokens=slice(begin, begin + sum(counts[rows])),
        padded=padded,
        unpadded=unpadded,
        columns=columns,
        mask=mask,
    )
