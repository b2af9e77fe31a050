"""Bytes and special tokens as ids: the whole vocabulary of the models; knows no network and no view.

One example is `START query ASK answer END`. A context (for example the source of a program) is plain bytes before it.
Special tokens have ids above 255, so no text can contain one.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

BYTE_VALUES = 256


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A byte is its own id; special tokens and unused ids follow."""

    name: str = "bytes-1"
    pad: int = 256
    start: int = 257
    ask: int = 258
    end: int = 259
    size: int = 264
    """Number of ids; a multiple of eight, which matrix units need."""

    def __post_init__(self) -> None:
        special = (self.pad, self.start, self.ask, self.end)
        if len(set(special)) != len(special) or not all(BYTE_VALUES <= token < self.size for token in special):
            raise ValueError(
                f"Special tokens must be four different ids from {BYTE_VALUES} to {self.size - 1}, not {special}."
            )

    def prompt(self, query: bytes, completion_prefix: bytes = b"") -> list[int]:
        """Token ids of a query and the given beginning of its completion."""
        return [self.start, *query, self.ask, *completion_prefix]

    def decode(self, ids: Iterable[int]) -> bytes:
        """The bytes among the ids; special tokens are left out."""
        return bytes(value for value in ids if value < BYTE_VALUES)

    def describe(self) -> dict[str, str | int]:
        """The tokenizer as JSON, for `model.json`."""
        return asdict(self)


BYTES = Tokenizer()
