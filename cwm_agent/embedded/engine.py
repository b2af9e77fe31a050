"""Questions to the embedded model, answered in batches: greedy, cached, the same whatever else is asked; knows
no view.

    engine = Engine(weights.load(folder))
    engine.answer([Query(b"v0 = v1 + v2\\nv1=3 v2=4")])  ->  [Answer(text=b"v0=7", ...)]

Equal questions are computed once, a context is read once and kept for later calls, rows that are done leave the
batch, and each pass checks a guess at the next tokens (`drafts.py`): it changes how many passes are needed, and nothing
else.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor

from cwm_agent.embedded.drafts import Drafts
from cwm_agent.embedded.inference import Prefix, Reader
from cwm_agent.embedded.memory import Memory
from cwm_agent.embedded.weights import Model

Precision = Literal["auto", "bf16", "fp32"]
LONGEST_GUESS, SHORTEST_GUESS = 16, 4
CONTEXTS_KEPT = 64
COLUMNS_AHEAD = 24
"""Room for what is said, beyond the first guess; a batch that needs more is copied."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is done at once."""

    rows: int
    """Of a batch, at most."""
    read_at_once: int
    """Tokens of one pass over prompts: enough for full speed, and on a CPU few enough for its cache."""
    remembered: int
    """Columns of all rows of a batch together; 65,536 are 1 GB at the main size in bf16."""
    guessed: int
    """Tokens guessed in one pass in all rows together, beyond which guesses cost more than they save."""

    def __post_init__(self) -> None:
        if min(self.rows, self.read_at_once, self.remembered, self.guessed) < 1:
            raise ValueError(f"An engine needs sizes of at least one, not {self}.")


ON_CPU = Sizes(rows=256, read_at_once=1_024, remembered=65_536, guessed=256)
ON_ACCELERATOR = Sizes(rows=4_096, read_at_once=131_072, remembered=1_048_576, guessed=65_536)


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


@dataclass(slots=True)
class _Row:
    """One query under way."""

    query: Query
    pending: list[int]
    """Tokens that are yet to be read."""
    guess: list[int] = field(default_factory=list)
    """What may be said next; it is read behind what is pending."""
    said: list[int] = field(default_factory=list)
    logprob: float = 0.0
    done: bool = False


