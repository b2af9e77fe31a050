"""The network's forward pass with a KV cache, for inference only; knows no bytes.

It computes the same function as `Network.forward` on single segments, in a faster form: keys, values and the last
inputs of the convolutions are cached, and products run in bf16 where the machine supports it, while the residual stream
stays in fp32. Prefill, decoding one token and checking several draft tokens are the same operation with different
numbers of new tokens per row.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from cwm_agent.engine.arrays.protocol import Array
from cwm_agent.engine.arrays.torch_arrays import TorchArrays, as_16_byte_blocks
from cwm_agent.engine.block_end import BlockEnd, rms_scale
from cwm_agent.engine.kv_cache import ForwardOutput, KVCache
from cwm_agent.engine.layer_parameters import Floats, LayerParameters, NetworkParameters, StoredMatrix, layer_parameters
from cwm_agent.engine.network import Network, linear, rotation
from cwm_agent.engine.positions import TokenPositions, TokenSpan, token_positions
from cwm_agent.engine.products.matrix_products import MatrixProduct, matrix_product, padded_count
from cwm_agent.engine.shape import HEAD_WIDTH


@dataclass(frozen=True, slots=True)
class TensorLogProbs:
    """Log-probabilities of next tokens."""

    values: Tensor
    """(tokens, vocabulary)."""

    def best(self) -> tuple[list[int], list[float]]:
        best, tokens = self.values.max(dim=-1)
        return tokens.tolist(), best.tolist()

    def of(self, tokens: Sequence[int]) -> list[float]:
        wanted = torch.tensor(tokens, device=self.values.device)
        found: list[float] = self.values.gather(1, wanted[:, None])[:, 0].tolist()
        return found


@dataclass(frozen=True, slots=True)
class Layer:
    """Parameters of one block, prepared for inference."""

    taps: Tensor
    """Weights of the convolution, each times the gain of the norm before it."""
    query_key_value: MatrixProduct
    query_key_gain: Tensor
    """Of each head of queries, then of keys, (heads, head width)."""
    end: Callable[[Tensor, Tensor], Tensor]
    """From the residual stream and the attention output to the stream after the block; it may reuse the stream."""


class ForwardPass:
    """A network prepared for inference."""

    is_native = False

    def __init__(self, network: Network, *, dtype: torch.dtype, device: torch.device) -> None:
        """Matrices, values, keys and the cache are in the type."""
        self.shape, self.dtype, self.device = network.shape, dtype, device
        self.arrays = TorchArrays(dtype, device)
        self._pads = device.type == "cpu"
        """Whether a pass computes a number of tokens that products are fast for."""
        self._turned = self.shape.heads + self.shape.key_heads
        """Heads that are normalised and rotated: those of queries and keys."""
        parameters = NetworkParameters.of(network)
        names = ("embedding", "final_gain", "head")
        self.embedding, self.final_gain, self.head = (self._exact(parameters.exact(name)) for name in names)
        self.layers = [self._layer(layer_parameters(parameters, layer)) for layer in range(self.shape.layers)]

    def _exact(self, values: Floats) -> Tensor:
        return torch.from_numpy(values).to(self.device)

    def _layer(self, parameters: LayerParameters) -> Layer:
        """One block, prepared."""

        def rounded(matrix: StoredMatrix) -> Tensor:
            return self._exact(matrix.exact()).to(self.dtype).contiguous()

        end = BlockEnd.of(
            rounded(parameters.attention_out),
            self._exact(parameters.feed_gain),
            rounded(parameters.gate_up).view(2, -1, self.shape.width),
            rounded(parameters.down),
        )
        product = matrix_product(rounded(parameters.query_key_value))
        return Layer(self._exact(parameters.taps), product, self._exact(parameters.turned_gain), end)

    def new_kv_cache(self, rows: int, columns: int, buffer: Array | None = None) -> KVCache:
        """An empty KV cache; it uses the buffer if it is large enough."""
        return KVCache.empty(self.shape, self.arrays, rows=rows, columns=columns, buffer=buffer)

    def forward(
        self, tokens: Sequence[Sequence[int]], kv_cache: KVCache, rows: slice, wanted: Sequence[int] | None = None
    ) -> ForwardOutput:
        """Compute new tokens in these rows and write them to the cache; the caller commits how many are accepted.

        `wanted` are the indices, among all new tokens, of those whose result is needed (None: all). The last layer
        computes only keys and values of the others.
        """
        where = self._positions(list(map(len, tokens)), kv_cache, rows)
        computed, earlier = len(where.conv_outputs), len(where.conv_order) - where.tokens
        angles = torch.complex(*rotation(where.positions, self.shape.rotation_base))[:, None]
        inputs = self.embedding.new_empty(len(self.layers), earlier + computed, self.shape.width)
        inputs[:, :earlier] = kv_cache.conv_inputs[:, rows].flatten(1, 2)
        ids = [*chain(*tokens), *[0] * (computed - where.tokens)]
        order = torch.from_numpy(where.conv_order).to(self.device)
        stream = self.embedding[torch.tensor(ids, device=self.device)]
        chosen = None if wanted is None else self._padded_indices(wanted)
        caches = _layer_caches(kv_cache.keys_values, where.spans)
        for layer, cache, own in zip(self.layers, caches, inputs, strict=True):
            torch.mul(stream, rms_scale(stream), out=own[earlier:])
            mixed = _convolved(own.index_select(0, order), layer.taps).to(self.dtype)
            projected = self._project(layer, mixed.index_select(0, where.conv_outputs), angles)
            attended = _attend(projected, self.shape.heads, cache, where)
            if chosen is not None and layer is self.layers[-1]:
                stream, attended = stream.index_select(0, chosen), attended.index_select(0, chosen)
            stream = layer.end(stream, attended)
        hidden = stream[: where.tokens if wanted is None else len(wanted)]
        return ForwardOutput(hidden, inputs, where.conv_order, where.conv_starts)

    def _padded_indices(self, wanted: Sequence[int]) -> Tensor:
        """The indices, padded to a number of rows that products are fast for."""
        padding = [0] * (self._computed_tokens(max(1, len(wanted))) - len(wanted))
        return torch.tensor([*wanted, *padding], device=self.device)

    def _computed_tokens(self, count: int) -> int:
        """Tokens that a pass computes for so many, padding included."""
        return padded_count(count) if self._pads else count

    def logits(self, hidden: Tensor) -> Tensor:
        """Logits of the next token, in fp32."""
        return linear(self.head, hidden * rms_scale(hidden) * self.final_gain)

    def next_tokens(self, hidden: Tensor) -> "TensorLogProbs":
        """What may follow the tokens of a result."""
        return TensorLogProbs(self.logits(hidden).log_softmax(dim=-1))

    def inference(self) -> AbstractContextManager[object]:
        """Torch keeps no account of gradients inside."""
        return torch.inference_mode()

    def _positions(self, counts: list[int], kv_cache: KVCache, rows: slice) -> TokenPositions:
        """Indices of that many new tokens per row; the cache grows to hold them."""
        kv_cache.reserve_tokens(rows, counts)
        return token_positions(
            counts,
            kv_cache.lengths[rows],
            first=rows.start,
            columns=kv_cache.keys_values.shape[2],
            window=self.shape.window - 1,
            computed=self._computed_tokens(sum(counts)),
            dtype=self.dtype,
            device=self.device,
        )

    def _project(self, layer: Layer, mixed: Tensor, angles: Tensor) -> Tensor:
        """Queries, keys and values, (tokens, heads, head width)."""
        projected = layer.query_key_value(mixed).view(len(mixed), -1, HEAD_WIDTH)
        raw = projected[:, : self._turned].float()  # in fp32 the same numbers, so that they are changed in place
        rotated = _rotated(raw.mul_(rms_scale(raw)).mul_(layer.query_key_gain), angles)
        if raw.dtype != projected.dtype:
            projected[:, : self._turned] = rotated
        return projected


class _LayerCache(NamedTuple):
    """The keys and values of one layer, as attention needs them."""

    blocks: Tensor
    """Every column of every row, in blocks of sixteen bytes."""
    by_span: Sequence[tuple[Tensor, Tensor]]
    """Keys and values of each span, (rows, key heads, columns, head width)."""


def _layer_caches(keys_values: Tensor, spans: Sequence[TokenSpan]) -> Iterator[_LayerCache]:
    """The cache of each layer, cut for all layers at once, which takes a third of the time."""
    blocks = as_16_byte_blocks(keys_values.flatten(3).flatten(1, 2)).unbind()
    cut = [keys_values[:, span.rows, : span.columns].transpose(2, 4).unbind(dim=3) for span in spans]
    by_span = [zip(keys.unbind(), values.unbind(), strict=True) for keys, values in cut]
    return (_LayerCache(*each) for each in zip(blocks, zip(*by_span, strict=True), strict=True))


def _attend(projected: Tensor, heads: int, cache: _LayerCache, where: TokenPositions) -> Tensor:
    """Attention output of the new tokens, (tokens, width); their keys and values are written to the cache first."""
    queries, own = projected[:, :heads], projected.flatten(1)[: where.tokens, heads * HEAD_WIDTH :]
    cache.blocks.index_copy_(0, where.cache_slots, as_16_byte_blocks(own))
    attended = [_attend_span(queries, *each, span) for each, span in zip(cache.by_span, where.spans, strict=True)]
    if padding := len(projected) - where.tokens:
        attended.append(projected.new_zeros(padding, heads * HEAD_WIDTH))
    return attended[0] if len(attended) == 1 else torch.cat(attended)


def _attend_span(queries: Tensor, keys: Tensor, values: Tensor, span: TokenSpan) -> Tensor:
    """Attention output of the tokens of a span, (tokens, width)."""
    own = queries[span.tokens] if span.padded is None else queries.index_select(0, span.padded)
    padded = own.view(-1, span.longest, *queries.shape[1:])
    heads, key_heads = queries.shape[1], keys.shape[1]
    if heads == key_heads or span.mask is None:
        attended = functional.scaled_dot_product_attention(
            padded.transpose(1, 2),
            keys.repeat_interleave(heads // key_heads, dim=1) if heads != key_heads else keys,
            values.repeat_interleave(heads // key_heads, dim=1) if heads != key_heads else values,
            attn_mask=span.mask,
            is_causal=span.mask is None,
        ).transpose(1, 2)
    else:
        attended = _attend_shared(padded, keys, values, span.mask)
    found = attended.flatten(2).flatten(0, 1)
    return found if span.unpadded is None else found.index_select(0, span.unpadded)


def _attend_shared(padded: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
    """Attention output, (rows, tokens, heads, head width): queries that share keys count as tokens of one head."""
    rows, longest, heads, width = padded.shape
    key_heads = keys.shape[1]
    shared = heads // key_heads
    queries = padded.view(rows, longest, key_heads, shared, width).permute(0, 2, 1, 3, 4).flatten(2, 3)
    attended = functional.scaled_dot_product_attention(
        queries, keys, values, attn_mask=mask.repeat_interleave(shared, dim=2)
    )
    return attended.view(rows, key_heads, longest, shared, width).permute(0, 2, 1, 3, 4).flatten(2, 3)


def _rotated(values: Tensor, angles: Tensor) -> Tensor:
    """Rotary position embedding in place: pairs of neighbours rotated by their position, as one complex product."""
    torch.view_as_complex(values.view(*values.shape[:-1], -1, 2)).mul_(angles)
    return values


def _convolved(inputs: Tensor, taps: Tensor) -> Tensor:
    """The causal convolution at all inputs but the first `len(taps) - 1`; (outputs, width)."""
    newest, *others = taps.unbind()
    mixed = inputs[len(others) :] * newest
    for back, tap in enumerate(others, start=1):
        mixed.addcmul_(inputs[len(others) - back : -back], tap)
    return mixed
