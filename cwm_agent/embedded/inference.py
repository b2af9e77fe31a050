"""The network's forward pass with a memory of what was read, for asking and not for training; knows no bytes.

The same function as `Network.forward` on single segments, in the form that is fast to ask: keys and values are kept,
the convolution's last inputs are kept, products run in bf16 where the machine is good at it while the stream stays in
fp32. Reading a prompt, going on by one token and checking a guess at several are the same: more tokens in each row.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from cwm_agent.embedded.memory import Memory
from cwm_agent.embedded.network import EPSILON, HEAD_WIDTH, Network, apply, rotation
from cwm_agent.embedded.products import Product, gated, product


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


@dataclass(frozen=True, slots=True)
class Prefix:
    """A context that was read, to be looked at by any row."""

    kept: Tensor
    """(layers, length, 2, heads, head width)."""

    @property
    def length(self) -> int:
        return self.kept.shape[1]


class Reading(NamedTuple):
    """What comes of reading some tokens in some rows of a memory; `Memory.accept` says how many of them count."""

    stream: Tensor
    """(rows, tokens, width)."""
    inputs: Tensor
    """(layers, rows, window - 1 + tokens, width)."""


class _Place(NamedTuple):
    """Where the tokens of a pass stand; the same for all layers."""

    turn: Tensor
    """The rotation of queries and keys as complex numbers."""
    columns: int
    """That the tokens may look at."""
    targets: Tensor | None
    """Each token's place among the columns of all rows; None where all rows begin."""
    mask: Tensor | None
    """0 where a token may look, minus infinity elsewhere; None where all rows begin."""


class Reader:
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

    def memory(self, rows: int, columns: int) -> Memory:
        """Rows that have read nothing."""
        return Memory.empty(self.shape, rows, columns, dtype=self.dtype, device=self.device)

    def read_bytes(self, rows: int, columns: int) -> int:
        """Bytes that a pass over one token a row cannot help reading: the products' matrices, keys and values."""
        shape, size = self.shape, self.dtype.itemsize
        matrices = shape.layers * shape.width * (4 * shape.width + 3 * shape.hidden)
        return size * (matrices + rows * columns * 2 * shape.layers * shape.width) + self.head.nbytes

    def read(self, tokens: Tensor, memory: Memory, rows: slice) -> Reading:
        """Some tokens more, (rows, tokens), in these rows of the memory; it has to be told how many of them count."""
        place = self._place(tokens.shape[1], memory, rows)
        earlier = memory.recent.shape[2]
        inputs = self.embedding.new_empty(len(self.layers), len(tokens), earlier + tokens.shape[1], self.shape.width)
        inputs[:, :, :earlier] = memory.recent[:, rows]
        stream = self.embedding[tokens]
        for layer, kept, own in zip(self.layers, memory.kept, inputs, strict=True):
            torch.mul(stream, _scale(stream), out=own[:, earlier:])
            split = self._project(layer, _convolved(own, layer.taps), place.turn)
            read = _attended(split, kept[rows], place)
            stream = self._finish(layer, stream, read.transpose(1, 2).flatten(2))
        return Reading(stream, inputs)

    def logits(self, stream: Tensor) -> Tensor:
        """Logits of the next token, in fp32."""
        return apply(self.head, stream * _scale(stream) * self.final_gain)

    def prefix(self, tokens: Tensor) -> Prefix:
        """A context read once; (length,) tokens."""
        memory = self.memory(1, len(tokens))
        self.read(tokens[None], memory, slice(0, 1))
        return Prefix(memory.kept[:, 0])

    def _place(self, count: int, memory: Memory, rows: slice) -> _Place:
        lengths = memory.lengths[rows]
        before = torch.tensor(lengths, device=self.device)
        positions = before[:, None] + torch.arange(count, device=self.device)
        columns = max(lengths) + count
        memory.make_room(columns)
        turn = torch.complex(*rotation(positions, self.shape.rotation_base))[:, :, None, None]
        if not any(lengths):
            return _Place(turn, columns, None, None)
        first = torch.arange(len(lengths), device=self.device) * memory.kept.shape[2]
        hidden = torch.arange(columns, device=self.device) > positions[:, None, :, None]
        mask = torch.zeros(hidden.shape, dtype=self.dtype, device=self.device).masked_fill_(hidden, -torch.inf)
        return _Place(turn, columns, (first[:, None] + positions).flatten(), mask)

    def _project(self, layer: Layer, mixed: Tensor, turn: Tensor) -> Tensor:
        """Queries, keys and values, (rows, tokens, 3, heads, head width)."""
        rows, count, _ = mixed.shape
        split = layer.query_key_value(mixed.to(self.dtype)).view(rows, count, 3, self.shape.heads, HEAD_WIDTH)
        raw = split[:, :, :2].float()
        split[:, :, :2] = _rotated((raw * _scale(raw)).mul_(layer.query_key_gain), turn)
        return split

    def _finish(self, layer: Layer, stream: Tensor, read: Tensor) -> Tensor:
        """The stream after attention's output and the feed-forward part."""
        stream = stream + layer.out(read)
        fed = (stream * _scale(stream)).mul_(layer.feed_gain).to(self.dtype)
        return stream.add_(layer.down(layer.gate_up(fed)))


def _attended(split: Tensor, kept: Tensor, place: _Place) -> Tensor:
    """What the tokens read by looking back, (rows, heads, tokens, head width); their own keys and values are kept."""
    queries, own = split[:, :, 0].transpose(1, 2), split[:, :, 1:]
    if place.targets is None:
        kept[:, : place.columns] = own
        keys, values = own.unbind(dim=2)
    else:
        kept.view(-1, *own.shape[2:])[place.targets] = own.flatten(0, 1)
        keys, values = kept[:, : place.columns].unbind(dim=2)
    return functional.scaled_dot_product_attention(
        queries, keys.transpose(1, 2), values.transpose(1, 2), attn_mask=place.mask, is_causal=place.mask is None
    )


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
    """The causal convolution at all but the first inputs, which are there to be looked back at."""
    earlier = len(taps) - 1
    count = inputs.shape[1] - earlier
    mixed = inputs[:, earlier:] * taps[0]
    for back in range(1, len(taps)):
        mixed.addcmul_(inputs[:, earlier - back : earlier - back + count], taps[back])
    return mixed
