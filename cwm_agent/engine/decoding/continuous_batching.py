"""Continuous batching: requests join a running batch at any time, and each is returned as soon as it is done.

Some completions take three steps and some a hundred. A caller that waits for a whole batch waits for its longest
completion; here the next request takes a free row before the next step. The completion of a prompt does not depend on
the other requests: where memory runs out, all of them begin again, fewer at a time. Knows no view.
"""

import warnings
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Generic, TypeVar

from cwm_agent.engine.decoding.acceptance_rates import worthwhile_probability
from cwm_agent.engine.decoding.protocol import DecodedTokens, NextTokens, SeveralTokens, memory_errors
from cwm_agent.engine.decoding.scheduler import BatchRow, Scheduler
from cwm_agent.engine.decoding.speculative_decoding import DraftProposer
from cwm_agent.engine.tokenizer import Tokenizer

K = TypeVar("K", bound=Hashable)
MAX_DRAFT = 16
"""Draft tokens of one row in one step."""
EXPECTED_TOKENS = 64
"""Columns that a completion is expected to need; a KV cache whose rows need more is copied."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """Input of the model for one completion."""

    text: bytes
    context: bytes = b""
    """Text before it that other prompts share, for example the source of a program."""
    completion_prefix: bytes = b""
    """Given beginning of the completion, which the model continues."""

    def __len__(self) -> int:
        """Tokens before the first decoded one: context, START, text, ASK and the completion prefix."""
        return len(self.context) + len(self.text) + len(self.completion_prefix) + 2


@dataclass(frozen=True, slots=True)
class Completion:
    """Output of the model for one prompt."""

    text: bytes
    """Without the `completion_prefix`."""
    logprob: float
    """Of all decoded tokens, END included, in nats."""
    tokens: int
    finished: bool
    """True if it ended by END or by the stop byte, False if it reached the token limit."""


@dataclass(frozen=True, slots=True)
class DecodingLimits:
    """When a completion ends, and how much is computed at once."""

    max_tokens: int
    """Tokens of a completion."""
    stop_tokens: frozenset[int]
    """Tokens that end a completion."""
    rows: int
    columns: int
    """KV cache columns of all rows together."""
    pass_tokens: int
    """Tokens that take as long as the fixed part of a pass; determines the length of drafts."""
    row_tokens: float = 0.0
    """Tokens that take as long as the fixed part of a row."""


@dataclass(slots=True)
class _Request(Generic[K]):
    """A prompt without a completion yet, and the keys of all callers that wait for it."""

    prompt: Prompt
    keys: list[K]
    row: BatchRow
    draft_source: str = ""
    """Where the draft of the current step was found."""


@dataclass(slots=True)
class ContinuousBatch(Generic[K]):
    """Running requests, each under keys that the caller chooses."""

    scheduler: Scheduler
    draft_proposer: DraftProposer
    tokenizer: Tokenizer
    limits: DecodingLimits
    reserve_contexts: Callable[[int], None]
    """Called with the number of tokens of all contexts in the batch, to make room in the prefix cache."""
    emptied: Callable[[], Scheduler]
    """Called when memory ran out: gives back the memory of all caches and returns a scheduler without rows."""
    decoder: SeveralTokens | None = None
    """Decodes while no row has a prompt to compute; None where drafts are faster (on a CPU)."""
    _waiting: deque[_Request[K]] = field(default_factory=deque)
    _requests: dict[Prompt, _Request[K]] = field(default_factory=dict)
    _by_row: dict[int, _Request[K]] = field(default_factory=dict)
    """Requests that have a row, by the identity of the row."""

    def __len__(self) -> int:
        """Different prompts without a completion yet."""
        return len(self._requests)

    def add_request(self, key: K, prompt: Prompt) -> None:
        """Add a prompt to the batch; equal prompts are computed once."""
        if prompt in self._requests:
            self._requests[prompt].keys.append(key)
            return
        row = BatchRow(list(prompt.context), self.tokenizer.prompt(prompt.text, prompt.completion_prefix))
        self._requests[prompt] = request = _Request(prompt, [key], row)
        self._waiting.append(request)

    def next_completions(self) -> list[tuple[K, Completion]]:
        """Run steps until some requests are done, and return those; empty if there are no requests."""
        done: list[BatchRow] = []
        with self.scheduler.inference():
            while self._requests and not done:
                done = self._try_step()
        return [pair for row in done for pair in self._completed(self._by_row.pop(id(row)))]

    def _try_step(self) -> list[BatchRow]:
        """One step; where memory runs out, all requests begin again, fewer at a time."""
        try:
            self._admit()
            return self._step()
        except memory_errors() as error:
            if len(self._by_row) == 1:
                raise
            problem = f"{type(error).__name__}: {error}"
        self._begin_again(problem)  # the error is gone, and with it what it holds in memory
        return []

    def _step(self) -> list[BatchRow]:
        """Compute a little in all rows, and return the rows that are done now."""
        if self.decoder is not None and self.scheduler.only_decodes:
            return self.scheduler.decode(self.decoder, self.limits.stop_tokens, self._extend)
        return self.scheduler.step(self._propose, self._accept)

    def _begin_again(self, problem: str) -> None:
        """Begin all requests again with half as many rows at most; what was half computed is forgotten."""
        rows, columns = max(1, len(self._by_row) // 2), max(1, self.limits.columns // 2)
        warnings.warn(f"Memory ran out, so batches have {rows} rows from now on ({problem})", stacklevel=4)
        self.limits = replace(self.limits, rows=rows, columns=columns)
        begun = list(self._by_row.values())
        for request in begun:
            request.row = BatchRow(request.row.context, request.row.prompt)
        self._by_row.clear()
        self._waiting.extendleft(reversed(begun))
        if self.decoder is not None:
            self.decoder.forget_graphs()
        del self.scheduler  # with its KV cache, before memory is taken again
        self.scheduler = self.emptied()

    def _admit(self) -> None:
        """Give rows to waiting requests, as far as the KV cache has room."""
        longest = max((len(each.prompt) for each in self._by_row.values()), default=0)
        admitted: list[_Request[K]] = []
        while self._waiting and len(self.scheduler) + len(admitted) < self.limits.rows:
            longer = max(longest, len(self._waiting[0].prompt))
            count = len(self.scheduler) + len(admitted) + 1
            if count > 1 and (longer + EXPECTED_TOKENS) * count > self.limits.columns:
                break
            longest = longer
            admitted.append(self._waiting.popleft())
        if admitted:
            self._by_row |= {id(each.row): each for each in admitted}
            self.reserve_contexts(sum(map(len, {each.prompt.context for each in self._by_row.values()})))
            self.scheduler.add([each.row for each in admitted])

    def _completed(self, request: _Request[K]) -> list[tuple[K, Completion]]:
        row = request.row
        del self._requests[request.prompt]
        completion = Completion(
            text=self.tokenizer.decode(row.output),
            logprob=row.logprob,
            tokens=len(row.output),
            finished=row.output[-1] in self.limits.stop_tokens,
        )
        return [(key, completion) for key in request.keys]

    def _propose(self, rows: Sequence[BatchRow]) -> None:
        least = worthwhile_probability(max(1, len(rows)), self.limits.pass_tokens, self.limits.row_tokens)
        for row in rows:
            request = self._by_row[id(row)]
            output = row.output or list(request.prompt.completion_prefix)
            row.draft, request.draft_source = self.draft_proposer.propose(request.prompt.text, output, MAX_DRAFT, least)

    def _accept(self, rows: Sequence[BatchRow], next_tokens: NextTokens) -> list[int]:
        tokens, best = next_tokens.best()
        counts, start = [], 0
        for row in rows:
            end, request = start + len(row.draft) + 1, self._by_row[id(row)]
            before = len(row.output)
            counts.append(_decode(row, tokens[start:end], best[start:end], self.limits))
            accepted = _equal_tokens(row.draft, row.output[before:])
            self.draft_proposer.rates.observe(request.draft_source, len(row.draft), accepted)
            start = end
            if row.done:
                self.draft_proposer.learn(request.prompt.text, row.output)
        return counts

    def _extend(self, rows: Sequence[BatchRow], decoded: Sequence[DecodedTokens]) -> None:
        for row, found in zip(rows, decoded, strict=True):
            row.draft = found.tokens
            _decode(row, found.tokens, found.log_probs, self.limits)
            row.draft = []
            if row.done:
                self.draft_proposer.learn(self._by_row[id(row)].prompt.text, row.output)


def _equal_tokens(draft: Sequence[int], decoded: Sequence[int]) -> int:
    """Number of tokens up to the first difference."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(draft, decoded, strict=False)))


def _decode(row: BatchRow, tokens: list[int], log_probs: list[float], limits: DecodingLimits) -> int:
    """Append the greedy tokens up to the first that differs from the draft; returns how many computed tokens count."""
    count = len(row.pending)
    for token, log_prob, drafted in zip(tokens, log_probs, [*row.draft, None], strict=False):
        row.output.append(token)
        row.logprob += log_prob
        row.done = token in limits.stop_tokens or token > 255 or len(row.output) >= limits.max_tokens
        if row.done or token != drafted:
            break
        count += 1
    row.pending = row.output[-1:]
    return count
