"""The forward pass of `int8_pass.c`: a whole pass is one call, so that a pass over few tokens costs little.

The library is built at installation where there is a C compiler. Where it is missing, or the processor has no fast int8
products, `native_library` gives None, and torch computes the pass.
"""

import ctypes
import os
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cwm_agent.engine.arrays.numpy_arrays import Halves
from cwm_agent.engine.layer_parameters import Floats, LayerParameters, NetworkParameters, StoredMatrix, layer_parameters
from cwm_agent.engine.native.aligned_memory import address, aligned, side_by_side
from cwm_agent.engine.native.rotation_angles import rotation_angles
from cwm_agent.engine.shape import HEAD_WIDTH, Shape
from cwm_agent.engine.threads import thread_count

LAYOUT = 3
"""Version of the structures below and of the functions, as the library has it."""
GROUP = 16
"""Outputs of matrices are computed in groups of so many."""
INPUTS = 64
"""Inputs of matrices are read in groups of so many."""
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


class _Head(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("gain", "matrix")),
        *((name, ctypes.c_int64) for name in ("width", "outputs")),
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
    inputs: Halves
    """Inputs of convolutions, (layers, earlier ones of all rows and one for each new token, width)."""
    keys_values: Halves
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
    inputs: Halves
    """Inputs of convolutions, (layers, nodes, width)."""
    keys_values: Halves
    """Of the prompt and of the nodes behind it, (layers, columns, 2, key heads, head width)."""


