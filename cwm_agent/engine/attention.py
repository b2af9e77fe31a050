"""Attention over packed rows, by two kernels: block-sparse for accelerators, an explicit mask for any device.

A token attends to the earlier tokens of its own segment and of one other segment, which it names as its context.
Segment numbers rise along a row, so a block of keys is needed if and only if the wanted number lies between the first
and the last number of the block. Knows no weights.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from torch import Tensor

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]
"""From queries, keys and values of shape (rows, heads, length, head width) to the attention output; several heads of
queries may share one of keys and values."""
Kernel = Literal["flex", "sdpa"]
BLOCK = 128


class AttentionLayout(NamedTuple):
    """Segment and position of each token; integers of shape (rows, length), as `training.packing.Field` defines."""

    segments: Tensor
    contexts: Tensor
    offsets: Tensor
    positions: Tensor


def plain_mask(layout: AttentionLayout) -> Tensor:
    """True where a token (second to last axis) may attend to another (last axis); (rows, 1, length, length)."""
    theirs = layout.segments[:, None, None, :]
    own = layout.segments[:, None, :, None]
    context = layout.contexts[:, None, :, None]
    indices = torch.arange(layout.segments.shape[1], device=theirs.device)
    return (indices[:, None] >= indices) & ((own == theirs) | (context == theirs))


def visited_blocks(layout: AttentionLayout, block: int = BLOCK) -> Tensor:
    """True where some token of a block (second to last axis) attends to another block; (rows, 1, blocks, blocks)."""
    rows, length = layout.segments.shape
    if length % block:
        raise ValueError(f"Rows of {length} tokens do not divide into blocks of {block}; choose a multiple.")
    numbers = layout.segments.view(rows, length // block, block)
    first, last = numbers[:, :, 0], numbers[:, :, -1]
    own = last[:, None, :] >= first[:, :, None]
    wanted = layout.contexts.view(rows, length // block, block, 1)
    context = ((wanted >= first[:, None, None, :]) & (wanted <= last[:, None, None, :])).any(dim=2)
    indices = torch.arange(length // block, device=first.device)
    return ((own | context) & (indices[:, None] >= indices))[:, None]


def plain_attention(layout: AttentionLayout) -> Attention:
    """Attention by an explicit mask: runs on any device, cost grows with the square of the length."""
    mask = plain_mask(layout)

    def attend(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        shared = queries.shape[1] != keys.shape[1]
        return torch.nn.functional.scaled_dot_product_attention(
            queries, keys, values, attn_mask=mask, enable_gqa=shared
        )

    return attend


def block_attention(layout: AttentionLayout) -> Attention:
    """Attention that skips blocks no token attends to; fast only inside `torch.compile` on an accelerator."""
    from torch.nn.attention.flex_attention import BlockMask, flex_attention

    segments, contexts = layout.segments, layout.contexts

    def allowed(row: Tensor, head: Tensor, token: Tensor, other: Tensor) -> Tensor:
        theirs = segments[row, other]
        return (token >= other) & ((segments[row, token] == theirs) | (contexts[row, token] == theirs))

    visited = visited_blocks(layout).int()
    mask = BlockMask.from_kv_blocks(
        visited.sum(dim=-1, dtype=torch.int32),
        torch.argsort(visited, dim=-1, descending=True, stable=True).int(),
        BLOCK_SIZE=BLOCK,
        mask_mod=allowed,
    )

    def attend(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        shared = queries.shape[1] != keys.shape[1]
        attended = flex_attention(queries, keys, values, block_mask=mask, enable_gqa=shared)
        assert isinstance(attended, Tensor)
        return attended

    return attend


def attention_over(layout: AttentionLayout, kernel: Kernel) -> Attention:
    """The attention of a layout, computed by that kernel."""
    return block_attention(layout) if kernel == "flex" else plain_attention(layout)
