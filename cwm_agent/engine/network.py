"""The network: a small decoder-only transformer over bytes; knows no text.

Before each attention a causal convolution of width five mixes a token with the four before it in the same segment.
Queries and keys are normalised, and rotary position embeddings are computed in fp32. Matrices are stored in fp32 and
used in the type of the activations, so training has exact master weights and fast products.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from cwm_agent.engine.attention import Attention, AttentionLayout, Kernel, attention_over
from cwm_agent.engine.shape import EPSILON, HEAD_WIDTH, Shape


def rms_norm(values: Tensor, gain: Tensor) -> Tensor:
    """Values scaled to mean square one, times the gain."""
    return functional.rms_norm(values, (values.shape[-1],), gain.to(values.dtype), EPSILON)


Product = Callable[[Tensor, Tensor], Tensor]
"""Of a matrix and values, as `linear`."""


def linear(matrix: Tensor, values: Tensor) -> Tensor:
    """The product with a matrix, or with several stacked matrices, in the type of the values."""
    return functional.linear(values, matrix.to(values.dtype).reshape(-1, matrix.shape[-1]))


def rotation(positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
    """Cosine and sine of each position's angles in fp32; (..., half a head)."""
    half = HEAD_WIDTH // 2
    rates = base ** (-torch.arange(half, device=positions.device, dtype=torch.float32) / half)
    angles = positions.float()[..., None] * rates
    return angles.cos(), angles.sin()


def rotate(values: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Values rotated by their position; in fp32, because with bf16 angles a tenth fewer steps are exact."""
    left, right = values.float().chunk(2, dim=-1)
    return torch.cat((left * cosine - right * sine, left * sine + right * cosine), dim=-1).to(values.dtype)


class Convolution(nn.Module):
    """Weighted sum of each channel over the last tokens of the same segment; initialised as the identity."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.taps = nn.Parameter(torch.zeros(shape.window, shape.width))
        nn.init.ones_(self.taps[0])

    def forward(self, values: Tensor, offsets: Tensor) -> Tensor:
        taps = self.taps.to(values.dtype)
        mixed = values * taps[0]
        for back in range(1, len(taps)):
            earlier = functional.pad(values[:, :-back], (0, 0, back, 0))
            mixed = mixed + earlier * (offsets >= back)[..., None] * taps[back]
        return mixed


class TransformerBlock(nn.Module):
    """One layer: convolution and attention, then the gated feed-forward part."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width, hidden = shape.width, shape.hidden
        self.heads, self.key_heads = shape.heads, shape.key_heads
        self.attention_gain = nn.Parameter(torch.ones(width))
        self.convolution = Convolution(shape)
        if shape.shared_heads == 1:
            self.query_key_value = nn.Parameter(torch.empty(3, width, width))
        else:
            self.query = nn.Parameter(torch.empty(width, width))
            self.key_value = nn.Parameter(torch.empty(2, self.key_heads * HEAD_WIDTH, width))
        self.query_gain = nn.Parameter(torch.ones(HEAD_WIDTH))
        self.key_gain = nn.Parameter(torch.ones(HEAD_WIDTH))
        self.attention_out = nn.Parameter(torch.zeros(width, width))
        self.feed_gain = nn.Parameter(torch.ones(width))
        self.gate_up = nn.Parameter(torch.empty(2, hidden, width))
        self.down = nn.Parameter(torch.zeros(width, hidden))

    def initialise(self) -> None:
        """Draw the matrices that are not zero at the start of training."""
        projections = (self.query_key_value,) if self.heads == self.key_heads else (self.query, self.key_value)
        for matrices in (*projections, self.gate_up):
            nn.init.normal_(matrices, std=self.attention_gain.numel() ** -0.5)

    def projection(self) -> Tensor:
        """The matrix of all heads of queries, then of keys, then of values, one below the other."""
        if self.heads == self.key_heads:
            return self.query_key_value.flatten(0, 1)
        return torch.cat((self.query, self.key_value.flatten(0, 1)))

    def forward(
        self,
        stream: Tensor,
        layout: AttentionLayout,
        angles: tuple[Tensor, Tensor],
        attend: Attention,
        *,
        product: Product = linear,
    ) -> Tensor:
        rows, length, width = stream.shape
        mixed = self.convolution(rms_norm(stream, self.attention_gain), layout.offsets)
        projected = product(self.projection(), mixed).view(rows, length, -1, HEAD_WIDTH).transpose(1, 2)
        queries, keys, values = torch.split(projected, [self.heads, self.key_heads, self.key_heads], dim=1)
        queries = rotate(rms_norm(queries, self.query_gain), *angles)
        keys = rotate(rms_norm(keys, self.key_gain), *angles)
        attended = attend(queries, keys, values).transpose(1, 2).reshape(rows, length, width)
        stream = stream + product(self.attention_out, attended)
        gate, up = product(self.gate_up, rms_norm(stream, self.feed_gain)).chunk(2, dim=-1)
        return stream + product(self.down, functional.silu(gate) * up)


class Network(nn.Module):
    """The transformer; gives logits of the next token at every position of packed rows."""

    def __init__(self, shape: Shape, *, initialised: bool = True) -> None:
        """Without `initialised` some parameters hold any numbers; it saves time where weights are loaded next."""
        super().__init__()
        self.shape = shape
        self.product: Product = linear
        """Computes the products of the blocks; training may round in them as int8 does."""
        self.embedding = nn.Parameter(torch.empty(shape.vocabulary, shape.width))
        blocks = [TransformerBlock(shape) for _ in range(shape.layers)]
        self.blocks = nn.ModuleList(blocks)
        self.final_gain = nn.Parameter(torch.ones(shape.width))
        self.head = nn.Parameter(torch.zeros(shape.vocabulary, shape.width))
        if initialised:
            for block in blocks:
                block.initialise()
            nn.init.normal_(self.embedding, std=0.1)

    def forward(self, tokens: Tensor, layout: AttentionLayout, *, kernel: Kernel, dtype: torch.dtype) -> Tensor:
        """Logits in `dtype`, of shape (rows, length, vocabulary)."""
        attend = attention_over(layout, kernel)
        cosine, sine = rotation(layout.positions, self.shape.rotation_base)
        angles = cosine[:, None], sine[:, None]
        stream = functional.embedding(tokens, self.embedding).to(dtype)
        for block in self.blocks:
            stream = block(stream, layout, angles, attend, product=self.product)
        return linear(self.head, rms_norm(stream, self.final_gain))


def count_parameters(network: Network) -> int:
    """Number of trained parameters."""
    return sum(parameter.numel() for parameter in network.parameters())
