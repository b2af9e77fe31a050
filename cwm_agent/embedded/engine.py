"""Questions to the embedded model, answered in batches: greedy, cached, the same whatever else is asked; knows
no view.

    engine = Engine(weights.load(folder))
    engine.answer([Query(b"v0 = v1 + v2\\nv1=3 v2=4")])  ->  [Answer(text=b"v0=7", ...)]

Equal questions are computed once, a context is read once and kept for later calls, rows that are done leave
the batch.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from cwm_agent.embedded.inference import Memory, Prefix, Reader, join
from cwm_agent.embedded.weights import Model

Precision = Literal["auto", "bf16", "fp32"]
TOKENS_READ_AT_ONCE = 1024
"""Tokens of one product while prompts are read: large enough for full speed, small enough for the cache."""
TOKENS_REMEMBERED = 65_536
"""Columns of all rows together; 1 GB at the main size in bf16."""
CONTEXTS_KEPT = 64
LEAVE_BELOW = 0.75
"""Finished rows are dropped when fewer than this share is still going: dropping copies the memory."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked."""

    text: bytes
    context: bytes = b""
    begun: bytes = b""
    """Part of the answer that is given, to be gone on from."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said."""

    text: bytes
    """Without what was `begun`."""
    logprob: float
    """Of all tokens said, END included, in nats."""
    tokens: int
    finished: bool
    """It ended by itself (END, or the stop byte asked for), not by the limit."""


@dataclass(frozen=True, slots=True)
class Score:
    """How the model takes a given answer."""

    logprob: float
    """Of the answer and its END, in nats."""
    first_choice: bool
    """Whether decoding would say exactly this."""


