"""The parameters of a network as numpy arrays, and those of one block as inference needs them.

Matrices may be in int8, as they are stored; numbers that are rotated together become neighbours. Knows no file and no
pass.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cwm_agent.engine.shape import HEAD_WIDTH, Shape

if TYPE_CHECKING:
    from cwm_agent.engine.network import Network

Floats = NDArray[np.float32]
LARGEST_STEP = 127
SCALES = ".scales"
"""Stands behind the name of a matrix in int8: the size of its steps."""
SMALLEST_SCALE = np.float32(1e-30)


@dataclass(frozen=True, slots=True)
class StoredMatrix:
    """A matrix, (outputs, inputs)."""

    numbers: NDArray[Any]
    """In fp32; with scales, steps in int8."""
    scales: Floats | None = None
    """The size of a step for each output."""

    def exact(self) -> Floats:
        """The matrix in fp32."""
        found: Floats = self.numbers
        return found if self.scales is None else np.multiply(found, self.scales[:, None], dtype=np.float32)

    def rounded(self) -> tuple[NDArray[np.int8], Floats]:
        """The matrix in 255 steps for each output, and the size of a step."""
        if self.scales is not None and bool((_largest(self.numbers) == LARGEST_STEP).all()):
            return self.numbers, self.scales
        exact = self.exact()
        scales = np.maximum(np.abs(exact).max(axis=1) / np.float32(LARGEST_STEP), SMALLEST_SCALE)
        return np.rint(exact / scales[:, None]).astype(np.int8), scales

    def reordered(self, outputs: NDArray[np.int64]) -> "StoredMatrix":
        """The matrix with its outputs in another order."""
        return StoredMatrix(self.numbers[outputs], None if self.scales is None else self.scales[outputs])


def _largest(steps: NDArray[np.int8]) -> NDArray[np.int8]:
    """The largest step of each output, without its sign."""
    found: NDArray[np.int8] = np.maximum(steps.max(axis=1), -steps.min(axis=1))
    return found


@dataclass(frozen=True, slots=True)
class NetworkParameters:
    """All parameters of a network by their names in `Network`."""

    shape: Shape
    arrays: Mapping[str, NDArray[Any]]
    """In fp32; a matrix may be in int8, with its scales beside it (`SCALES`)."""

    @classmethod
    def of(cls, network: "Network") -> "NetworkParameters":
        """The parameters of a network as they are now, in fp32; memory is shared where it can be."""
        arrays = {name: each.detach().cpu().float().numpy() for name, each in network.state_dict().items()}
        return cls(network.shape, arrays)

    def exact(self, name: str) -> Floats:
        """A parameter in fp32."""
        scales = self.arrays.get(name + SCALES)
        return self.arrays[name] if scales is None else np.multiply(self.arrays[name], scales, dtype=np.float32)

    def matrix(self, *names: str) -> StoredMatrix:
        """The matrix of that name, the outputs of stacked ones one below the other; several names likewise."""
        numbers = [self.arrays[name].reshape(-1, self.arrays[name].shape[-1]) for name in names]
        scales = [self.arrays[name + SCALES].reshape(-1) for name in names if name + SCALES in self.arrays]
        if len(names) == 1:
            return StoredMatrix(numbers[0], scales[0] if scales else None)
        if len(scales) == len(names):
            return StoredMatrix(np.concatenate(numbers), np.concatenate(scales))
        return StoredMatrix(np.concatenate([self.matrix(name).exact() for name in names]))


class LayerParameters(NamedTuple):
    """Parameters of one block."""

    taps: Floats
    """Weights of the convolution, each times the gain of the norm before it."""
    turned_gain: Floats
    """Of each head of queries, then of keys."""
    feed_gain: Floats
    query_key_value: StoredMatrix
    attention_out: StoredMatrix
    gate_up: StoredMatrix
    """The gate's matrix, then the other one, (2 * hidden, width)."""
    down: StoredMatrix

    @property
    def matrices(self) -> Sequence[StoredMatrix]:
        return self.query_key_value, self.attention_out, self.gate_up, self.down


def layer_parameters(parameters: NetworkParameters, layer: int) -> LayerParameters:
    """The parameters of a block."""
    shape, block = parameters.shape, f"blocks.{layer}."

    def exact(name: str) -> Floats:
        return parameters.exact(block + name)

    names = ("query_key_value",) if shape.shared_heads == 1 else ("query", "key_value")
    projection = parameters.matrix(*(block + name for name in names))
    gains = np.stack([exact("query_gain")] * shape.heads + [exact("key_gain")] * shape.key_heads)
    return LayerParameters(
        taps=exact("convolution.taps") * exact("attention_gain"),
        turned_gain=np.ascontiguousarray(gains[:, _PAIRED]),
        feed_gain=exact("feed_gain"),
        query_key_value=projection.reordered(_paired_heads(len(projection.numbers), shape.heads + shape.key_heads)),
        attention_out=parameters.matrix(block + "attention_out"),
        gate_up=parameters.matrix(block + "gate_up"),
        down=parameters.matrix(block + "down"),
    )


_PAIRED = np.arange(HEAD_WIDTH).reshape(2, -1).T.ravel()
"""The two halves of a head interleaved: numbers that are rotated together become neighbours."""


def _paired_heads(outputs: int, count: int) -> NDArray[np.int64]:
    """The outputs of all heads, those of the first so many (queries and keys) interleaved; products stay the same."""
    heads = np.arange(outputs).reshape(-1, HEAD_WIDTH)
    heads[:count] = heads[:count, _PAIRED]
    return heads.ravel()
