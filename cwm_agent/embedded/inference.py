"""The network's forward pass with a memory of what was read, for asking and not for training; knows no bytes.

The same function as `Network.forward` on single segments, in the form that is fast to ask: keys and values
are kept, the convolution's last inputs are kept, products run in bf16 where the machine is good at it while
the stream stays in fp32. Rows of different lengths share columns: a row's unused columns are masked out, and
each new token takes the next column in all rows at once, so that nothing is moved.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from cwm_agent.embedded.network import EPSILON, HEAD_WIDTH, Network, apply, rotation

COLUMNS_AHEAD = 32
"""Columns that are added when a memory is full."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One block's parameters in the types they are used in."""

    gain: Tensor
    taps: Tensor
    query_key_value: Tensor
    query_key_gain: Tensor
    """(2, 1, head width)."""
    out: Tensor
    feed_gain: Tensor
    gate_up: Tensor
    down: Tensor


@dataclass(frozen=True, slots=True)
class Prefix:
    """Keys and values of a context, one pair a layer, of shape (1, heads, length, head width)."""

    layers: tuple[tuple[Tensor, Tensor], ...]
    length: int


@dataclass(slots=True)
class Memory:
    """What a batch has read so far; the one value here that changes."""

    keys: list[Tensor]
    """A layer's, of shape (rows, heads, columns, head width)."""
    values: list[Tensor]
    inputs: list[list[Tensor]]
    """A layer's last convolution inputs, the newest first, each of shape (rows, width)."""
    mask: Tensor
    """0 where a row may look, minus infinity elsewhere; (rows, 1, 1, columns)."""
    used: int
    """Columns in use."""
    positions: Tensor
    """Each row's next position."""

    def keep(self, rows: Tensor) -> None:
        """Go on with these rows alone."""
        self.keys = [tensor.index_select(0, rows) for tensor in self.keys]
        self.values = [tensor.index_select(0, rows) for tensor in self.values]
        self.inputs = [[tensor.index_select(0, rows) for tensor in layer] for layer in self.inputs]
        self.mask = self.mask.index_select(0, rows)
        self.positions = self.positions.index_select(0, rows)

    def make_room(self) -> None:
        """At least one free column."""
        if self.used < self.mask.shape[-1]:
            return
        more = (0, 0, 0, COLUMNS_AHEAD)
        self.keys = [functional.pad(tensor, more) for tensor in self.keys]
        self.values = [functional.pad(tensor, more) for tensor in self.values]
        self.mask = functional.pad(self.mask, (0, COLUMNS_AHEAD))


def join(memories: Sequence[Memory]) -> Memory:
    """Several memories as one batch; the narrower ones get columns that are masked out."""
    width = max(memory.used for memory in memories)

    def columns(tensors: Sequence[Tensor]) -> Tensor:
        first = tensors[0]
        shape = (sum(len(t) for t in tensors), first.shape[1], width + COLUMNS_AHEAD, first.shape[3])
        whole = first.new_zeros(shape)
        row = 0
        for memory, tensor in zip(memories, tensors, strict=True):
            whole[row : row + len(tensor), :, : memory.used] = tensor[:, :, : memory.used]
            row += len(tensor)
        return whole

    masks = [
        functional.pad(memory.mask[..., : memory.used], (0, width - memory.used), value=-torch.inf)
        for memory in memories
    ]
    layers = range(len(memories[0].keys))
    return Memory(
        keys=[columns([memory.keys[layer] for memory in memories]) for layer in layers],
        values=[columns([memory.values[layer] for memory in memories]) for layer in layers],
        inputs=[
            [torch.cat(parts) for parts in zip(*(memory.inputs[layer] for memory in memories), strict=True)]
            for layer in layers
        ],
        mask=functional.pad(torch.cat(masks), (0, COLUMNS_AHEAD)),
        used=width,
        positions=torch.cat([memory.positions for memory in memories]),
    )