class Engine:
    """A model ready to be asked; holds configuration and a cache of contexts, no state of any conversation."""

    def __init__(
        self,
        model: Model,
        *,
        precision: Precision = "auto",
        device: str = "cpu",
        rows: int = 256,
        threads: int | None = None,
    ) -> None:
        if rows < 1:
            raise ValueError(f"An engine needs at least one row a batch, not {rows}.")
        if threads is not None:
            torch.set_num_threads(threads)
        self.encoding, self.fingerprint, self.rows = model.encoding, model.fingerprint, rows
        self.device = torch.device(device)
        self.dtype = chosen_type(precision, self.device)
        self.reader = Reader(model.network, dtype=self.dtype, device=self.device)
        self._contexts: OrderedDict[bytes, Prefix] = OrderedDict()

    @torch.inference_mode()
    def answer(self, queries: Sequence[Query], *, limit: int = 256, stop: int | None = None) -> list[Answer]:
        """An answer to each query, in order; at most `limit` tokens, ended early by the byte `stop`."""
        if limit < 1:
            raise ValueError(f"An answer needs a limit of at least one token, not {limit}.")
        answers: dict[Query, Answer] = {}
        for batch in self._batches(list(dict.fromkeys(queries)), limit):
            answers.update(zip(batch, self._decode(batch, limit, stop), strict=True))
        return [answers[query] for query in queries]

    @torch.inference_mode()
    def score(self, queries: Sequence[Query], answers: Sequence[bytes]) -> list[Score]:
        """How likely each answer is, in one pass without decoding."""
        whole = [
            Query(query.text, query.context, query.begun + answer)
            for query, answer in zip(queries, answers, strict=True)
        ]
        pairs = list(zip(whole, map(len, answers), strict=True))
        lengths: dict[Query, set[int]] = {}
        for asked, length in pairs:
            lengths.setdefault(asked, set()).add(length)
        scores: dict[tuple[Query, int], Score] = {}
        for batch in self._batches(list(lengths), 0):
            for part, tokens, stream, _ in self._read(batch):
                for row, asked in enumerate(part):
                    for length in lengths[asked]:
                        scores[asked, length] = self._score(tokens[row], stream[row], asked, length)
        return [scores[pair] for pair in pairs]

    def _score(self, tokens: Tensor, stream: Tensor, asked: Query, length: int) -> Score:
        """The score of the last `length` bytes of one row and of END."""
        end = len(self.encoding.prompt(asked.text, asked.begun))
        wanted = torch.cat((tokens[end - length : end], tokens.new_tensor([self.encoding.end])))
        logits = self.reader.logits(stream[end - length - 1 : end])
        chances = logits.log_softmax(dim=-1).gather(1, wanted[:, None])
        return Score(chances.sum().item(), bool((logits.argmax(dim=-1) == wanted).all()))

    def _batches(self, queries: list[Query], limit: int) -> Iterator[list[Query]]:
        """The queries by length, in batches that fit the memory."""
        queries.sort(key=lambda query: (len(query.context), query.context, _length(query)))
        batch: list[Query] = []
        widest = 0
        for query in queries:
            needed = max(widest, len(query.context) + _length(query) + min(limit, 64))
            if batch and (len(batch) >= self.rows or needed * (len(batch) + 1) > TOKENS_REMEMBERED):
                yield batch
                batch, needed = [], len(query.context) + _length(query) + min(limit, 64)
            batch.append(query)
            widest = needed
        if batch:
            yield batch

    def _read(self, batch: list[Query]) -> Iterator[tuple[list[Query], Tensor, Tensor, Memory]]:
        """The batch in parts that were read: queries, tokens, stream and memory."""
        start = 0
        while start < len(batch):
            part = batch[start : start + 1]
            longest = _length(part[0])
            for query in batch[start + 1 :]:
                longest = max(longest, _length(query))
                if longest * (len(part) + 1) > TOKENS_READ_AT_ONCE:
                    break
                part.append(query)
            start += len(part)
            yield self._read_part(part)

    def _read_part(self, part: list[Query]) -> tuple[list[Query], Tensor, Tensor, Memory]:
        prompts = [self.encoding.prompt(query.text, query.begun) for query in part]
        longest = max(len(prompt) for prompt in prompts)
        tokens = torch.tensor(
            [prompt + [self.encoding.pad] * (longest - len(prompt)) for prompt in prompts], device=self.device
        )
        lengths = torch.tensor([len(prompt) for prompt in prompts], device=self.device)
        stream, memory = self.reader.read(tokens, lengths, [self._prefix(query.context) for query in part])
        return part, tokens, stream, memory

    def _prefix(self, context: bytes) -> Prefix | None:
        """The context as read, from the cache where it is there."""
        if not context:
            return None
        if context not in self._contexts:
            self._contexts[context] = self.reader.prefix(torch.tensor(list(context), device=self.device))
        self._contexts.move_to_end(context)
        while len(self._contexts) > CONTEXTS_KEPT:
            self._contexts.popitem(last=False)
        return self._contexts[context]

    def _decode(self, batch: list[Query], limit: int, stop: int | None) -> list[Answer]:
        """The batch decoded greedily, row by row leaving when done."""
        memories, streams = [], []
        for part, _, stream, memory in self._read(batch):
            last = torch.tensor([_length(query) - 1 for query in part], device=self.device)
            streams.append(stream[torch.arange(len(part), device=self.device), last])
            memories.append(memory)
        memory, stream = join(memories), torch.cat(streams)
        said: list[list[int]] = [[] for _ in batch]
        surely = [0.0] * len(batch)
        going = list(range(len(batch)))
        ends = {self.encoding.end} if stop is None else {self.encoding.end, stop}
        while True:
            chances, tokens = self.reader.logits(stream).log_softmax(dim=-1).max(dim=-1)
            still = []
            for place, (row, token, chance) in enumerate(zip(going, tokens.tolist(), chances.tolist(), strict=True)):
                if row < 0:
                    continue
                said[row].append(token)
                surely[row] += chance
                if token in ends or token > 255 or len(said[row]) >= limit:
                    going[place] = -1
                else:
                    still.append(place)
            if not still:
                return [self._answer(tokens, chance, ends) for tokens, chance in zip(said, surely, strict=True)]
            if len(still) < LEAVE_BELOW * len(going):
                rows = torch.tensor(still, device=self.device)
                memory.keep(rows)
                tokens = tokens.index_select(0, rows)
                going = [going[place] for place in still]
            stream = self.reader.go_on(tokens, memory)

    def _answer(self, tokens: list[int], chance: float, ends: set[int]) -> Answer:
        return Answer(self.encoding.decode(tokens), chance, len(tokens), tokens[-1] in ends)


def _length(query: Query) -> int:
    """Tokens of the prompt: START, text, ASK, what was begun."""
    return len(query.text) + len(query.begun) + 2


def chosen_type(precision: Precision, device: torch.device) -> torch.dtype:
    """bf16 where it is asked for or where the machine multiplies it in hardware, else fp32."""
    if precision == "auto":
        native = getattr(torch.cpu, "_is_amx_tile_supported", None)  # not public, so it may go
        fast = device.type == "cuda" or (native is not None and native())
        return torch.bfloat16 if fast else torch.float32
    return torch.bfloat16 if precision == "bf16" else torch.float32
