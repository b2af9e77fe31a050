"""The forward pass of `int8_pass.c`: a whole pass is one call, so that a pass over few tokens costs little.

The library is built at installation where there is a C compiler. Where it is missing, or the processor has no fast int8
products, `native_library` gives None, and torch computes the pass.
"""

import ctypes
import os
from bisect import bisect_left
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from cwm_agent.engine.layer_parameters import LayerParameters
from cwm_agent.engine.network import HEAD_WIDTH, Shape, rotation

GROUP = 16
"""Inputs and outputs of matrices are computed in groups of so many."""
FEWEST_TOKENS = 16
"""Rows are given to another thread only with so many tokens at least."""


class _Matrix(ctypes.Structure):
    _fields_ = (
        ("packed", ctypes.c_void_p),
        ("scales", ctypes.c_void_p),
        ("excess", ctypes.c_void_p),
        ("inputs", ctypes.c_int64),
        ("outputs", ctypes.c_int64),
    )


class _Layer(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("taps", "turned_gain", "feed_gain")),
        *((name, _Matrix) for name in ("query_key_value", "attention_out", "gate_up", "down")),
    )


class _Network(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("layers", "embedding", "angles")),
        *((name, ctypes.c_int64) for name in ("depth", "width", "hidden", "heads", "key_heads", "window")),
    )


class _Rows(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("ids", "counts", "lengths")),
        *((name, ctypes.c_int64) for name in ("count", "tokens")),
        *((name, ctypes.c_void_p) for name in ("parents", "depths")),
        ("first", ctypes.c_int64),
        *((name, ctypes.c_void_p) for name in ("earlier", "own", "cache")),
        *((name, ctypes.c_int64) for name in ("input_stride", "cache_stride", "columns")),
        ("wanted", ctypes.c_void_p),
        ("wanted_count", ctypes.c_int64),
        ("found", ctypes.c_void_p),
    )


@dataclass(frozen=True, slots=True)
class NewTokens:
    """What a pass computes, and where it writes."""

    ids: list[int]
    """Of all rows, one row after the other."""
    counts: list[int]
    """New tokens of each row."""
    lengths: list[int]
    """Tokens that each row holds."""
    inputs: Tensor
    """Inputs of convolutions, (layers, earlier ones of all rows and one for each new token, width)."""
    keys_values: Tensor
    """Of the rows, (layers, rows, columns, 2, key heads, head width)."""


@dataclass(frozen=True, slots=True)
class NewNodes:
    """The last nodes of a tree of tokens behind a prompt, and where a pass over them writes."""

    ids: list[int]
    """Of the new nodes."""
    parents: list[int]
    """Of all nodes; -1 for the root."""
    depths: list[int]
    length: int
    """Of the prompt."""
    inputs: Tensor
    """Inputs of convolutions, (layers, nodes, width)."""
    keys_values: Tensor
    """Of the prompt and of the nodes behind it, (layers, columns, 2, key heads, head width)."""


@lru_cache(maxsize=1)
def native_library() -> Any:
    """The library, or None where it is missing or the processor lacks its instructions."""
    for path in Path(__file__).parent.glob("_int8_pass*.so"):
        try:
            library = ctypes.CDLL(str(path))
            if library.supported():
                return library
        except (OSError, AttributeError):  # built for another machine, or an empty file
            continue
    return None


