"""Texts under way side by side, each extended token by token with all it has read kept; knows no frame and no view.

Unlike `engine.py`, which answers questions that stand alone, this is for texts that grow for long: what was read is
never read again. All rows take their next token in one pass; a row that has none to take waits, and its column of that
pass is masked out. When such gaps have grown many, they are closed.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from cwm_agent.embedded.inference import COLUMNS_AHEAD, Memory, Reader, join

TOKENS_READ_AT_ONCE = 16_384
GAPS_ALLOWED = 0.25
"""Share of the columns that may be gaps in every row before they are closed."""


class Conversations:
    """Rows of one batch; `chances` says what may come next in each, `extend` goes on."""

    def __init__(self, reader: Reader, pad: int) -> None:
        self._reader = reader
        self._pad = pad
        self._memory: Memory | None = None
        self._stream: Tensor | None = None
        """Of each row's last token."""

    def __len__(self) -> int:
        return 0 if self._stream is None else len(self._stream)

    @property
    def columns(self) -> int:
        """Columns in use, gaps included."""
        return 0 if self._memory is None else self._memory.used

    @torch.inference_mode()
    def begin(self, prompts: Sequence[Sequence[int]]) -> None:
        """Add a row for each prompt, behind the others."""
        memories = [] if self._memory is None else [self._memory]
        streams = [] if self._stream is None else [self._stream]
        for part in _parts(prompts):
            stream, memory = self._read(part)
            memories.append(memory)
            streams.append(stream)
        if memories:
            self._memory, self._stream = join(memories), torch.cat(streams)

    def _read(self, prompts: Sequence[Sequence[int]]) -> tuple[Tensor, Memory]:
        longest = max(map(len, prompts))
        device = self._reader.device
        tokens = torch.tensor([[*prompt, *[self._pad] * (longest - len(prompt))] for prompt in prompts], device=device)
        lengths = torch.tensor([len(prompt) for prompt in prompts], device=device)
        stream, memory = self._reader.read(tokens, lengths, [None] * len(prompts))
        return stream[torch.arange(len(prompts), device=device), lengths - 1], memory

    @torch.inference_mode()
    def keep(self, rows: Sequence[int]) -> None:
        """Go on with these rows alone, in this order."""
        if not rows:
            self._memory = self._stream = None
        elif list(rows) != list(range(len(self))):
            assert self._memory is not None
            assert self._stream is not None
            chosen = torch.tensor(list(rows), device=self._reader.device)
            self._memory.keep(chosen)
            self._stream = self._stream.index_select(0, chosen)

    @torch.inference_mode()
    def chances(self) -> Tensor:
        """Log-probabilities of the next token, (rows, vocabulary), on the CPU."""
        assert self._stream is not None
        return self._reader.logits(self._stream).log_softmax(dim=-1).cpu()

    @torch.inference_mode()
    def extend(self, tokens: Sequence[int | None]) -> None:
        """One more token in each row; None where a row waits."""
        memory, before = self._memory, self._stream
        assert memory is not None
        assert before is not None
        self._close_gaps()
        inputs = memory.inputs[:]
        given = torch.tensor([self._pad if token is None else token for token in tokens], device=self._reader.device)
        stream = self._reader.go_on(given, memory)
        if None in tokens:
            going = torch.tensor([token is not None for token in tokens], device=self._reader.device)
            stream = torch.where(going[:, None], stream, before)
            memory.mask[~going, ..., memory.used - 1] = -torch.inf
            memory.positions = memory.positions - (~going).long()
            memory.inputs = [
                [torch.where(going[:, None], new, old) for new, old in zip(*pair, strict=True)]
                for pair in zip(memory.inputs, inputs, strict=True)
            ]
        self._stream = stream

    def _close_gaps(self) -> None:
        """Move every row's columns together where even the fullest row has too many gaps."""
        memory = self._memory
        assert memory is not None
        if memory.used < memory.mask.shape[-1]:
            return
        taken = memory.mask[:, 0, 0, : memory.used] == 0
        width = int(taken.sum(dim=1).max())
        if width > (1 - GAPS_ALLOWED) * memory.used:
            return
        order = torch.argsort((~taken).byte(), dim=1, stable=True)[:, :width]
        hidden = ~taken.gather(1, order)
        mask = torch.zeros(len(taken), 1, 1, width + COLUMNS_AHEAD, device=taken.device)
        mask[..., :width].masked_fill_(hidden[:, None, None], -torch.inf)
        memory.keys = [_moved(tensor, order) for tensor in memory.keys]
        memory.values = [_moved(tensor, order) for tensor in memory.values]
        memory.mask, memory.used = mask, width


def _moved(tensor: Tensor, order: Tensor) -> Tensor:
    """The columns in this order, with room behind them."""
    rows, heads, _, width = tensor.shape
    places = order[:, None, :, None].expand(-1, heads, -1, width)
    whole = tensor.new_zeros(rows, heads, order.shape[1] + COLUMNS_AHEAD, width)
    whole[:, :, : order.shape[1]] = tensor.gather(2, places)
    return whole


def _parts(prompts: Sequence[Sequence[int]]) -> list[list[Sequence[int]]]:
    """The prompts in order, in parts that are read at once."""
    parts: list[list[Sequence[int]]] = []
    longest = 0
    for prompt in prompts:
        longest = max(longest, len(prompt))
        if not parts or longest * (len(parts[-1]) + 1) > TOKENS_READ_AT_ONCE:
            parts.append([])
            longest = len(prompt)
        parts[-1].append(prompt)
    return parts
