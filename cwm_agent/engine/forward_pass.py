"""The network's forward pass with a memory of what was read, for asking and not for training; knows no bytes.

The same function as `Network.forward` on single segments, in the form that is fast to ask: keys and values are kept,
the convolution's last inputs are kept, products run in bf16 where the machine is good at it while the stream stays in
fp32. Reading a prompt, going on by one token and checking a guess at several are the same: more tokens in each row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from cwm_agent.engine.kv_cache import KVCache, Reading, pieces
from cwm_agent.engine.matrix_products import Product, gated, product, rounded
from cwm_agent.engine.network import EPSILON, HEAD_WIDTH, Network, apply, rotation
from cwm_agent.engine.positions import TokenPositions, TokenSpan, even, places


@dataclass(frozen=True, slots=True)
class Layer:
    """One block's parameters in the form they are used in."""

    taps: Tensor
    """The convolution's, each times the gain of the norm before it."""
    query_key_value: Product
    query_key_gain: Tensor
    """(2, 1, head width)."""
    out: Product
    feed_gain: Tensor
    gate_up: Product
    down: Product


class ForwardPass:
    """A network made ready for asking."""

    def __init__(self, network: Network, *, dtype: torch.dtype, device: torch.device) -> None:
        self.shape, self.dtype, self.device = network.shape, dtype, device

        def exact(parameter: Any) -> Tensor:
            found: Tensor = parameter.detach().to(device, torch.float32)
            return found

        def rough(parameter: Any) -> Tensor:
            found: Tensor = parameter.detach().to(device, dtype)
            return found.contiguous()

        self.embedding, self.final_gain = exact(network.embedding), exact(network.final_gain)
        self.head = exact(network.head)
        self.layers = [
            Layer(
                taps=exact(block.convolution.taps) * exact(block.attention_gain),  # type: ignore[union-attr]
                query_key_value=product(rough(_paired(exact(block.query_key_value)).flatten(0, 1))),
                query_key_gain=_interleave(torch.stack((exact(block.query_gain), exact(block.key_gain))))[:, None],
                out=product(rough(block.attention_out)),
                feed_gain=exact(block.feed_gain),
                gate_up=gated(*rough(block.gate_up)),
                down=product(rough(block.down)),
            )
            for block in network.blocks
        ]

    def memory(self, rows: int, columns: int, spare: Tensor | None = None) -> KVCache:
        """Rows that have read nothing."""
        return KVCache.empty(self.shape, rows, columns, dtype=self.dtype, device=self.device, spare=spare)

    def memory_size(self, rows: int, columns: int) -> int:
        """Numbers that a memory's keys and values are."""
        return 2 * self.shape.layers * rows * columns * self.shape.width

    def read_bytes(self, rows: int, columns: int) -> int:
        """Bytes that a pass over one token a row cannot help reading: the products' matrices, keys and values."""
        shape, size = self.shape, self.dtype.itemsize
        matrices = shape.layers * shape.width * (4 * shape.width + 3 * shape.hidden)
        return size * (matrices + rows * columns * 2 * shape.layers * shape.width) + self.head.nbytes

    def read(self, texts: Sequence[Sequence[int]], memory: KVCache, rows: slice) -> Reading:
        """Some tokens more in each of these rows of the memory; it has to be told how many of them count."""
        stand = self._stand(list(map(len, texts)), memory, rows)
        computed, recent = len(stand.mixed), len(stand.inputs) - stand.tokens
        turn = torch.complex(*rotation(stand.positions, self.shape.rotation_base))[:, None, None]
        inputs = self.embedding.new_empty(len(self.layers), recent + computed, self.shape.width)
        inputs[:, :recent] = memory.recent[:, rows].flatten(1, 2)
        stream = self.embedding[torch.tensor([*chain(*texts), *[0] * (computed - stand.tokens)], device=self.device)]
        for layer, kept, own in zip(self.layers, memory.kept, inputs, strict=True):
            torch.mul(stream, _scale(stream), out=own[recent:])
            mixed = _convolved(own.index_select(0, stand.inputs), layer.taps).to(self.dtype)
            split = self._project(layer, mixed.index_select(0, stand.mixed), turn)
            stream = self._finish(layer, stream, _attended(split, kept, stand))
        return Reading(stream[: stand.tokens], inputs, stand.inputs, stand.starts)

    def logits(self, stream: Tensor) -> Tensor:
        """Logits of the next token, in fp32."""
        return apply(self.head, stream * _scale(stream) * self.final_gain)

    def _stand(self, counts: list[int], memory: KVCache, rows: slice) -> TokenPositions:
        """Where so many tokens more of each row stand; the memory has room for them."""
        lengths = memory.lengths[rows]
        memory.make_room(even(max(length + count for length, count in zip(lengths, counts, strict=True))))
        laid_out = self.dtype == torch.bfloat16 and self.device.type == "cpu"
        return places(
            counts,
            lengths,
            first=rows.start,
            columns=memory.kept.shape[2],
            window=self.shape.window - 1,
            computed=rounded(sum(counts)) if laid_out else sum(counts),
            dtype=self.dtype,
            device=self.device,
        )

    def _project(self, layer: Layer, mixed: Tensor, turn: Tensor) -> Tensor:
        """Queries, keys and values, (tokens, 3, heads, head width)."""
        split = layer.query_key_value(mixed).view(-1, 3, self.shape.heads, HEAD_WIDTH)
        raw = split[:, :2].to(torch.float32, copy=True)
        split[:, :2] = _rotated(raw.mul_(_scale(raw)).mul_(layer.query_key_gain), turn)
        return split

    def _finish(self, layer: Layer, stream: Tensor, read: Tensor) -> Tensor:
        """The stream after attention's output and the feed-forward part."""
        stream.add_(layer.out(read).float())
        fed = (stream * _scale(stream)).mul_(layer.feed_gain).to(self.dtype)
        return stream.add_(layer.down(layer.gate_up(fed)).float())