class NativePass:
    """A network whose passes the library computes."""

    def __init__(self, library: Any, shape: Shape, embedding: Tensor, layers: Sequence[LayerParameters]) -> None:
        self._forward, self._shape = library.forward, shape
        self._kept: list[Tensor] = [embedding]
        """Tensors whose memory the structures below point to."""
        self._layers = (_Layer * len(layers))(*map(self._layer, layers))
        self._angles = torch.empty(0, HEAD_WIDTH)
        self._network = _Network(
            ctypes.addressof(self._layers), embedding.data_ptr(), 0, len(layers),
            shape.width, shape.hidden, shape.heads, shape.key_heads, shape.window,
        )  # fmt: skip

    def _layer(self, parameters: LayerParameters) -> _Layer:
        vectors = [parameters.taps, parameters.turned_gain, parameters.feed_gain]
        self._kept += (kept := [vector.contiguous() for vector in vectors])
        return _Layer(*(vector.data_ptr() for vector in kept), *map(self._matrix, parameters[3:]))

    def _matrix(self, matrix: Tensor) -> _Matrix:
        """A matrix rounded by output, in the order in which the library reads it."""
        scales = matrix.abs().amax(1).div_(127).clamp_min_(1e-30)
        rounded = matrix.div(scales[:, None]).round_().to(torch.int8)
        outputs, inputs = matrix.shape
        packed = rounded.view(-1, GROUP, inputs // 4, 4).transpose(1, 2).contiguous()
        excess = rounded.sum(1, dtype=torch.int32) * 128
        self._kept += (scales, packed, excess)
        return _Matrix(packed.data_ptr(), scales.data_ptr(), excess.data_ptr(), inputs, outputs)

    def forward_tree(self, new: NewNodes) -> Tensor:
        """The residual stream behind the last block at all new nodes."""
        assert new.length + len(new.parents) <= new.keys_values.shape[1]  # the library writes without asking
        self._know_angles(new.length + max(new.depths) + 1)
        tokens = len(new.ids)
        found = new.inputs.new_empty(tokens, self._shape.width)
        arrays = [_array(each) for each in (new.ids, [tokens], [new.length], new.parents, new.depths, range(tokens))]
        places = [ctypes.addressof(each) for each in arrays]
        inputs, cache = new.inputs.data_ptr(), new.keys_values
        self._run(_Rows(
            *places[:3], 1, tokens, *places[3:5], len(new.parents) - tokens, inputs, inputs, cache.data_ptr(),
            new.inputs.stride(0), cache.stride(0), cache.shape[1], places[5], tokens, found.data_ptr(),
        ))  # fmt: skip
        return found

    def forward(self, new: NewTokens, wanted: Sequence[int]) -> Tensor:
        """The residual stream behind the last block at the wanted tokens, whose indices rise."""
        assert max(map(sum, zip(new.lengths, new.counts, strict=True))) <= new.keys_values.shape[2]
        self._know_angles(new.keys_values.shape[2])
        found = new.inputs.new_empty(len(wanted), self._shape.width)
        parts = _parts(new.counts, torch.get_num_threads())
        if len(parts) == 1:
            self._compute(new, parts[0], wanted, found)
        else:
            list(_threads(len(parts)).map(lambda part: self._compute(new, part, wanted, found), parts))
        return found

    def _know_angles(self, positions: int) -> None:
        if len(self._angles) < positions:
            turns = rotation(torch.arange(2 * positions), self._shape.rotation_base)
            self._angles = torch.stack(turns, dim=-1).flatten(1).float().contiguous()
            self._network.angles = self._angles.data_ptr()

    def _compute(self, new: NewTokens, rows: slice, wanted: Sequence[int], found: Tensor) -> None:
        """Compute the tokens of some rows."""
        counts, lengths = new.counts[rows], new.lengths[rows]
        first, tokens, before = sum(new.counts[: rows.start]), sum(counts), self._shape.window - 1
        ids = new.ids[first : first + tokens]
        begin, end = _range(wanted, first, first + tokens)
        arrays = [_array(each) for each in (ids, counts, lengths, [at - first for at in wanted[begin:end]])]
        keys_values, inputs = new.keys_values, new.inputs
        places = (
            inputs[0, rows.start * before :],
            inputs[0, len(new.counts) * before + first :],
            keys_values[0, rows.start],
        )
        self._run(_Rows(
            *map(ctypes.addressof, arrays[:3]), len(counts), tokens, None, None, 0,
            *(place.data_ptr() for place in places), inputs.stride(0), keys_values.stride(0), keys_values.shape[2],
            ctypes.addressof(arrays[3]), end - begin, found[begin:].data_ptr(),
        ))  # fmt: skip

    def _run(self, rows: _Rows) -> None:
        if not self._forward(ctypes.byref(self._network), ctypes.byref(rows)):
            raise MemoryError(f"There is none for a forward pass over {rows.tokens} tokens.")


def fits(shape: Shape) -> bool:
    """Whether the library computes networks of this shape."""
    return not any(each % GROUP for each in (shape.width, shape.hidden))


def _parts(counts: Sequence[int], threads: int) -> list[slice]:
    """The rows as at most so many parts with about as many tokens each."""
    total = sum(counts)
    wanted = max(1, min(threads, total // FEWEST_TOKENS))
    sums = [0, *accumulate(counts)]
    cuts = [
        0,
        *(next(at for at, each in enumerate(sums) if each >= total * part / wanted) for part in range(1, wanted)),
    ]
    return [slice(*bounds) for bounds in pairwise(sorted({*cuts, len(counts)}))]


def _range(values: Sequence[int], low: int, high: int) -> tuple[int, int]:
    """Where the values from `low` up to `high` stand among rising ones."""
    return bisect_left(values, low), bisect_left(values, high)


def _array(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * max(1, len(values)))(*values)


@lru_cache(maxsize=4)
def _threads(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix="pass")


os.register_at_fork(after_in_child=_threads.cache_clear)  # a child process has none of its parent's threads