@dataclass(frozen=True, slots=True)
class _RoundedMatrix:
    """A matrix rounded by output, as the library reads it."""

    shape: tuple[int, ...]
    """Outputs, inputs."""
    packed: NDArray[np.int32]
    """Four inputs in each number, (groups of outputs, inputs, outputs of a group)."""
    scales: Floats
    excess: NDArray[np.int32]
    """128 times the sum of the weights of each output."""

    @classmethod
    def of(cls, matrix: StoredMatrix) -> "_RoundedMatrix":
        rounded, scales = matrix.rounded()
        packed = rounded.view(np.int32).reshape(-1, GROUP, rounded.shape[1] // 4).swapaxes(1, 2)
        return cls(rounded.shape, packed, scales, rounded.sum(axis=1, dtype=np.int32) * np.int32(128))


@lru_cache(maxsize=1)
def native_library() -> Any:
    """The library, or None where it is missing or the processor lacks its instructions."""
    for path in Path(__file__).parent.glob("_int8_pass*.so"):
        try:
            library = ctypes.CDLL(str(path))
            if library.supported() and library.layout() == LAYOUT:
                return library
        except (OSError, AttributeError):  # built for another machine or an earlier version
            continue
    return None


def uses_tiles() -> bool:
    """Whether the library multiplies by matrix tiles (AMX)."""
    library = native_library()
    return library is not None and bool(library.has_tiles())


def use_tiles(wanted: bool) -> bool:
    """Have passes that begin from now on multiply by tiles or not, and say whether they do; numbers are the same."""
    library = native_library()
    return library is not None and bool(library.use_tiles(int(wanted)))


class NativePass:
    """A network whose passes the library computes."""

    def __init__(self, library: Any, parameters: NetworkParameters, *, threads: int | None = None) -> None:
        """Rows are shared by so many threads at most; None is what torch would use (`threads.thread_count`)."""
        self._forward, self._logits = library.forward, library.logits
        self._shape, self._threads = parameters.shape, threads
        shape, self._kept = parameters.shape, list[NDArray[Any]]()
        """Arrays whose memory the structures below point to."""
        self._layers = (_Layer * shape.layers)(
            *self._placed([layer_parameters(parameters, layer) for layer in range(shape.layers)])
        )
        self._angles = np.empty((0, HEAD_WIDTH), dtype=np.float32)
        embedding, gain, head = (self._place(parameters.exact(name)) for name in ("embedding", "final_gain", "head"))
        self._network = _Network(
            ctypes.addressof(self._layers), embedding, 0, shape.layers,
            shape.width, shape.hidden, shape.heads, shape.key_heads, shape.window,
        )  # fmt: skip
        self._head = _Head(gain, head, shape.width, shape.vocabulary)

    def _place(self, values: NDArray[Any]) -> int:
        """The address of an array, which is kept."""
        self._kept.append(kept := aligned(values))
        return address(kept)

    def _placed(self, layers: Sequence[LayerParameters]) -> Iterator[_Layer]:
        """The layers, with their matrices in the order in which a pass reads them."""
        matrices = [[_RoundedMatrix.of(each) for each in layer.matrices] for layer in layers]
        self._kept += (packed := side_by_side([each.packed for each in chain(*matrices)]))
        places = map(address, packed)
        for layer, own in zip(layers, matrices, strict=True):
            vectors = map(self._place, (layer.taps, layer.turned_gain, layer.feed_gain))
            yield _Layer(*vectors, *(self._matrix(each, next(places)) for each in own))

    def _matrix(self, matrix: _RoundedMatrix, place: int) -> _Matrix:
        outputs, inputs = matrix.shape
        return _Matrix(place, self._place(matrix.scales), self._place(matrix.excess), inputs, outputs)

    def logits(self, hidden: Floats) -> Floats:
        """Logits of the next token behind each row of the residual stream."""
        hidden = np.ascontiguousarray(hidden)
        normed, found = np.empty_like(hidden), np.empty((len(hidden), self._shape.vocabulary), dtype=np.float32)
        places = [ctypes.c_void_p(address(each)) for each in (hidden, normed, found)]
        self._logits(ctypes.byref(self._head), places[0], ctypes.c_int64(len(hidden)), *places[1:])
        return found

    def forward_tree(self, new: NewNodes) -> Floats:
        """The residual stream behind the last block at all new nodes."""
        assert new.length + len(new.parents) <= new.keys_values.shape[1]  # the library writes without asking
        self._know_angles(new.length + max(new.depths) + 1)
        tokens = len(new.ids)
        found = np.empty((tokens, self._shape.width), dtype=np.float32)
        arrays = [_array(each) for each in (new.ids, [tokens], [new.length], new.parents, new.depths, range(tokens))]
        places = [ctypes.addressof(each) for each in arrays]
        inputs, cache = address(new.inputs), new.keys_values
        self._run(_Rows(
            *places[:3], 1, tokens, *places[3:5], len(new.parents) - tokens, inputs, inputs, address(cache),
            _stride(new.inputs), _stride(cache), cache.shape[1], places[5], tokens, address(found),
        ))  # fmt: skip
        return found

    def forward(self, new: NewTokens, wanted: Sequence[int]) -> Floats:
        """The residual stream behind the last block at the wanted tokens, whose indices rise."""
        assert max(map(sum, zip(new.lengths, new.counts, strict=True))) <= new.keys_values.shape[2]
        self._know_angles(new.keys_values.shape[2])
        found = np.empty((len(wanted), self._shape.width), dtype=np.float32)
        parts = _parts(new.counts, self._threads or thread_count())
        if len(parts) == 1:
            self._compute(new, parts[0], wanted, found)
        else:
            list(_threads(len(parts)).map(lambda part: self._compute(new, part, wanted, found), parts))
        return found

    def _know_angles(self, positions: int) -> None:
        if len(self._angles) < positions:
            self._angles = rotation_angles(2 * positions, self._shape.rotation_base)
            self._network.angles = address(self._angles)

    def _compute(self, new: NewTokens, rows: slice, wanted: Sequence[int], found: Floats) -> None:
        """Compute the tokens of some rows."""
        counts, lengths = new.counts[rows], new.lengths[rows]
        first, tokens, before = sum(new.counts[: rows.start]), sum(counts), self._shape.window - 1
        ids = new.ids[first : first + tokens]
        begin, end = _range(wanted, first, first + tokens)
        arrays = [_array(each) for each in (ids, counts, lengths, [at - first for at in wanted[begin:end]])]
        cache, inputs = new.keys_values, address(new.inputs)
        places = (
            inputs + rows.start * before * new.inputs.strides[1],
            inputs + (len(new.counts) * before + first) * new.inputs.strides[1],
            address(cache) + rows.start * cache.strides[1],
        )
        self._run(_Rows(
            *map(ctypes.addressof, arrays[:3]), len(counts), tokens, None, None, 0,
            *places, _stride(new.inputs), _stride(cache), cache.shape[2],
            ctypes.addressof(arrays[3]), end - begin, address(found) + begin * found.strides[0],
        ))  # fmt: skip

    def _run(self, rows: _Rows) -> None:
        if not self._forward(ctypes.byref(self._network), ctypes.byref(rows)):
            raise MemoryError(f"There is none for a forward pass over {rows.tokens} tokens.")


def fits(shape: Shape) -> bool:
    """Whether the library computes networks of this shape."""
    return not any(each % INPUTS for each in (shape.width, shape.hidden))


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


def _stride(values: Halves) -> int:
    """Numbers from one layer to the next."""
    return values.strides[0] // values.itemsize


def _array(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * max(1, len(values)))(*values)


@lru_cache(maxsize=4)
def _threads(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix="pass")


os.register_at_fork(after_in_child=_threads.cache_clear)  # a child process has none of its parent's threads
