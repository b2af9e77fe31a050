"""Greedy decoding of several tokens per row without the host in between; for accelerators, as CUDA graphs.

On an accelerator a pass of `ForwardPass` takes ten milliseconds for one row or for a thousand, because the host starts
hundreds of kernels one by one and waits for every token. Here a step has fixed shapes: one new token in each row of a
bucket (a power of two) over a fixed number of columns. What lies between matrix products is three Triton kernels a
layer. Tokens, lengths and what was decoded stay on the device, and the step is recorded once per bucket as a CUDA
graph, which starts all kernels at once. The host reads the results after several steps. Where graphs cannot be
recorded, the same steps run one by one. Computes the same function as `ForwardPass` with one token per row. Knows no
bytes.
"""

import warnings
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from cwm_agent.engine.block_end import BlockEnd
from cwm_agent.engine.decoding.protocol import DecodedTokens
from cwm_agent.engine.forward_pass import ForwardPass
from cwm_agent.engine.kv_cache import KVCache
from cwm_agent.engine.network import linear, rotation
from cwm_agent.engine.shape import HEAD_WIDTH

STEPS = 8
"""Tokens per row that are decoded before the host looks at them."""
COLUMN_BUCKET = 128
"""Columns that a step attends to are a multiple of this."""
FEWEST_ROWS = 8
MAX_GRAPHS = 32
"""Recorded graphs that are kept; the least recently used one is dropped."""
SPECIAL = 256
"""Tokens from here on are no bytes and end a completion."""


@dataclass(slots=True)
class _Bucket:
    """Tensors that the steps over some rows read and write; they stay where they are, because a graph knows them."""

    tokens: Tensor
    """The next token to compute in each row."""
    lengths: Tensor
    active: Tensor
    """Rows that have not ended; the others change neither lengths nor convolution inputs."""
    ends: Tensor
    """For each token of the vocabulary: whether it ends a completion."""
    step: Tensor
    decoded: Tensor
    """(steps, rows)."""
    log_probs: Tensor
    graph: Any = None
    """A `torch.cuda.CUDAGraph`, once a step is recorded."""


def decoder_of(forward_pass: ForwardPass) -> "GreedyDecoder | None":
    """The decoder of a CUDA device; None elsewhere, where drafts are faster, and without Triton, which is said."""
    if forward_pass.device.type != "cuda":
        return None
    if find_spec("triton") is None:
        warnings.warn("Triton is not installed, so decoding is slower; install it: pip install triton", stacklevel=2)
        return None
    return GreedyDecoder(forward_pass)


