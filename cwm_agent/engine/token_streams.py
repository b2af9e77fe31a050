"""Texts under way side by side, each extended token by token with all it has read kept; knows no frame and no view.

Unlike `engine.py`, which answers questions that stand alone, this is for texts that grow for long: what was read is
never read again. All rows take their next token in one pass; what a row that waits is made to read does not count.
"""

from collections.abc import Sequence
from itertools import accumulate

import torch
from torch import Tensor

from cwm_agent.engine.forward_pass import ForwardPass
from cwm_agent.engine.kv_cache import KVCache

TOKENS_READ_AT_ONCE = 4_096


class TokenStreams:
    """Rows of one batch; `chances` says what may come next in each, `extend` goes on."""

    def __init__(self, reader: ForwardPass) -> None:
        self._reader = reader
        self._memory: KVCache | None = None
        self._stream: Tensor | None = None
        """Of each row's last token."""

    def __len__(self) -> int:
        return 0 if self._stream is None else len(self._stream)

    @property
    def columns(self) -> int:
        """Tokens of the longest row."""
        return 0 if self._memory is None else max(self._memory.lengths)

    @torch.inference_mode()
    def begin(self, prompts: Sequence[Sequence[int]]) -> None:
        """Add a row for each prompt, behind the others."""
        for part in _parts(prompts):
            stream, memory = self._read(part)
            if self._memory is None or self._stream is None:
                self._memory, self._stream = memory, stream
            else:
                self._memory.add(memory)
                self._stream = torch.cat((self._stream, stream))

    def _read(self, prompts: Sequence[Sequence[int]]) -> tuple[Tensor, KVCache]:
        lengths, rows = list(map(len, prompts)), slice(0, len(prompts))
        memory = self._reader.memory(len(prompts), max(lengths))
        reading = self._reader.read(prompts, memory, rows)
        memory.accept(rows, lengths, reading)
        return reading.stream[[end - 1 for end in accumulate(lengths)]], memory

    @torch.inference_mode()
    def keep(self, rows: Sequence[int]) -> None:
        """Go on with these rows alone, in this order."""
        if not rows:
            self._memory = self._stream = None
        elif list(rows) != list(range(len(self))):
            assert self._memory is not None
            assert self._stream is not None
            self._memory.keep(rows)
            self._stream = self._stream[list(rows)]

    @torch.inference_mode()
    def chances(self) -> Tensor:
        """Log-probabilities of the next token, (rows, vocabulary), on the CPU."""
        assert self._stream is not None
        return self._reader.logits(self._stream).log_softmax(dim=-1).cpu()

    @torch.inference_mode()
    def extend(self, tokens: Sequence[int | None]) -> None:
        """One more token in each row; None where a row waits."""
        assert self._memory is not None
        assert self._stream is not None
        going = [place for place, token in enumerate(tokens) if token is not None]
        if not going:
            return
        rows = slice(0, len(tokens))
        reading = self._reader.read([[] if token is None else [token] for token in tokens], self._memory, rows)
        self._memory.accept(rows, [int(token is not None) for token in tokens], reading)
        self._stream[going] = reading.stream


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
