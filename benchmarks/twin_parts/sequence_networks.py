"""Two small causal networks of the same size: softmax attention, and a linear recurrence with a state of fixed size.

The recurrence keeps, for each head, a matrix that decays by a constant and gains the outer product of key and value at
each token. Training computes the same sum over all earlier tokens at once; `recurrent_step` is the plain twin. Knows no
text.
"""

from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

Mixing = Literal["attention", "recurrence"]
HEAD = 32
"""Width of a head."""


@dataclass(frozen=True, slots=True)
class TwinShape:
    """Numbers that determine the parameters."""

    mixing: Mixing
    vocabulary: int
    layers: int = 4
    width: int = 192
    hidden: int = 512
    """Width of the feed-forward part; chosen so that twins have equally many parameters."""
    longest: int = 512
    """Tokens of a row, for the learnt positions of attention and recurrence alike."""


class BadTwin(ValueError):
    """A shape that cannot have the wanted number of parameters."""


def matched(shape: TwinShape, parameters: int) -> TwinShape:
    """The shape with the hidden width that comes nearest to a number of parameters; BadTwin where none does."""
    per_unit = shape.layers * 2 * shape.width
    bare = count(replace(shape, hidden=0))
    hidden = round((parameters - bare) / per_unit)
    if hidden < 1:
        raise BadTwin(
            f"A vocabulary of {shape.vocabulary} tokens alone has more than {parameters:,} parameters at width "
            f"{shape.width}; raise --layers or lower --width."
        )
    return replace(shape, hidden=hidden)


def count(shape: TwinShape) -> int:
    """Parameters of a shape."""
    matrices = 4 * shape.width**2 + 2 * shape.width * shape.hidden + 2 * shape.width
    tokens = 2 * shape.vocabulary * shape.width + shape.longest * shape.width
    return shape.layers * matrices + tokens + shape.width


def state_numbers(shape: TwinShape, tokens: int) -> int:
    """Numbers that generation keeps after so many tokens: keys and values of all, or one matrix for each head."""
    heads = shape.width // HEAD
    per_layer = 2 * tokens * shape.width if shape.mixing == "attention" else heads * HEAD * HEAD
    return shape.layers * per_layer


def decays(heads: int) -> Tensor:
    """The factor by which each head forgets at a token: from 7/8 to nearly 1."""
    return 1.0 - 2.0 ** (-3.0 - torch.arange(heads, dtype=torch.float32) * 6.0 / max(1, heads - 1))


class Mixer(nn.Module):
    """One layer that mixes tokens, by attention or by recurrence."""

    def __init__(self, shape: TwinShape) -> None:
        super().__init__()
        self.shape, self.heads = shape, shape.width // HEAD
        self.reads = nn.Linear(shape.width, 3 * shape.width, bias=False)
        self.writes = nn.Linear(shape.width, shape.width, bias=False)

    def split(self, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values by head; queries and keys have length 1."""
        rows, length, _ = values.shape
        parts = self.reads(values).view(rows, length, 3, self.heads, HEAD).transpose(1, 3).unbind(2)
        query, key, value = parts
        return functional.normalize(query, dim=-1), functional.normalize(key, dim=-1), value

    def forward(self, values: Tensor) -> Tensor:
        query, key, value = self.split(values)
        if self.shape.mixing == "attention":
            mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True, scale=HEAD**0.5)
        else:
            mixed = (query @ key.transpose(-1, -2) * self._weights(values.shape[1], values)) @ value
        return self.writes(_normal(mixed).transpose(1, 2).flatten(2))  # type: ignore[no-any-return]

    def _weights(self, length: int, like: Tensor) -> Tensor:
        """The decay between each pair of tokens; 0 for later ones."""
        at = torch.arange(length, device=like.device)
        distance = (at[:, None] - at[None, :]).float()
        weights = decays(self.heads).to(like.device)[:, None, None] ** distance.clamp(min=0)
        return (weights * (distance >= 0)).to(like.dtype)

    def recurrent_step(self, state: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """One token of the recurrence: the new state, and what is written; `values` is (rows, width)."""
        query, key, value = (each[:, :, 0] for each in self.split(values[:, None]))
        state = state * decays(self.heads).to(state.device)[:, None, None] + key[..., None] * value[..., None, :]
        mixed = (query[..., None, :] @ state)[..., 0, :]
        return state, self.writes(_normal(mixed).flatten(1))


def _normal(values: Tensor) -> Tensor:
    """Each head at the same scale: sums over many tokens grow."""
    return functional.rms_norm(values, (values.shape[-1],))


class TwinNetwork(nn.Module):
    """A causal network over token ids."""

    def __init__(self, shape: TwinShape) -> None:
        super().__init__()
        self.shape = shape
        self.tokens = nn.Embedding(shape.vocabulary, shape.width)
        self.places = nn.Embedding(shape.longest, shape.width)
        self.mixers = nn.ModuleList(Mixer(shape) for _ in range(shape.layers))
        self.wide = nn.ModuleList(nn.Linear(shape.width, shape.hidden, bias=False) for _ in range(shape.layers))
        self.narrow = nn.ModuleList(nn.Linear(shape.hidden, shape.width, bias=False) for _ in range(shape.layers))
        self.norms = nn.ModuleList(nn.RMSNorm(shape.width) for _ in range(2 * shape.layers + 1))
        self.head = nn.Linear(shape.width, shape.vocabulary, bias=False)
        for embedding in (self.tokens, self.places):
            nn.init.normal_(embedding.weight, std=0.02)

    def forward(self, ids: Tensor) -> Tensor:
        """Logits of the next token at every place; `ids` is (rows, length)."""
        values = self.tokens(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        for number, (mixer, wide, narrow) in enumerate(zip(self.mixers, self.wide, self.narrow, strict=True)):
            values = values + mixer(self.norms[2 * number](values))
            values = values + narrow(functional.relu(wide(self.norms[2 * number + 1](values))).square())
        return self.head(self.norms[-1](values))  # type: ignore[no-any-return]