class Engine:
    """A model ready to be asked; holds configuration, contexts it has read and guesses, but no conversation."""

    def __init__(
        self,
        model: Model,
        *,
        precision: Precision = "auto",
        device: str = "cpu",
        sizes: Sizes | None = None,
        threads: int | None = None,
    ) -> None:
        if threads is not None:
            torch.set_num_threads(threads)
        self.encoding, self.fingerprint = model.encoding, model.fingerprint
        self.device = chosen_device(device)
        self.sizes = sizes or (ON_CPU if self.device.type == "cpu" else ON_ACCELERATOR)
        self.dtype = chosen_type(precision, self.device)
        self.reader = Reader(model.network, dtype=self.dtype, device=self.device)
        self._contexts: OrderedDict[bytes, Prefix] = OrderedDict()
        self._drafts = Drafts()

    def expect(self, answers: Iterable[bytes]) -> None:
        """Guess from these texts too, as if they had been said: what is never said costs nothing."""
        for answer in answers:
            self._drafts.learn(b"", [*answer, self.encoding.end])

    @torch.inference_mode()
    def answer(self, queries: Sequence[Query], *, limit: int = 256, stop: int | None = None) -> list[Answer]:
        """An answer to each query, in order; at most `limit` tokens, ended early by the byte `stop`."""
        if limit < 1:
            raise ValueError(f"An answer needs a limit of at least one token, not {limit}.")
        ends = {self.encoding.end} if stop is None else {self.encoding.end, stop}
        answers: dict[Query, Answer] = {}
        for batch in self._batches(list(dict.fromkeys(queries)), limit):
            for row in self._decoded(batch, limit, ends):
                text = self.encoding.decode(row.said)
                answers[row.query] = Answer(text, row.logprob, len(row.said), row.said[-1] in ends)
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
            for part, rows, memory in self._begun([self._row(query) for query in batch], 0):
                tokens = self._tokens(part)
                stream = self.reader.read(tokens, memory, rows).stream
                for place, row in enumerate(part):
                    for length in lengths[row.query]:
                        scores[row.query, length] = self._score(tokens[place], stream[place], row.query, length)
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
            if batch and (len(batch) >= self.sizes.rows or needed * (len(batch) + 1) > self.sizes.remembered):
                yield batch
                batch, needed = [], len(query.context) + _length(query) + min(limit, 64)
            batch.append(query)
            widest = needed
        if batch:
            yield batch

    def _row(self, query: Query) -> _Row:
        return _Row(query, self.encoding.prompt(query.text, query.begun))

    def _decoded(self, batch: list[Query], limit: int, ends: set[int]) -> list[_Row]:
        """The batch decoded greedily, row by row leaving when done."""
        rows = [self._row(query) for query in batch]
        self._guess(rows)
        going: list[_Row] = []
        for part, places, memory in self._begun(rows, COLUMNS_AHEAD):
            self._go_on(part, memory, places, limit, ends)
            going += part
        while going := _closed_up(going, memory, self._drafts):
            self._guess(going)
            self._go_on(going, memory, slice(0, len(going)), limit, ends)
        return rows

    def _guess(self, rows: Sequence[_Row]) -> None:
        most = min(LONGEST_GUESS, max(SHORTEST_GUESS, self.sizes.guessed // len(rows)))
        for row in rows:
            row.guess = self._drafts.guess(row.query.text, row.said or list(row.query.begun), most)

    def _begun(self, rows: Sequence[_Row], ahead: int) -> Iterator[tuple[list[_Row], slice, Memory]]:
        """A memory for the rows with their contexts in it, and the rows in parts that are read at once."""
        columns = max(len(row.query.context) + len(row.pending) + len(row.guess) for row in rows)
        memory = self.reader.memory(len(rows), columns + ahead)
        for place, row in enumerate(rows):
            if (prefix := self._prefix(row.query.context)) is not None:
                memory.kept[:, place, : prefix.length] = prefix.kept
                memory.lengths[place] = prefix.length
        start = 0
        while start < len(rows):
            end, longest = start + 1, _width(rows[start])
            while end < len(rows) and (end + 1 - start) * max(longest, _width(rows[end])) <= self.sizes.read_at_once:
                longest = max(longest, _width(rows[end]))
                end += 1
            yield list(rows[start:end]), slice(start, end), memory
            start = end

    def _tokens(self, rows: Sequence[_Row]) -> Tensor:
        """What each row reads next, its guess behind it; (rows, the longest)."""
        longest = max(map(_width, rows))
        padded = [[*row.pending, *row.guess, *[self.encoding.pad] * (longest - _width(row))] for row in rows]
        return torch.tensor(padded, device=self.device)

    def _go_on(self, rows: Sequence[_Row], memory: Memory, places: slice, limit: int, ends: set[int]) -> None:
        """One pass: each row reads what is pending and its guess, and says what is right of it and one token more."""
        reading = self.reader.read(self._tokens(rows), memory, places)
        last = torch.tensor([len(row.pending) - 1 for row in rows], device=self.device)[:, None]
        behind = torch.arange(max(len(row.guess) for row in rows) + 1, device=self.device)
        looked_at = (last + behind).clamp_(max=reading.stream.shape[1] - 1)
        stream = reading.stream[torch.arange(len(rows), device=self.device)[:, None], looked_at]
        chances, tokens = self.reader.logits(stream).log_softmax(dim=-1).max(dim=-1)
        counts = [
            _said(row, said, sure, limit, ends)
            for row, said, sure in zip(rows, tokens.tolist(), chances.tolist(), strict=True)
        ]
        memory.accept(places, counts, reading.inputs)

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


def _said(row: _Row, tokens: list[int], chances: list[float], limit: int, ends: set[int]) -> int:
    """How many tokens of a row count after a pass; it says its guess as far as that is right, and one token more."""
    count = len(row.pending)
    for token, chance, guessed in zip(tokens, chances, [*row.guess, None], strict=False):
        row.said.append(token)
        row.logprob += chance
        row.done = token in ends or token > 255 or len(row.said) >= limit
        if row.done or token != guessed:
            break
        count += 1
    row.pending = row.said[-1:]
    return count


def _closed_up(rows: list[_Row], memory: Memory, drafts: Drafts) -> list[_Row]:
    """The rows that go on, moved to the front of the memory; from those that leave the others' guesses are made.

    Only rows that fill a gap are copied.
    """
    for row in rows:
        if row.done:
            drafts.learn(row.query.text, row.said)
    going = [place for place, row in enumerate(rows) if not row.done]
    gaps = [place for place in range(len(going)) if rows[place].done]
    fill = [place for place in going if place >= len(going)]
    memory.move(list(zip(fill, gaps, strict=True)))
    memory.drop(len(going))
    kept = rows[: len(going)]
    for here, there in zip(fill, gaps, strict=True):
        kept[there] = rows[here]
    return kept


def _width(row: _Row) -> int:
    """Tokens that a row reads next."""
    return len(row.pending) + len(row.guess)


def _length(query: Query) -> int:
    """Tokens of the prompt: START, text, ASK, what was begun."""
    return len(query.text) + len(query.begun) + 2


def chosen_device(name: str) -> torch.device:
    """The device of that name; `auto` is an accelerator where there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(name)


def chosen_type(precision: Precision, device: torch.device) -> torch.dtype:
    """bf16 where it is asked for or where the machine multiplies it in hardware, else fp32."""
    if precision == "auto":
        native = getattr(torch.cpu, "_is_amx_tile_supported", None)  # not public, so it may go
        fast = device.type == "cuda" or (native is not None and native())
        return torch.bfloat16 if fast else torch.float32
    return torch.bfloat16 if precision == "bf16" else torch.float32
