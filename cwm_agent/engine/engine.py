"""Questions to the embedded model, answered together: greedy, cached, the same whatever else is asked; knows no view.

    engine = Engine(weights.load(folder))
    engine.answer([Query(b"v0 = v1 + v2\\nv1=3 v2=4")])  ->  [Answer(text=b"v0=7", ...)]

Equal questions are computed once, what a question has in common with earlier ones is not read again
(`prefix_cache.py`), rows that are done leave the batch, and each pass checks a guess at the next tokens
(`speculative_decoding.py`): all this changes how much is computed, and nothing else.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from cwm_agent.engine.continuous_batching import AHEAD, Completion, ContinuousBatch, DecodingLimits, Prompt
from cwm_agent.engine.forward_pass import ForwardPass
from cwm_agent.engine.kv_cache import KVCache
from cwm_agent.engine.prefix_cache import PrefixCache, bytes_of_token
from cwm_agent.engine.scheduler import BatchRow, Scheduler
from cwm_agent.engine.speculative_decoding import DraftTokens
from cwm_agent.engine.weights import TrainedModel

Precision = Literal["auto", "bf16", "fp32"]
CONTEXTS = 16
"""How many times their usual room beginnings may take where long contexts are asked about together."""
SPARE_NUMBERS = 1 << 27
"""Of keys and values: a memory up to this size is used again for the next batch."""


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
    known: int = 128 * 2**20
    """Bytes of beginnings that are kept for later questions."""

    def __post_init__(self) -> None:
        if min(self.rows, self.read_at_once, self.remembered, self.guessed, self.known) < 1:
            raise ValueError(f"An engine needs sizes of at least one, not {self}.")


ON_CPU = Sizes(rows=256, read_at_once=512, remembered=65_536, guessed=256)
ON_ACCELERATOR = Sizes(rows=4_096, read_at_once=131_072, remembered=1_048_576, guessed=65_536, known=2**30)


Asked = tuple[Prompt, bytes]
"""A query, and an answer to it that is given."""


@dataclass(frozen=True, slots=True)
class TextScore:
    """How the model takes a given answer."""

    logprob: float
    """Of the answer and its END, in nats."""
    first_choice: bool
    """Whether decoding would say exactly this."""


class Engine:
    """A model ready to be asked; holds configuration, beginnings it has read and guesses, but no conversation."""

    def __init__(
        self,
        model: TrainedModel,
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
        self.reader = ForwardPass(model.network, dtype=self.dtype, device=self.device)
        self._most_known = CONTEXTS * self._known
        self._prefixes = self._no_prefixes()
        self._spare = torch.zeros(0, dtype=self.dtype, device=self.device)
        self._drafts = DraftTokens()

    @property
    def _known(self) -> int:
        """Tokens of beginnings that are usually kept."""
        return self.sizes.known // bytes_of_token(self.reader.shape, self.dtype)

    def _no_prefixes(self) -> PrefixCache:
        return PrefixCache(self.reader.shape, self._known, dtype=self.dtype, device=self.device)

    def forget(self) -> None:
        """Be as new: which of several questions is answered first no longer depends on what was asked before."""
        self._drafts = DraftTokens()
        if not self._prefixes.forget():
            self._prefixes = self._no_prefixes()

    def expect(self, answers: Iterable[bytes]) -> None:
        """Guess from these texts too, as if they had been said: what is never said costs nothing."""
        for answer in answers:
            self._drafts.learn(b"", [*answer, self.encoding.end])

    def answer(self, queries: Sequence[Prompt], *, limit: int = 256, stop: int | None = None) -> list[Completion]:
        """An answer to each query, in order; at most `limit` tokens, ended early by the byte `stop`."""
        asked = sorted(dict.fromkeys(queries), key=lambda each: (len(each.context), each.context, len(each)))
        answering: ContinuousBatch[Prompt] = self._answering(self._bounds(limit, stop), self._memory(asked))
        for query in asked:
            answering.ask(query, query)
        answers: dict[Prompt, Completion] = {}
        while len(answering):
            answers.update(answering.advance())
        return [answers[query] for query in queries]

    def answering(self, *, limit: int = 256, stop: int | None = None) -> ContinuousBatch[Any]:
        """Queries to be asked at any time, each answered as soon as it is; it has a memory of its own."""
        return self._answering(self._bounds(limit, stop), self.reader.memory(1, AHEAD))

    @torch.inference_mode()
    def score(self, queries: Sequence[Prompt], answers: Sequence[bytes]) -> list[TextScore]:
        """How likely each answer is, in one pass without decoding."""
        pairs = list(zip(queries, answers, strict=True))
        scores: dict[tuple[Prompt, bytes], TextScore] = {}
        for batch in self._batches(list(dict.fromkeys(pairs))):
            scores.update(zip(batch, self._scored(batch), strict=True))
        return [scores[pair] for pair in pairs]

    def _scored(self, asked: Sequence[Asked]) -> list[TextScore]:
        """Each answer read as if it had been guessed."""
        rows = [self._row(query) for query, _ in asked]
        wanted = {id(row): [*answer, self.encoding.end] for row, (_, answer) in zip(rows, asked, strict=True)}
        found: dict[int, TextScore] = {}

        def give(going: Sequence[BatchRow]) -> None:
            for row in going:
                row.guess = wanted[id(row)][:-1]

        def scored(going: Sequence[BatchRow], chances: Tensor) -> list[int]:
            parts = torch.split(chances, [len(row.guess) + 1 for row in going])
            for row, own in zip(going, parts, strict=True):
                tokens = torch.tensor(wanted[id(row)], device=own.device)
                likely = bool((own.argmax(dim=-1) == tokens).all())
                found[id(row)] = TextScore(own.gather(1, tokens[:, None]).sum().item(), likely)
                row.done = True
            return [len(row.pending) for row in going]

        rounds = self._rounds(self._memory([query for query, _ in asked], max(len(answer) for _, answer in asked)))
        rounds.add(rows)
        while len(rounds):
            rounds.advance(give, scored)
        return [found[id(row)] for row in rows]

    def _batches(self, asked: list[Asked]) -> Iterator[list[Asked]]:
        """Queries and what is given as their answers, by length, in batches that fit the memory."""
        self._make_room(sum(map(len, {query.context for query, _ in asked})))
        asked.sort(key=lambda each: (len(each[0].context), each[0].context, len(each[0]) + len(each[1])))
        batch: list[Asked] = []
        widest = 0
        for each in asked:
            own = len(each[0]) + len(each[1])
            needed = max(widest, own)
            if batch and (len(batch) >= self.sizes.rows or needed * (len(batch) + 1) > self.sizes.remembered):
                yield batch
                batch, needed = [], own
            batch.append(each)
            widest = needed
        if batch:
            yield batch

    def _row(self, query: Prompt) -> BatchRow:
        return BatchRow(list(query.context), self.encoding.prompt(query.text, query.begun))

    def _memory(self, asked: Sequence[Prompt], ahead: int = AHEAD) -> KVCache:
        """Room for these queries and so many tokens behind the longest, which is used again for others."""
        columns = max(map(len, asked), default=0) + ahead
        rows = max(1, min(len(asked), self.sizes.rows, self.sizes.remembered // columns))
        needed = self.reader.memory_size(rows, columns)
        if self._spare.numel() < needed <= SPARE_NUMBERS:
            self._spare = self._spare.new_zeros(needed)
        return self.reader.memory(rows, columns, self._spare)

    def _rounds(self, memory: KVCache) -> Scheduler:
        return Scheduler(self.reader, self._prefixes, memory, read_at_once=self.sizes.read_at_once)

    def _bounds(self, limit: int, stop: int | None) -> DecodingLimits:
        if limit < 1:
            raise ValueError(f"An answer needs a limit of at least one token, not {limit}.")
        ends = frozenset({self.encoding.end} if stop is None else {self.encoding.end, stop})
        return DecodingLimits(limit, ends, self.sizes.rows, self.sizes.remembered, self.sizes.guessed)

    def _answering(self, bounds: DecodingLimits, memory: KVCache) -> ContinuousBatch[Any]:
        return ContinuousBatch(self._rounds(memory), self._drafts, self.encoding, bounds, self._make_room)

    def _make_room(self, tokens: int) -> None:
        """Room for contexts that are asked about together; what is known stays so."""
        self._prefixes.make_room(min(self._most_known, tokens))


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
