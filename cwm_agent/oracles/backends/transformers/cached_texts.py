"""KV and prefix caches for texts in a causal language model of transformers; knows no frame and no guide.

Rows of a batch are padded on the left, so that a window over the last columns is a window over the last tokens of every
row. The KV cache of a row is kept under the number of its owner; the cache of a head (a program's source) is shared by
all texts. Caches hold every position even for layers with sliding-window attention, because rows are cut back and
joined.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

TOKENS_READ_AT_ONCE = 16_384
HEADS_KEPT = 32_768
"""Most tokens of all cached heads together."""
NEARLY_ALL_READ = 128
"""Texts with fewer new tokens than this are read together, longer ones separately."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text for the model to read."""

    tokens: tuple[int, ...]
    head: int
    """Number of tokens at the beginning that are shared with other texts; 0 for none."""
    owner: int = -1
    """Number of the text's owner; below 0 only the head is kept."""


@dataclass(slots=True)
class Batch:
    """The KV cache of some rows: keys and values by layer, (rows, heads, columns, width)."""

    keys: list[Tensor]
    values: list[Tensor]
    starts: list[int]
    """The column of each row's first token; its tokens follow without a gap."""
    tokens: list[list[int]]
    owners: list[int]
    logits: Tensor
    """Logits of each row's last token."""

    @property
    def columns(self) -> int:
        return self.keys[0].shape[2]

    def taken(self, rows: Sequence[int], counts: Sequence[int]) -> list[tuple[Tensor, Tensor]]:
        """Return the cache of the first `counts` tokens of these rows, with the padding on their left."""
        width = max(counts)
        device = self.keys[0].device
        shift = torch.tensor([self.starts[row] + count - width for row, count in zip(rows, counts, strict=True)])
        places = (torch.arange(width) + shift[:, None]).clamp(min=0).to(device)
        chosen = torch.tensor(list(rows), device=device)
        return [
            (_gathered(key, chosen, places), _gathered(value, chosen, places))
            for key, value in zip(self.keys, self.values, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class _Part:
    """Texts read in one pass: they extend rows of one batch, or start from nothing."""

    numbers: tuple[int, ...]
    source: Batch | None = None
    rows: tuple[int, ...] = ()


class CausalTexts:
    """Reads texts and extends them; with `kept=False` it drops all caches between two readings."""

    def __init__(self, model: Any, pad: int, *, kept: bool = True) -> None:
        self._model, self._pad, self._kept = model, pad, kept
        self._known: list[Batch] = []
        self._heads: dict[tuple[int, ...], Batch] = {}

    @torch.inference_mode()
    def read(self, texts: Sequence[Text]) -> tuple[Batch, list[int]]:
        """Return a batch with one row for each text, and how many tokens of each were new to the model."""
        unread = {text.tokens[: text.head] for text in texts if text.head and self._own(text) is None}
        charged = sum(len(head) for head in unread if head not in self._heads) if self._kept else 0
        if self._kept:
            self._read_heads(unread)
        known = [self._source(text) for text in texts]
        new = [len(text.tokens) - count for text, (_, _, count) in zip(texts, known, strict=True)]
        parts = [(part, self._read_part(texts, part, new)) for part in _parts(texts, known, new)]
        return _joined(parts), [new[0] + charged, *new[1:]]  # the first text pays for the heads

    def keep(self, batches: Sequence[Batch]) -> None:
        """Keep the caches of these rows, and of no others, for texts that are extended later."""
        self._known = list(batches) if self._kept else []

    @torch.inference_mode()
    def extend(self, batch: Batch, tokens: Sequence[int | None]) -> None:
        """Append one token to each row; a row that gets None has ended and takes no more."""
        fed = torch.tensor([[self._pad if token is None else token] for token in tokens])
        lengths = [len(row) for row in batch.tokens]
        mask = _mask(batch.starts, lengths, batch.columns + 1)
        mask[:, -1] = torch.tensor([token is not None for token in tokens])
        positions = torch.tensor(lengths)[:, None]
        past = list(zip(batch.keys, batch.values, strict=True))
        batch.logits, batch.keys, batch.values = self._forward(fed, mask, positions, past)
        for row, token in zip(batch.tokens, tokens, strict=True):
            if token is not None:
                row.append(token)

    def _own(self, text: Text) -> tuple[Batch, int, int] | None:
        """Return the row of the same owner and how much of the text it has read; None if that is less than the head."""
        for batch in self._known if text.owner >= 0 else ():
            if text.owner in batch.owners:
                row = batch.owners.index(text.owner)
                count = min(_shared(batch.tokens[row], text.tokens), len(text.tokens) - 1)
                return (batch, row, count) if count >= text.head else None
        return None

    def _source(self, text: Text) -> tuple[Batch | None, int, int]:
        """Return the batch and row that hold the beginning of a text, and how many of its tokens."""
        found = self._own(text)
        if found is not None and found[2]:
            return found
        head = self._heads.get(text.tokens[: text.head])
        return (None, 0, 0) if head is None else (head, 0, min(text.head, len(text.tokens) - 1))

    def _read_heads(self, heads: set[tuple[int, ...]]) -> None:
        for head in sorted(heads):
            found = self._heads.pop(head, None)
            self._heads[head] = found or self._read_part([Text(head, 0)], _Part((0,)), [len(head)])
        while len(self._heads) > len(heads) and sum(map(len, self._heads)) > HEADS_KEPT:
            self._heads.pop(next(iter(self._heads)))

    def _read_part(self, texts: Sequence[Text], part: _Part, new: Sequence[int]) -> Batch:
        """Read the new tokens of some texts; all read as many last tokens as the longest: padding costs the same."""
        whole = [texts[number].tokens for number in part.numbers]
        width = max(new[number] for number in part.numbers)
        counts = [max(0, len(tokens) - width) for tokens in whole]
        past = part.source.taken(part.rows, counts) if part.source is not None and max(counts) else []
        columns = max(counts) + width
        lengths = [len(tokens) for tokens in whole]
        starts = [columns - length for length in lengths]
        fed = torch.tensor([[*[self._pad] * (width - len(tokens)), *tokens[-width:]] for tokens in whole])
        mask = _mask(starts, lengths, columns)
        positions = (torch.arange(columns - width, columns) - torch.tensor(starts)[:, None]).clamp(min=0)
        logits, keys, values = self._forward(fed, mask, positions, past)
        owners = [texts[number].owner for number in part.numbers]
        return Batch(
            keys=keys,
            values=values,
            starts=starts,
            tokens=[list(tokens) for tokens in whole],
            owners=owners,
            logits=logits,
        )

    def _forward(
        self, fed: Tensor, mask: Tensor, positions: Tensor, past: list[tuple[Tensor, Tensor]]
    ) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        from transformers import DynamicCache

        cache = DynamicCache()
        for layer, (key, value) in enumerate(past):
            cache.update(key, value, layer)
        device = self._model.device
        output = self._model(
            input_ids=fed.to(device),
            attention_mask=mask.to(device),
            position_ids=positions.to(device),
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        layers = output.past_key_values.layers
        return output.logits[:, -1].float(), [layer.keys for layer in layers], [layer.values for layer in layers]


def _mask(starts: Sequence[int], lengths: Sequence[int], columns: int) -> Tensor:
    """Return which columns hold a token of their row."""
    places = torch.arange(columns)
    first = torch.tensor(starts)[:, None]
    return ((places >= first) & (places < first + torch.tensor(lengths)[:, None])).long()


def _parts(
    texts: Sequence[Text], known: Sequence[tuple[Batch | None, int, int]], new: Sequence[int]
) -> Iterator[_Part]:
    """Split the texts into parts: each from one batch, of similar length, and small enough for one pass."""
    groups: dict[tuple[int, bool], list[int]] = {}
    for number, (source, _, _) in enumerate(known):
        groups.setdefault((id(source), new[number] > NEARLY_ALL_READ), []).append(number)
    for numbers in groups.values():
        at_once = max(1, TOKENS_READ_AT_ONCE // max(new[number] for number in numbers))
        for first in range(0, len(numbers), at_once):
            chosen = tuple(numbers[first : first + at_once])
            yield _Part(chosen, known[chosen[0]][0], tuple(known[number][1] for number in chosen))


def _joined(parts: Sequence[tuple[_Part, Batch]]) -> Batch:
    """Join the rows of all parts in the order of the texts."""
    order = [number for part, _ in parts for number in part.numbers]
    batches = [batch for _, batch in parts]
    if len(parts) == 1 and order == sorted(order):
        return batches[0]
    places = sorted(range(len(order)), key=order.__getitem__)
    columns = max(batch.columns for batch in batches)
    chosen = torch.tensor(places, device=batches[0].keys[0].device)
    starts = [start + columns - batch.columns for batch in batches for start in batch.starts]
    tokens = [row for batch in batches for row in batch.tokens]
    owners = [owner for batch in batches for owner in batch.owners]
    return Batch(
        keys=[_stacked(layer, columns)[chosen] for layer in zip(*[batch.keys for batch in batches], strict=True)],
        values=[_stacked(layer, columns)[chosen] for layer in zip(*[batch.values for batch in batches], strict=True)],
        starts=[starts[place] for place in places],
        tokens=[tokens[place] for place in places],
        owners=[owners[place] for place in places],
        logits=torch.cat([batch.logits for batch in batches])[chosen],
    )


def _stacked(tensors: Sequence[Tensor], columns: int) -> Tensor:
    """Stack the rows of some batches, with more padding on the left of the narrow ones."""
    return torch.cat([torch.nn.functional.pad(each, (0, 0, columns - each.shape[2], 0)) for each in tensors])


def _gathered(tensor: Tensor, rows: Tensor, places: Tensor) -> Tensor:
    _, heads, _, width = tensor.shape
    return tensor[rows].gather(2, places[:, None, :, None].expand(-1, heads, -1, width))


def _shared(first: Sequence[int], second: Sequence[int]) -> int:
    """Return how many tokens two texts share at their beginning."""
    for place, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return place
    return min(len(first), len(second))
