"""Bytes and marks as ids: the whole vocabulary of the embedded model; knows no network and no view.

A step reads `START query ASK answer END`. A context (a program's source, say) is bare bytes before its steps.
Marks are ids above 255, so no query can forge one.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

BYTE_VALUES = 256


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """Bytes are their own ids; marks and spare ids follow."""

    name: str = "bytes-1"
    pad: int = 256
    start: int = 257
    ask: int = 258
    end: int = 259
    size: int = 264
    """Ids in all; a multiple of eight, which matrix units want."""

    def __post_init__(self) -> None:
        marks = (self.pad, self.start, self.ask, self.end)
        if len(set(marks)) != len(marks) or not all(BYTE_VALUES <= mark < self.size for mark in marks):
            raise ValueError(f"Marks must be four different ids from {BYTE_VALUES} to {self.size - 1}, not {marks}.")

    def prompt(self, query: bytes, begun: bytes = b"") -> list[int]:
        """The ids up to where the answer goes on; `begun` is the part of the answer that is given."""
        return [self.start, *query, self.ask, *begun]

    def decode(self, ids: Iterable[int]) -> bytes:
        """The bytes among the ids; marks vanish."""
        return bytes(value for value in ids if value < BYTE_VALUES)

    def describe(self) -> dict[str, str | int]:
        """The encoding as JSON says it beside the weights."""
        return asdict(self)


BYTES = Tokenizer()