class GreedyDecoder:
    """Decodes with the weights of a forward pass, in a KV cache that the caller owns."""

    def __init__(self, forward_pass: ForwardPass, *, graphs: bool | None = None) -> None:
        self._forward_pass = forward_pass
        self._graphs = forward_pass.device.type == "cuda" if graphs is None else graphs
        self._buckets: OrderedDict[tuple[int, ...], _Bucket] = OrderedDict()
        self._rotations: dict[int, tuple[Tensor, Tensor]] = {}

    @torch.inference_mode()
    def decode(
        self, kv_cache: KVCache, pending: Sequence[int], stop_tokens: Iterable[int], *, steps: int = STEPS
    ) -> list[DecodedTokens]:
        """Decode up to `steps` tokens in each row of the cache behind its pending token, and commit them.

        The last token of each row is not computed yet: it is pending.
        """
        columns = -(-(max(kv_cache.lengths) + steps) // COLUMN_BUCKET) * COLUMN_BUCKET
        kv_cache.reserve_columns(columns)
        rows = min(_bucket_rows(len(pending)), kv_cache.keys_values.shape[1])
        bucket = self._bucket(kv_cache, rows, columns, steps)
        keys_values, conv_inputs = kv_cache.keys_values[:, :rows, :columns], kv_cache.conv_inputs[:, :rows]
        if self._graphs and bucket.graph is None:
            self._record(bucket, keys_values, conv_inputs)
        _fill(bucket, pending, kv_cache.lengths, stop_tokens)
        for _ in range(steps):
            if bucket.graph is None:
                self._step(bucket, keys_values, conv_inputs)
            else:
                bucket.graph.replay()
        found = _collected(bucket, len(pending))
        kv_cache.lengths = [length + len(each.tokens) for length, each in zip(kv_cache.lengths, found, strict=True)]
        return found

    def forget_graphs(self) -> None:
        """Give back the memory of all recorded steps."""
        self._buckets.clear()

    def _bucket(self, kv_cache: KVCache, rows: int, columns: int, steps: int) -> _Bucket:
        """The tensors for so many rows of this cache; a cache that has moved needs others, because of its graph."""
        place = kv_cache.keys_values.data_ptr(), kv_cache.conv_inputs.data_ptr()
        key = (*place, *kv_cache.keys_values.shape, *kv_cache.conv_inputs.shape, rows, columns, steps)
        if key not in self._buckets:
            self._buckets[key] = self._new_bucket(rows, steps)
            if len(self._buckets) > MAX_GRAPHS:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(key)
        return self._buckets[key]

    def _new_bucket(self, rows: int, steps: int) -> _Bucket:
        device = self._forward_pass.device
        return _Bucket(
            tokens=torch.zeros(rows, dtype=torch.long, device=device),
            lengths=torch.zeros(rows, dtype=torch.long, device=device),
            active=torch.zeros(rows, dtype=torch.bool, device=device),
            ends=torch.zeros(self._forward_pass.shape.vocabulary, dtype=torch.bool, device=device),
            step=torch.zeros(1, dtype=torch.long, device=device),
            decoded=torch.zeros(steps, rows, dtype=torch.long, device=device),
            log_probs=torch.zeros(steps, rows, device=device),
        )

    def _record(self, bucket: _Bucket, keys_values: Tensor, conv_inputs: Tensor) -> None:
        """Record a step as a graph. The runs before are made with inactive rows, on a column that is not yet used."""
        bucket.active.zero_()
        bucket.step.zero_()
        bucket.lengths.fill_(keys_values.shape[2] - 1)
        try:
            beside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            beside.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(beside):
                for _ in range(2):
                    self._step(bucket, keys_values, conv_inputs)
                    bucket.step.zero_()
            torch.cuda.current_stream().wait_stream(beside)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self._step(bucket, keys_values, conv_inputs)
            bucket.graph = graph
        except (RuntimeError, AttributeError, AssertionError) as error:
            self._graphs = False
            warnings.warn(f"No CUDA graphs on this device, so decoding is slower: {error}", stacklevel=2)

    def _step(self, bucket: _Bucket, keys_values: Tensor, conv_inputs: Tensor) -> None:
        """Compute the pending token of each row and choose the next; shapes are fixed and nothing is read back."""
        from cwm_agent.engine.accelerator import decode_kernels as kernels

        reader, rows = self._forward_pass, len(bucket.tokens)
        stream = reader.embedding.index_select(0, bucket.tokens)
        mixed, added = (stream.new_empty(stream.shape, dtype=reader.dtype), torch.zeros_like(stream))
        angles = self._angles(keys_values.shape[2])
        for layer, keys, inputs in zip(reader.layers, keys_values, conv_inputs, strict=True):
            kernels.mix(stream, added, inputs, layer.taps, active=bucket.active, out=mixed)
            projected = layer.query_key_value(mixed).view(rows, -1, HEAD_WIDTH)
            kernels.attend(projected, keys, bucket.lengths, gain=layer.query_key_gain, angles=angles, out=mixed)
            end = layer.end
            assert isinstance(end, BlockEnd)  # int8 is for CPUs
            kernels.add_and_norm(stream, end.out(mixed), end.gain, out=mixed)
            added = end.down(end.gate_up(mixed))
        last = torch.empty_like(stream)
        kernels.add_and_norm(stream, added, reader.final_gain, out=last)
        best, tokens = linear(reader.head, last).log_softmax(dim=-1).max(dim=-1)
        bucket.decoded.index_copy_(0, bucket.step, tokens[None])
        bucket.log_probs.index_copy_(0, bucket.step, best[None])
        bucket.step.add_(1)
        bucket.lengths.add_(bucket.active)
        bucket.tokens.copy_(torch.where(bucket.active, tokens, bucket.tokens))
        bucket.active.logical_and_(bucket.ends.index_select(0, tokens).logical_not_())

    def _angles(self, columns: int) -> tuple[Tensor, Tensor]:
        """Cosines and sines of so many positions; graphs read them where they are, so they are kept."""
        if columns not in self._rotations:
            positions = torch.arange(columns, device=self._forward_pass.device)
            self._rotations[columns] = rotation(positions, self._forward_pass.shape.rotation_base)
        return self._rotations[columns]


def _bucket_rows(rows: int) -> int:
    """The number of rows that a step computes for so many: a power of two."""
    return max(FEWEST_ROWS, 1 << (rows - 1).bit_length())


def _fill(bucket: _Bucket, pending: Sequence[int], lengths: Sequence[int], stop_tokens: Iterable[int]) -> None:
    """Copy the state of the rows to the device; rows of the bucket beyond them stay inactive."""
    spare = len(bucket.tokens) - len(pending)
    state = torch.tensor([pending, lengths, [1] * len(pending)])
    tokens, lengths_, active = functional.pad(state, (0, spare)).to(bucket.tokens.device)
    bucket.tokens.copy_(tokens)
    bucket.lengths.copy_(lengths_)
    bucket.active.copy_(active)
    bucket.ends.zero_()
    bucket.ends[SPECIAL:] = True
    for token in stop_tokens:
        bucket.ends[token] = True
    bucket.step.zero_()


def _collected(bucket: _Bucket, rows: int) -> list[DecodedTokens]:
    """The tokens of each row up to its end; the only time that the host waits for the device."""
    decoded = bucket.decoded[:, :rows]
    going_on = bucket.ends[decoded].logical_not_().cumprod(dim=0).sum(dim=0)
    counts = (going_on + 1).clamp_(max=len(decoded)).cpu().numpy().tolist()
    tokens, log_probs = decoded.T.cpu().numpy().tolist(), bucket.log_probs[:, :rows].T.cpu().numpy().tolist()
    return [
        DecodedTokens(own[:count], chances[:count])
        for own, chances, count in zip(tokens, log_probs, counts, strict=True)
    ]