class Reader:
    """A network made ready for asking."""

    def __init__(self, network: Network, *, dtype: torch.dtype, device: torch.device) -> None:
        self.shape, self.dtype, self.device = network.shape, dtype, device

        def exact(parameter: Any) -> Tensor:
            found: Tensor = parameter.detach().to(device, torch.float32)
            return found

        def product(parameter: Any) -> Tensor:
            found: Tensor = parameter.detach().to(device, dtype)
            return found.reshape(-1, found.shape[-1]).contiguous()

        self.embedding, self.final_gain = exact(network.embedding), exact(network.final_gain)
        self.head = exact(network.head)
        self.layers = [
            Layer(
                gain=exact(block.attention_gain),
                taps=exact(block.convolution.taps),  # type: ignore[union-attr]
                query_key_value=product(_paired(exact(block.query_key_value))),
                query_key_gain=_interleave(torch.stack((exact(block.query_gain), exact(block.key_gain))))[:, None],
                out=product(block.attention_out),
                feed_gain=exact(block.feed_gain),
                gate_up=product(block.gate_up),
                down=product(block.down),
            )
            for block in network.blocks
        ]

    def read(self, tokens: Tensor, lengths: Tensor, prefixes: Sequence[Prefix | None]) -> tuple[Tensor, Memory]:
        """The stream at each token of fresh segments, and the memory to go on from.

        `tokens` (rows, longest) are padded on the right to the longest; a row's prefix is the context it looks at.
        """
        rows, longest = tokens.shape
        before = torch.tensor([prefix.length if prefix else 0 for prefix in prefixes], device=self.device)
        positions = before[:, None] + torch.arange(longest, device=self.device)
        turn = self._turn(positions)
        widest = int(before.max())
        seen = self._mask(before, lengths, widest, longest)
        causal = None if not widest else self._causal(seen, widest, longest)
        memory = Memory([], [], [], seen, widest + longest, before + lengths)
        stream = self.embedding[tokens]
        for number, layer in enumerate(self.layers):
            inputs = normed(stream, layer.gain)
            mixed = _convolve(inputs, layer.taps)
            memory.inputs.append(_last(inputs, lengths, len(layer.taps) - 1))
            queries, keys, values = self._project(layer, mixed, turn)
            if widest:
                keys = self._behind(prefixes, number, 0, widest, keys)
                values = self._behind(prefixes, number, 1, widest, values)
            read = functional.scaled_dot_product_attention(
                queries, keys, values, attn_mask=causal, is_causal=causal is None
            )
            memory.keys.append(keys)
            memory.values.append(values)
            stream = self._finish(layer, stream, read.transpose(1, 2).reshape(rows, longest, -1))
        return stream, memory

    def go_on(self, tokens: Tensor, memory: Memory) -> Tensor:
        """The stream at one more token of each row, which the memory then holds."""
        memory.make_room()
        turn = self._turn(memory.positions[:, None])
        column = memory.used
        memory.used += 1
        memory.positions = memory.positions + 1
        mask = memory.mask[..., : memory.used].to(self.dtype)
        stream = self.embedding[tokens]
        for number, layer in enumerate(self.layers):
            inputs = normed(stream, layer.gain)
            mixed = inputs * layer.taps[0]
            for tap, earlier in zip(layer.taps[1:], memory.inputs[number], strict=True):
                mixed.addcmul_(earlier, tap)
            memory.inputs[number] = [inputs, *memory.inputs[number][:-1]]
            queries, key, value = self._project(layer, mixed[:, None], turn)
            memory.keys[number][:, :, column] = key[:, :, 0]
            memory.values[number][:, :, column] = value[:, :, 0]
            read = functional.scaled_dot_product_attention(
                queries,
                memory.keys[number][:, :, : memory.used],
                memory.values[number][:, :, : memory.used],
                attn_mask=mask,
            )
            stream = self._finish(layer, stream, read.reshape(len(stream), -1))
        return stream

    def logits(self, stream: Tensor) -> Tensor:
        """Logits of the next token, in fp32."""
        return apply(self.head, normed(stream, self.final_gain))

    def prefix(self, tokens: Tensor) -> Prefix:
        """A context read once; (length,) tokens."""
        _, memory = self.read(tokens[None], torch.tensor([len(tokens)], device=self.device), [None])
        return Prefix(tuple(zip(memory.keys, memory.values, strict=True)), len(tokens))

    def _turn(self, positions: Tensor) -> Tensor:
        """The rotation of queries and keys as complex numbers, (rows, length, 1, 1, half a head)."""
        return torch.complex(*rotation(positions, self.shape.rotation_base))[:, :, None, None]

    def _project(self, layer: Layer, mixed: Tensor, turn: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values, each (rows, heads, length, head width)."""
        rows, length, _ = mixed.shape
        split = functional.linear(mixed.to(self.dtype), layer.query_key_value)
        split = split.view(rows, length, 3, self.shape.heads, HEAD_WIDTH)
        turned = _rotate(normed(split[:, :, :2].float(), layer.query_key_gain), turn).to(self.dtype)
        queries, keys = turned.permute(2, 0, 3, 1, 4)
        return queries, keys, split[:, :, 2].transpose(1, 2)

    def _finish(self, layer: Layer, stream: Tensor, read: Tensor) -> Tensor:
        """The stream after attention's output and the feed-forward part."""
        stream = stream + functional.linear(read, layer.out)
        fed = normed(stream, layer.feed_gain).to(self.dtype)
        gate, up = functional.linear(fed, layer.gate_up).chunk(2, dim=-1)
        return stream + functional.linear(functional.silu(gate).mul_(up), layer.down)

    def _mask(self, before: Tensor, lengths: Tensor, widest: int, longest: int) -> Tensor:
        """Which columns belong to each row: its context's, then its own tokens'."""
        context = torch.arange(widest, device=self.device) < before[:, None]
        own = torch.arange(longest, device=self.device) < lengths[:, None]
        hidden = ~torch.cat((context, own), dim=1)[:, None, None, :]
        return torch.zeros(hidden.shape, device=self.device).masked_fill_(hidden, -torch.inf)

    def _causal(self, seen: Tensor, widest: int, longest: int) -> Tensor:
        """The mask of a first reading: the context's columns as seen, own columns causally."""
        own = torch.full((longest, longest), -torch.inf, device=self.device).triu_(1)
        context = seen[..., :widest].expand(-1, -1, longest, -1)
        return torch.cat((context, own.expand(len(seen), 1, -1, -1)), dim=-1).to(self.dtype)

    def _behind(self, prefixes: Sequence[Prefix | None], layer: int, part: int, widest: int, own: Tensor) -> Tensor:
        """Each row's context columns (of keys or values), then its own."""
        whole = own.new_zeros(own.shape[0], own.shape[1], widest + own.shape[2], HEAD_WIDTH)
        for row, prefix in enumerate(prefixes):
            if prefix is not None:
                whole[row, :, : prefix.length] = prefix.layers[layer][part][0]
        whole[:, :, widest:] = own
        return whole


def normed(values: Tensor, gain: Tensor) -> Tensor:
    """What `network.rms_norm` computes, by fewer passes over memory."""
    length: Tensor = torch.linalg.vector_norm(values, dim=-1, keepdim=True)
    scale = length.square_().mul_(1 / values.shape[-1]).add_(EPSILON).rsqrt_()
    return (values * scale).mul_(gain)


def _interleave(values: Tensor) -> Tensor:
    """The two halves of the last axis (a head) taken in turns, so that what is rotated together lies together."""
    return torch.stack(values.chunk(2, dim=-1), dim=-1).flatten(-2)


def _paired(matrices: Tensor) -> Tensor:
    """Query, key and value matrices with the heads of the first two interleaved; their products stay the same."""
    heads = matrices[:2].reshape(2, -1, HEAD_WIDTH, matrices.shape[-1]).transpose(2, 3)
    paired = _interleave(heads).transpose(2, 3).flatten(1, 2)
    return torch.cat((paired, matrices[2:]))


def _rotate(values: Tensor, turn: Tensor) -> Tensor:
    """Pairs of neighbours turned by their position: one complex product."""
    return torch.view_as_real(torch.view_as_complex(values.view(*values.shape[:-1], -1, 2)) * turn).flatten(-2)


def _convolve(inputs: Tensor, taps: Tensor) -> Tensor:
    """The causal convolution of whole segments, each starting with the row."""
    mixed = inputs * taps[0]
    for back in range(1, min(len(taps), inputs.shape[1])):
        mixed[:, back:].addcmul_(inputs[:, :-back], taps[back])
    return mixed


def _last(inputs: Tensor, lengths: Tensor, count: int) -> list[Tensor]:
    """Each row's last inputs, the newest first; zeros where a segment is shorter."""
    found = []
    rows = torch.arange(len(inputs), device=inputs.device)
    for back in range(count):
        place = lengths - 1 - back
        found.append(inputs[rows, place.clamp(min=0)] * (place >= 0)[:, None])
    return found
