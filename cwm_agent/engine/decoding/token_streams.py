"""Rows that grow token by token for a long time, with their KV cache kept; used by the history view.

`engine.py` completes independent prompts. Here the caller chooses each next token, and nothing is computed twice. All
rows take their next token in one step; a row may wait. Knows no frame and no view.
"""

from collections.abc import Sequence
from itertools import accumulate

import torch
from torch import Tensor

from cwm_agent.engine.forward_pass import ForwardPass
from cwm_agent.engine.kv_cache import KVCache

MAX_PREFILL_TOKENS = 4_096
"""Tokens of one forward pass over prompts."""


class TokenStreams:
    """Rows of one batch: `log_probs` gives the next token's distribution in each, `append` adds the chosen tokens."""

    def __init__(self, forward_pass: ForwardPass) -> None:
        self._forward_pass = forward_pass
        self._kv_cache: KVCache | None = None
        self._hidden: Tensor | None = None
        """Of each row's last token."""

    def __len__(self) -> int:
        """Number of rows."""
        return 0 if self._hidden is None else len(self._hidden)

    @property
    def longest(self) -> int:
        """Tokens of the longest row."""
        return 0 if self._kv_cache is None else max(self._kv_cache.lengths)

    @torch.inference_mode()
    def add_rows(self, prompts: Sequence[Sequence[int]]) -> None:
        """Append a row for each prompt."""
        for part in _parts(prompts):
            hidden, kv_cache = self._prefill(part)
            if self._kv_cache is None or self._hidden is None:
                self._kv_cache, self._hidden = kv_cache, hidden
            else:
                self._kv_cache.extend(kv_cache)
                self._hidden = torch.cat((self._hidden, hidden))

    def _prefill(self, prompts: Sequence[Sequence[int]]) -> tuple[Tensor, KVCache]:
        lengths, rows = list(map(len, prompts)), slice(0, len(prompts))
        kv_cache = self._forward_pass.new_kv_cache(len(prompts), max(lengths))
        output = self._forward_pass.forward(prompts, kv_cache, rows, [end - 1 for end in accumulate(lengths)])
        kv_cache.commit(rows, lengths, output)
        return output.hidden, kv_cache

    @torch.inference_mode()
    def keep_rows(self, rows: Sequence[int]) -> None:
        """Keep these rows only, in this order."""
        if not rows:
            self._kv_cache = self._hidden = None
        elif list(rows) != list(range(len(self))):
            assert self._kv_cache is not None
            assert self._hidden is not None
            self._kv_cache.select_rows(rows)
            self._hidden = self._hidden[list(rows)]

    @torch.inference_mode()
    def log_probs(self) -> Tensor:
        """Log-probabilities of the next token, (rows, vocabulary), on the CPU."""
        assert self._hidden is not None
        return self._forward_pass.logits(self._hidden).log_softmax(dim=-1).cpu()

    @torch.inference_mode()
    def append(self, tokens: Sequence[int | None]) -> None:
        """Append one token to each row; None where a row waits."""
        assert self._kv_cache is not None
        assert self._hidden is not None
        growing = [row for row, token in enumerate(tokens) if token is not None]
        if not growing:
            return
        rows = slice(0, len(tokens))
        new = [[] if token is None else [token] for token in tokens]
        output = self._forward_pass.forward(new, self._kv_cache, rows)
        self._kv_cache.commit(rows, [int(token is not None) for token in tokens], output)
        self._hidden[growing] = output.hidden


def _parts(prompts: Sequence[Sequence[int]]) -> list[list[Sequence[int]]]:
    """The prompts in order, in parts for one forward pass each."""
    parts: list[list[Sequence[int]]] = []
    longest = 0
    for prompt in prompts:
        longest = max(longest, len(prompt))
        if not parts or longest * (len(parts[-1]) + 1) > MAX_PREFILL_TOKENS:
            parts.append([])
            longest = len(prompt)
        parts[-1].append(prompt)
    return parts
