"""The parameters of one block as inference needs them: in fp32, numbers that are rotated together as neighbours."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from cwm_agent.engine.network import HEAD_WIDTH, Shape


class LayerParameters(NamedTuple):
    """Parameters of one block, in fp32."""

    taps: Tensor
    """Weights of the convolution, each times the gain of the norm before it."""
    turned_gain: Tensor
    """Of each head of queries, then of keys."""
    feed_gain: Tensor
    query_key_value: Tensor
    attention_out: Tensor
    gate_up: Tensor
    """The gate's matrix, then the other one, (2 * hidden, width)."""
    down: Tensor


def layer_parameters(block: Any, shape: Shape, exact: Callable[[Any], Tensor]) -> LayerParameters:
    """The parameters of a block, each as `exact` gives it."""
    gains = block.query_gain.expand(shape.heads, -1), block.key_gain.expand(shape.key_heads, -1)
    return LayerParameters(
        taps=exact(block.convolution.taps) * exact(block.attention_gain),
        turned_gain=_interleave(torch.cat([exact(each) for each in gains])),
        feed_gain=exact(block.feed_gain),
        query_key_value=_with_paired_heads(exact(block.projection()), shape.heads + shape.key_heads),
        attention_out=exact(block.attention_out),
        gate_up=exact(block.gate_up).flatten(0, 1),
        down=exact(block.down),
    )


def _interleave(values: Tensor) -> Tensor:
    """The two halves of the last axis (a head) interleaved: numbers that are rotated together become neighbours."""
    return torch.stack(values.chunk(2, dim=-1), dim=-1).flatten(-2)


def _with_paired_heads(matrix: Tensor, count: int) -> Tensor:
    """The matrix of all heads with the first so many (queries and keys) interleaved; their products stay the same."""
    heads = matrix.view(-1, HEAD_WIDTH, matrix.shape[-1])
    paired = _interleave(heads[:count].transpose(1, 2)).transpose(1, 2)
    return torch.cat((paired, heads[count:])).flatten(0, 1)
