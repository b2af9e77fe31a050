"""What decoding asks of a network: `InferencePass`, which the library and torch both implement.

    InferencePass      computes new tokens in rows of a KV cache       native/native_forward.py, forward_pass.py
    NextTokens         log-probabilities of the tokens that follow
    SeveralTokens      decodes several tokens per row at once          accelerator/greedy_decoder.py; optional

Whatever is not here (scheduler, drafts, prefix cache, KV cache) is the same for both. Imports no torch.
"""

import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from cwm_agent.engine.arrays.protocol import Array, Arrays
from cwm_agent.engine.kv_cache import ForwardOutput, KVCache
from cwm_agent.engine.shape import Shape


class NextTokens(Protocol):
    """Log-probabilities of the next token behind each of some computed tokens."""

    def best(self) -> tuple[list[int], list[float]]:
        """The most likely next token behind each, and its log-probability."""
        ...

    def of(self, tokens: Sequence[int]) -> list[float]:
        """The log-probability of a given next token behind each."""
        ...


class InferencePass(Protocol):
    """A network prepared for inference."""

    @property
    def shape(self) -> Shape: ...

    @property
    def arrays(self) -> Arrays:
        """The kind of memory that its KV cache and prefix cache stand in."""
        ...

    @property
    def is_native(self) -> bool:
        """Whether a library computes whole passes, so that passes over few tokens are cheap."""
        ...

    def new_kv_cache(self, rows: int, columns: int, buffer: Array | None = None) -> KVCache:
        """An empty KV cache; it uses the buffer if it is large enough."""
        ...

    def forward(
        self, tokens: Sequence[Sequence[int]], kv_cache: KVCache, rows: slice, wanted: Sequence[int] | None = None
    ) -> ForwardOutput:
        """Compute new tokens in these rows and write them to the cache; the caller commits how many are accepted.

        `wanted` are the indices, among all new tokens, of those whose result is needed (None: all).
        """
        ...

    def next_tokens(self, hidden: Array) -> NextTokens:
        """What may follow the tokens of a result."""
        ...

    def inference(self) -> AbstractContextManager[object]:
        """A block in which all passes and all changes of caches are made."""
        ...


class DecodedTokens(NamedTuple):
    """What some steps decoded in one row."""

    tokens: list[int]
    """Up to the first that ends a completion."""
    log_probs: list[float]


class SeveralTokens(Protocol):
    """Decodes several tokens per row before the host looks at them."""

    def decode(self, kv_cache: KVCache, pending: Sequence[int], stop_tokens: Iterable[int]) -> list[DecodedTokens]:
        """Decode tokens in each row of the cache behind its pending token, and commit them."""
        ...

    def forget_graphs(self) -> None:
        """Give back the memory of all recorded steps."""
        ...


def memory_errors() -> tuple[type[BaseException], ...]:
    """The errors by which memory runs out: Python's, and torch's where it is imported."""
    torch = sys.modules.get("torch")
    return (MemoryError,) if torch is None else (MemoryError, torch.OutOfMemoryError)
