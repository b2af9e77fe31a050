"""Scheduler: decides which rows compute which tokens in the next step; knows no prompt text and no answer.

A row starts behind its longest cached prefix (`prefix_cache.py`). If two waiting rows would compute the same tokens
next, one of them waits a step and then starts from what the other has cached. Finished rows leave after each step and
only the rows that fill their gaps are copied; new rows may join before any step.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Literal

from cwm_agent.engine.decoding.protocol import DecodedTokens, InferencePass, NextTokens, SeveralTokens
from cwm_agent.engine.kv_cache import ForwardOutput, KVCache
from cwm_agent.engine.prefix_cache import ComputedTokens, PrefixCache

WORTH_WAITING = 8
"""A row waits for another one if both would compute at least so many equal tokens."""


@dataclass(slots=True)
class BatchRow:
    """One sequence in the batch: context, prompt and the tokens decoded so far."""

    context: list[int]
    prompt: list[int]
    """Follows the context; the convolution restarts at its first token."""
    draft: list[int] = field(default_factory=list)
    """Proposed next tokens; the next step computes them behind the pending ones and checks them."""
    output: list[int] = field(default_factory=list)
    """Decoded tokens."""
    logprob: float = 0.0
    """Log-probability of the output."""
    done: bool = False
    pending: list[int] = field(default_factory=list)
    """Tokens that the next step has to compute."""
    prefix_slots: list[int] = field(default_factory=list)
    """Slots of the cached prefix."""
    phase: Literal["context", "prompt", "decode"] = "context"
    """What the pending tokens belong to."""

    def __len__(self) -> int:
        """Tokens before the first decoded one."""
        return len(self.context) + len(self.prompt)

    def start(self) -> None:
        """Set phase and pending tokens to what follows the cached prefix."""
        missing = len(self.context) - len(self.prefix_slots)
        self.phase = "context" if missing > 0 else "prompt"
        self.pending = self.context[-missing:] if missing > 0 else self.prompt[-missing:]

    @property
    def step_tokens(self) -> int:
        """Tokens that the next step computes."""
        return len(self.pending) + len(self.draft)


ProposeDrafts = Callable[[Sequence[BatchRow]], None]
"""Sets the drafts of some rows."""
AcceptTokens = Callable[[Sequence[BatchRow], NextTokens], list[int]]
"""Takes rows and what may follow behind the last pending token and each draft token of every row. Decodes, and
returns how many of the computed tokens of each row are accepted."""

ExtendRows = Callable[[Sequence[BatchRow], Sequence[DecodedTokens]], None]
"""Takes rows and the tokens decoded in each; appends them to the output of the rows."""


class Scheduler:
    """Rows that share one KV cache."""

    def __init__(
        self, forward_pass: InferencePass, prefix_cache: PrefixCache, kv_cache: KVCache, *, max_step_tokens: int
    ) -> None:
        self._forward_pass, self._prefix_cache = forward_pass, prefix_cache
        self._kv_cache, self._max_step_tokens = kv_cache, max_step_tokens
        self._waiting, self._running = list[BatchRow](), list[BatchRow]()
        kv_cache.truncate_rows(0)

    def __len__(self) -> int:
        """Rows that are not done."""
        return len(self._running) + len(self._waiting)

    def inference(self) -> AbstractContextManager[object]:
        """A block in which all steps are made."""
        return self._forward_pass.inference()

    def add(self, rows: Iterable[BatchRow]) -> None:
        """Queue rows; they join the next step."""
        self._waiting += rows

    def step(self, propose: ProposeDrafts, accept: AcceptTokens) -> list[BatchRow]:
        """Run one step over all rows; returns the rows that are done now."""
        self._prefix_cache.begin_step()
        for row in self._running:
            if row.phase == "prompt":  # part of its context may have been evicted since
                row.prefix_slots = self._prefix_cache.find(row.context)
        self._admit()
        propose([row for row in self._running if row.phase != "context"])
        for first, last in self._parts():
            self._run(first, last, accept)
        return self._remove_finished()

    @property
    def only_decodes(self) -> bool:
        """Whether every row has computed its prompt."""
        return not self._waiting and bool(self._running) and all(row.phase == "decode" for row in self._running)

    def decode(self, decoder: SeveralTokens, stop_tokens: Iterable[int], extend: ExtendRows) -> list[BatchRow]:
        """Decode several tokens in all rows without drafts; returns the rows that are done now."""
        pending = [row.pending[0] for row in self._running]
        extend(self._running, decoder.decode(self._kv_cache, pending, stop_tokens))
        return self._remove_finished()

    def _admit(self) -> None:
        """Start the waiting rows, except those whose next tokens another starting row computes."""
        starting, waiting, admitted = set[tuple[int, ...]](), list[BatchRow](), list[BatchRow]()
        for row in self._waiting:
            tokens = [*row.context, *row.prompt[:-1]]
            row.prefix_slots = self._prefix_cache.find(tokens)
            cached = len(row.prefix_slots)
            following = (cached, *row.prefix_slots[-1:], *tokens[cached:][:WORTH_WAITING])
            if following in starting:
                waiting.append(row)
                continue
            if len(tokens) - cached >= WORTH_WAITING:
                starting.add(following)
            row.start()
            admitted.append(row)
        self._waiting = waiting
        if admitted:
            self._load_prefixes(admitted)

    def _load_prefixes(self, rows: list[BatchRow]) -> None:
        """Add rows to the batch, with their cached prefixes copied into the KV cache."""
        rows.sort(key=lambda row: len(row.pending))
        lengths = [len(row.prefix_slots) for row in rows]
        self._kv_cache.reserve_columns(max(lengths))
        self._kv_cache.add_rows(lengths)
        restarts = [len(row.context) if row.phase == "prompt" else 0 for row in rows]
        self._prefix_cache.load(self._kv_cache, len(self._running), [row.prefix_slots for row in rows], restarts)
        self._running += rows

    def _parts(self) -> Iterator[tuple[int, int]]:
        """The rows in parts of at most `max_step_tokens` tokens, as (first, last + 1)."""
        first, tokens = 0, 0
        for index, row in enumerate(self._running):
            if tokens and tokens + row.step_tokens > self._max_step_tokens:
                yield first, index
                first, tokens = index, 0
            tokens += row.step_tokens
        yield first, len(self._running)

    def _run(self, first: int, last: int, accept: AcceptTokens) -> None:
        """One forward pass over some rows: compute pending and draft tokens, decode, commit the accepted ones."""
        rows, cache_rows = self._running[first:last], slice(first, last)
        tokens = [[*row.pending, *row.draft] for row in rows]
        output = self._forward_pass.forward(tokens, self._kv_cache, cache_rows, _wanted(rows))
        self._store_prefixes(rows, first, output)
        counts = [len(row.pending) for row in rows]
        decoding = [index for index, row in enumerate(rows) if row.phase != "context"]
        if decoding:
            next_tokens = self._forward_pass.next_tokens(output.hidden)
            accepted = accept([rows[index] for index in decoding], next_tokens)
            for index, count in zip(decoding, accepted, strict=True):
                counts[index] = count
        self._kv_cache.commit(cache_rows, counts, output)
        for index, row in enumerate(rows):
            if row.phase == "context":
                row.phase, row.pending = "prompt", row.prompt
                self._kv_cache.conv_inputs[:, first + index] = 0
            elif row.phase == "prompt":
                row.phase = "decode"

    def _store_prefixes(self, rows: Sequence[BatchRow], first: int, output: ForwardOutput) -> None:
        """Put computed contexts and prompts into the prefix cache, without the last token, which every row computes."""
        computed = []
        for index, row in enumerate(rows):
            if row.phase == "context":
                computed.append(ComputedTokens(index, first + index, row.prefix_slots, row.pending))
            # Only where the whole context is cached.
            elif row.phase == "prompt" and len(row.prefix_slots) + len(row.pending) == len(row):
                computed.append(ComputedTokens(index, first + index, row.prefix_slots, row.pending[:-1]))
        self._prefix_cache.store(self._kv_cache, output, computed)

    def _remove_finished(self) -> list[BatchRow]:
        """Remove and return the rows that are done; rows from the end move into their places."""
        rows, done = self._running, [row for row in self._running if row.done]
        remaining = [index for index, row in enumerate(rows) if not row.done]
        gaps = [index for index in range(len(remaining)) if rows[index].done]
        movers = [index for index in remaining if index >= len(remaining)]
        self._kv_cache.move_rows(list(zip(movers, gaps, strict=True)))
        self._kv_cache.truncate_rows(len(remaining))
        for source, target in zip(movers, gaps, strict=True):
            rows[target] = rows[source]
        self._running = rows[: len(remaining)]
        return done


def _wanted(rows: Sequence[BatchRow]) -> list[int]:
    """Indices of the last pending token and the draft tokens of each row that decodes, among the tokens of a step."""
    indices, end = list[int](), 0
    for row in rows:
        if row.phase != "context":
            indices += range(end + len(row.pending) - 1, end + row.step_tokens)
        end += row.step_tokens
    return indices