def _attended(split: Tensor, kept: Tensor, stand: TokenPositions) -> Tensor:
    """What the tokens read by looking back, (tokens, width); their own keys and values are kept."""
    queries, own = split[:, 0], split.flatten(1)[: stand.tokens, split[0, 0].numel() :]
    pieces(kept.flatten(2).flatten(0, 1)).index_copy_(0, stand.targets, pieces(own))
    read = [_looked_back(queries, kept, span) for span in stand.spans]
    return read[0] if len(read) == 1 else torch.cat(read)


def _looked_back(queries: Tensor, kept: Tensor, span: TokenSpan) -> Tensor:
    """What the tokens of a span read, (tokens, width)."""
    asking = queries.index_select(0, span.filled).view(-1, span.longest, *queries.shape[1:])
    keys, values = kept[span.rows, : span.columns].unbind(dim=2)
    read = functional.scaled_dot_product_attention(
        asking.transpose(1, 2),
        keys.transpose(1, 2),
        values.transpose(1, 2),
        attn_mask=span.mask,
        is_causal=span.mask is None,
    )
    return read.transpose(1, 2).flatten(2).flatten(0, 1).index_select(0, span.back)


def _scale(values: Tensor) -> Tensor:
    """What brings the last axis to mean square one, as `network.rms_norm` does before its gain."""
    length: Tensor = torch.linalg.vector_norm(values, dim=-1, keepdim=True)
    return torch.addcmul(length.new_tensor(EPSILON), length, length, value=1 / values.shape[-1]).rsqrt_()


def _interleave(values: Tensor) -> Tensor:
    """The two halves of the last axis (a head) taken in turns, so that what is rotated together lies together."""
    return torch.stack(values.chunk(2, dim=-1), dim=-1).flatten(-2)


def _paired(matrices: Tensor) -> Tensor:
    """Query, key and value matrices with the heads of the first two interleaved; their products stay the same."""
    heads = matrices[:2].reshape(2, -1, HEAD_WIDTH, matrices.shape[-1]).transpose(2, 3)
    paired = _interleave(heads).transpose(2, 3).flatten(1, 2)
    return torch.cat((paired, matrices[2:]))


def _rotated(values: Tensor, turn: Tensor) -> Tensor:
    """Pairs of neighbours turned by their position: one complex product."""
    return torch.view_as_real(torch.view_as_complex(values.view(*values.shape[:-1], -1, 2)).mul_(turn)).flatten(-2)


def _convolved(inputs: Tensor, taps: Tensor) -> Tensor:
    """The causal convolution at all but the first inputs, which are there to be looked back at; (places, width)."""
    earlier = len(taps) - 1
    mixed = inputs[earlier:] * taps[0]
    for back in range(1, len(taps)):
        mixed.addcmul_(inputs[earlier - back : -back], taps[back])
    return mixed
