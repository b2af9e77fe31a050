"""Triton kernels of one decoding step: what lies between the matrix products of a layer, one new token in each row.

    mix             residual sum, norm and convolution before the projection
    attend          norm and rotation of query and key, a new column of the KV cache, attention over all columns
    add_and_norm    residual sum and norm before the feed-forward part

Each kernel reads and writes every number once. Lengths and the rows that are still decoding are read on the device, so
a recorded graph of these kernels is right for any lengths. Needs Triton, which comes with torch for CUDA; it compiles
the kernels from this source and accepts no annotations but its own.
"""

import triton
import triton.language as tl
from torch import Tensor

from cwm_agent.engine.shape import EPSILON, HEAD_WIDTH

COLUMNS = 64
"""Columns of the KV cache that a program of `attend` reads at once."""


def mix(stream: Tensor, added: Tensor, inputs: Tensor, taps: Tensor, *, active: Tensor, out: Tensor) -> None:
    """Add `added` to the residual stream, normalise, convolve with the last inputs; these move on in active rows."""
    rows, width = stream.shape
    _mix[(rows,)](
        stream, added, inputs, taps, active, out,
        inputs.stride(0), width, EPSILON, window=len(taps), block=triton.next_power_of_2(width),
    )  # fmt: skip


def attend(
    projected: Tensor, keys_values: Tensor, lengths: Tensor, *, gain: Tensor, angles: tuple[Tensor, Tensor], out: Tensor
) -> None:
    """Write keys and values of the new tokens to column `lengths` of the cache, and attend to it and those before.

    `projected` is (rows, heads of queries, keys and values, head width), `angles` are cosines and sines by position.
    """
    rows, key_heads = len(projected), keys_values.shape[3]
    heads = projected.shape[1] - 2 * key_heads
    _attend[(rows, heads)](
        projected, keys_values, lengths, gain, *angles, out,
        keys_values.stride(0), keys_values.stride(1), heads, key_heads, EPSILON,
        HEAD_WIDTH**-0.5, head_width=HEAD_WIDTH, block=COLUMNS,
    )  # fmt: skip


def add_and_norm(stream: Tensor, added: Tensor, gain: Tensor, *, out: Tensor) -> None:
    """Add `added` to the residual stream; `out` is the stream at mean square one, times the gain."""
    rows, width = stream.shape
    _add_and_norm[(rows,)](stream, added, gain, out, width, EPSILON, block=triton.next_power_of_2(width))


@triton.jit
def _mix(
    stream, added, inputs, taps, active, out,
    row_stride, width, epsilon, window: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    place = tl.arange(0, block)
    inside = place < width
    values = tl.load(stream + row * width + place, mask=inside, other=0.0)
    values += tl.load(added + row * width + place, mask=inside, other=0.0).to(tl.float32)
    tl.store(stream + row * width + place, values, mask=inside)
    newest = values * tl.rsqrt(tl.sum(values * values, axis=0) / width + epsilon)
    mixed = newest * tl.load(taps + place, mask=inside, other=0.0)
    goes_on = tl.load(active + row) != 0
    first = inputs + row * row_stride
    before = newest
    for slot in tl.static_range(window - 1):  # the oldest input first
        earlier = tl.load(first + slot * width + place, mask=inside, other=0.0)
        mixed += earlier * tl.load(taps + (window - 1 - slot) * width + place, mask=inside, other=0.0)
        if slot > 0:
            tl.store(first + (slot - 1) * width + place, tl.where(goes_on, earlier, before), mask=inside)
        before = earlier
    tl.store(first + (window - 2) * width + place, tl.where(goes_on, newest, before), mask=inside)
    tl.store(out + row * width + place, mixed.to(out.dtype.element_ty), mask=inside)


@triton.jit
def _turned(start, gain, cosine, sine, epsilon, head_width: tl.constexpr):
    """A query or key at mean square one, times its gain, each pair of neighbours rotated by its position."""
    pair = tl.arange(0, head_width // 2)
    even = tl.load(start + 2 * pair).to(tl.float32)
    odd = tl.load(start + 2 * pair + 1).to(tl.float32)
    scale = tl.rsqrt((tl.sum(even * even, axis=0) + tl.sum(odd * odd, axis=0)) / head_width + epsilon)
    even = even * scale * tl.load(gain + 2 * pair)
    odd = odd * scale * tl.load(gain + 2 * pair + 1)
    return tl.interleave(even * cosine - odd * sine, even * sine + odd * cosine)


@triton.jit
def _attend(
    projected, keys_values, lengths, gain, cosines, sines, out,
    row_stride, column_stride, heads, key_heads, epsilon, scale,
    head_width: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    place = tl.arange(0, head_width)
    pair = tl.arange(0, head_width // 2)
    length = tl.load(lengths + row)
    cosine = tl.load(cosines + length * (head_width // 2) + pair)
    sine = tl.load(sines + length * (head_width // 2) + pair)
    start = projected + row * (heads + 2 * key_heads) * head_width
    key_head = head // (heads // key_heads)
    own_key = (heads + key_head) * head_width
    kind = keys_values.dtype.element_ty
    query = _turned(start + head * head_width, gain, cosine, sine, epsilon, head_width).to(kind).to(tl.float32) * scale
    key = _turned(start + own_key, gain + heads * head_width, cosine, sine, epsilon, head_width).to(kind)
    value = tl.load(start + own_key + key_heads * head_width + place)
    cache = keys_values + row * row_stride + key_head * head_width
    tl.store(cache + length * column_stride + place, key)  # heads that share keys store the same
    tl.store(cache + length * column_stride + key_heads * head_width + place, value)

    best = tl.sum(query * key.to(tl.float32), axis=0)
    total = best * 0 + 1.0
    summed = value.to(tl.float32)
    for first in range(0, length, block):
        column = first + tl.arange(0, block)
        inside = column < length
        there = cache + column[:, None] * column_stride + place[None, :]
        keys = tl.load(there, mask=inside[:, None], other=0.0).to(tl.float32)
        scores = tl.where(inside, tl.sum(keys * query[None, :], axis=1), -float("inf"))
        highest = tl.maximum(best, tl.max(scores, axis=0))
        weights = tl.exp(scores - highest)
        rescale = tl.exp(best - highest)
        values = tl.load(there + key_heads * head_width, mask=inside[:, None], other=0.0).to(tl.float32)
        summed = summed * rescale + tl.sum(values * weights[:, None], axis=0)
        total = total * rescale + tl.sum(weights, axis=0)
        best = highest
    tl.store(out + (row * heads + head) * head_width + place, (summed / total).to(kind))


@triton.jit
def _add_and_norm(stream, added, gain, out, width, epsilon, block: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    place = tl.arange(0, block)
    inside = place < width
    values = tl.load(stream + row * width + place, mask=inside, other=0.0)
    values += tl.load(added + row * width + place, mask=inside, other=0.0).to(tl.float32)
    tl.store(stream + row * width + place, values, mask=inside)
    scale = tl.rsqrt(tl.sum(values * values, axis=0) / width + epsilon)
    normal = values * scale * tl.load(gain + place, mask=inside, other=0.0)
    tl.store(out + row * width + place, normal.to(out.dtype.element_ty), mask=inside)
