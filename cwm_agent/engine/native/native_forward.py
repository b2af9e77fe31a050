"""The engine's forward pass by the library, over numpy arrays; imports no torch and knows no bytes."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from cwm_agent.engine.arrays.numpy_arrays import NUMPY_ARRAYS
from cwm_agent.engine.arrays.protocol import Array
from cwm_agent.engine.kv_cache import ForwardOutput, KVCache, conv_order
from cwm_agent.engine.layer_parameters import Floats, NetworkParameters
from cwm_agent.engine.native.native_pass import NativePass, NewTokens


class NativeForwardPass:
    """A network prepared for inference by the library."""

    is_native = True
    arrays = NUMPY_ARRAYS

    def __init__(self, library: Any, parameters: NetworkParameters, *, threads: int | None = None) -> None:
        self.shape = parameters.shape
        self._native = NativePass(library, parameters, threads=threads)

    def new_kv_cache(self, rows: int, columns: int, buffer: Array | None = None) -> KVCache:
        """An empty KV cache; it uses the buffer if it is large enough."""
        return KVCache.empty(self.shape, self.arrays, rows=rows, columns=columns, buffer=buffer)

    def forward(
        self, tokens: Sequence[Sequence[int]], kv_cache: KVCache, rows: slice, wanted: Sequence[int] | None = None
    ) -> ForwardOutput:
        """Compute new tokens in these rows and write them to the cache; the caller commits how many are accepted."""
        counts, before = list(map(len, tokens)), self.shape.window - 1
        kv_cache.reserve_tokens(rows, counts)
        earlier, total = before * len(counts), sum(counts)
        inputs = np.empty((self.shape.layers, earlier + total, self.shape.width), dtype=np.uint16)
        inputs[:, :earlier] = kv_cache.conv_inputs[:, rows].reshape(self.shape.layers, earlier, self.shape.width)
        new = NewTokens(list(chain(*tokens)), counts, kv_cache.lengths[rows], inputs, kv_cache.keys_values[:, rows])
        hidden = self._native.forward(new, range(total) if wanted is None else wanted)
        return ForwardOutput(hidden, inputs, *conv_order(counts, before))

    def next_tokens(self, hidden: Floats) -> "LogProbs":
        """What may follow the tokens of a result."""
        return LogProbs.of_logits(self._native.logits(hidden))

    def inference(self) -> AbstractContextManager[object]:
        """Nothing is to be set."""
        return nullcontext()


@dataclass(frozen=True, slots=True)
class LogProbs:
    """Log-probabilities of next tokens: logits, less the logarithm of the sum of their exponentials."""

    logits: Floats
    """(tokens, vocabulary)."""
    sums: Floats
    """(tokens,)."""

    @classmethod
    def of_logits(cls, logits: Floats) -> "LogProbs":
        most = logits.max(axis=-1)
        return cls(logits, np.log(np.exp(logits - most[:, None]).sum(axis=-1)) + most)

    def best(self) -> tuple[list[int], list[float]]:
        tokens = self.logits.argmax(axis=-1)
        return tokens.tolist(), self._at(tokens)

    def of(self, tokens: Sequence[int]) -> list[float]:
        return self._at(np.array(tokens))

    def _at(self, tokens: Any) -> list[float]:
        found: list[float] = (self.logits[np.arange(len(tokens)), tokens] - self.sums).tolist()
        return found

    def all(self) -> Floats:
        """Of every token."""
        found: Floats = self.logits - self.sums[:, None]
        return found
