"""`Shape`: the numbers that determine a network's parameters; imports no array library."""

import math
from dataclasses import asdict, dataclass

HEAD_WIDTH = 64
EPSILON = 1e-6
"""Keeps the scale of a zero vector finite."""
MATRICES = ("query_key_value", "query", "key_value", "attention_out", "gate_up", "down")
"""Parameters of a block with which it multiplies: nearly all of a network's numbers."""
NAMED_SIZES = {"tiny": 2, "small": 5, "main": 10}


@dataclass(frozen=True, slots=True)
class Shape:
    """Numbers that determine the network's parameters."""

    layers: int
    width: int
    hidden: int
    """Width of the hidden layer in the feed-forward part."""
    vocabulary: int = 264
    window: int = 5
    """Tokens that the convolution sees, the current one included."""
    rotation_base: float = 10_000.0
    """Longest wavelength of the position embedding, in tokens over 2 pi."""
    shared_heads: int = 1
    """Heads of queries that share one head of keys and values; the KV cache is smaller by this factor."""

    def __post_init__(self) -> None:
        if self.shared_heads < 1 or self.heads % self.shared_heads:
            raise ValueError(f"{self.heads} heads of queries cannot share keys by {self.shared_heads}; divide evenly.")
        if self.layers < 1 or self.width % HEAD_WIDTH or self.width < HEAD_WIDTH or self.window < 1:
            raise ValueError(
                f"A network needs at least one layer, a window from 1 and a width that is a multiple of {HEAD_WIDTH}, "
                f"not {self}."
            )

    @property
    def heads(self) -> int:
        return self.width // HEAD_WIDTH

    @property
    def key_heads(self) -> int:
        """Heads of keys, and of values."""
        return self.heads // self.shared_heads

    @property
    def cached_numbers(self) -> int:
        """Numbers that a KV cache holds for one token: keys and values of all layers."""
        return 2 * self.layers * self.key_heads * HEAD_WIDTH

    @property
    def matrix_numbers(self) -> int:
        """Numbers of the matrices of all blocks."""
        return self.layers * self.width * (2 * self.width + 2 * self.key_heads * HEAD_WIDTH + 3 * self.hidden)

    def describe(self) -> dict[str, int | float]:
        """The shape as JSON, for `model.json`."""
        return asdict(self)

    def parameters(self) -> dict[str, tuple[int, ...]]:
        """The shape of each parameter by its name, as `Network` has them."""
        width, tokens = self.width, (self.vocabulary, self.width)
        found = {"embedding": tokens, "final_gain": (width,), "head": tokens}
        for layer in range(self.layers):
            found |= {f"blocks.{layer}.{name}": form for name, form in self._block_parameters().items()}
        return found

    def _block_parameters(self) -> dict[str, tuple[int, ...]]:
        width, hidden = self.width, self.hidden
        shared = {"query": (width, width), "key_value": (2, self.key_heads * HEAD_WIDTH, width)}
        projections = {"query_key_value": (3, width, width)} if self.shared_heads == 1 else shared
        return {
            "attention_gain": (width,),
            "convolution.taps": (self.window, width),
            **projections,
            "query_gain": (HEAD_WIDTH,),
            "key_gain": (HEAD_WIDTH,),
            "attention_out": (width, width),
            "feed_gain": (width,),
            "gate_up": (2, hidden, width),
            "down": (width, hidden),
        }


def shape_of_size(size: str, vocabulary: int = 264) -> Shape:
    """The shape of a size: a name, a depth (10 gives 17.9 M parameters), or depth, width and query heads per key head.

    >>> shape_of_size("main").width, shape_of_size("5").width
    (384, 192)
    >>> shape_of_size("6x512x4").key_heads
    2
    """
    parts = str(NAMED_SIZES.get(size, size)).split("x")
    numbers = [int(part) if part.isdecimal() else 0 for part in parts]
    if len(numbers) > 3 or not 1 <= numbers[0] <= 64 or not all(numbers):
        raise ValueError(
            f"No size {size!r}. Choose one of {', '.join(NAMED_SIZES)}, a depth from 1 to 64, or depth, width and "
            "query heads per key head as in 6x512x4."
        )
    usual = (numbers[0], HEAD_WIDTH * max(1, numbers[0] * 3 // 5), 1)
    layers, width, shared = (*numbers, *usual[len(numbers) :])
    hidden = 64 * math.ceil(width * 8 / 3 / 64)
    return Shape(layers=layers, width=width, hidden=hidden, vocabulary=vocabulary, shared_heads=shared)
