"""`Engine`: completes and scores prompts in batches, by greedy decoding; knows no view.

    engine = Engine(weights.load(folder))
    engine.complete([Prompt(b"v0 = v1 + v2\\nv1=3 v2=4")])  ->  [Completion(text=b"v0=7", ...)]

Equal prompts are computed once, common beginnings come from the prefix cache (`prefix_cache.py`), finished rows leave
the batch (`decoding/continuous_batching.py`), and each step checks draft tokens (`speculative_decoding.py`). All of
this changes how much is computed; a completion does not depend on the other prompts of its batch.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from cwm_agent.engine.arrays.protocol import Array
from cwm_agent.engine.decoding.continuous_batching import (
    EXPECTED_TOKENS,
    Completion,
    ContinuousBatch,
    DecodingLimits,
    Prompt,
)
from cwm_agent.engine.decoding.protocol import InferencePass, NextTokens, SeveralTokens, memory_errors
from cwm_agent.engine.decoding.scheduler import BatchRow, Scheduler
from cwm_agent.engine.decoding.speculative_decoding import DraftProposer
from cwm_agent.engine.engine_sizes import EngineSizes, default_sizes, free_memory, within_memory
from cwm_agent.engine.heavy_imports import without_collections
from cwm_agent.engine.kv_cache import KVCache
from cwm_agent.engine.native.native_forward import NativeForwardPass
from cwm_agent.engine.native.native_pass import native_library, uses_tiles
from cwm_agent.engine.precision import NumberTypes, Precision, chosen_device, chosen_types
from cwm_agent.engine.prefix_cache import PrefixCache, bytes_per_token
from cwm_agent.engine.weights import TrainedModel

if TYPE_CHECKING:
    from cwm_agent.engine.network import Network

MAX_BUFFER = 1 << 27
"""Numbers of keys and values: a KV cache up to this size is used again for the next batch."""
ScoringPair = tuple[Prompt, bytes]
"""A prompt, and a completion to be scored."""


@dataclass(frozen=True, slots=True)
class TextScore:
    """How likely a given completion is."""

    logprob: float
    """Of the completion and its END, in nats."""
    first_choice: bool
    """Whether greedy decoding would give exactly this completion."""


class Engine:
    """A model ready for inference; it holds the prefix cache and the draft proposer, but no requests."""

    def __init__(
        self,
        model: TrainedModel,
        *,
        precision: Precision = "auto",
        device: str = "cpu",
        sizes: EngineSizes | None = None,
        threads: int | None = None,
    ) -> None:
        self.tokenizer, self.fingerprint = model.tokenizer, model.fingerprint
        self.device = chosen_device(device)
        self._types, self._threads = chosen_types(precision, self.device, model.shape), threads
        self._load(model)
        self._arrays = self.forward_pass.arrays
        self.sizes = sizes or self._default_sizes()
        self._prefix_cache = self._new_prefix_cache()
        self._buffer: Array = self._arrays.zeros(0)
        self._draft_proposer = DraftProposer()

    def _load(self, model: TrainedModel) -> None:
        """Prepare a network for inference."""
        self.forward_pass: InferencePass
        self._decoder: SeveralTokens | None
        if self._types.int8:
            self.forward_pass = NativeForwardPass(native_library(), model.parameters, threads=self._threads)
            self._decoder = None
        else:
            self.forward_pass, self._decoder = _by_torch(model, self._types, self.device, self._threads)

    def replace_weights(self, network: "Network", fingerprint: str) -> None:
        """Use other weights of the same shape from now on; all caches go, since they hold what the old ones said."""
        if network.shape != self.forward_pass.shape:
            raise ValueError(f"The engine has a network of {self.forward_pass.shape}, and {network.shape} is another.")
        self.fingerprint = fingerprint
        self._load(TrainedModel(network, self.tokenizer, {}, fingerprint))
        self.reset_caches()

    def _default_sizes(self) -> EngineSizes:
        """Sizes that are fast on the device, as far as its free memory allows."""
        column_bytes = self.forward_pass.shape.cached_numbers * self._arrays.itemsize
        native = self.forward_pass.is_native
        wanted = default_sizes(self.device, self._types.values, native=native, tiles=native and uses_tiles())
        return within_memory(wanted, column_bytes, free_memory(self.device))

    def _prefix_tokens(self, size: int) -> int:
        """Tokens of which a prefix cache of so many bytes has room."""
        return size // bytes_per_token(self.forward_pass.shape, self._arrays.itemsize)

    def _new_prefix_cache(self) -> PrefixCache:
        return PrefixCache(self.forward_pass.shape, self._prefix_tokens(self.sizes.prefix_bytes), self._arrays)

    def reset_caches(self) -> None:
        """Clear the prefix cache and the drafts: the order in which requests finish no longer depends on the past.

        The buffer goes too, so that a process does not keep the size of the largest batch of all its tasks.
        """
        self._draft_proposer = DraftProposer()
        self._buffer = self._arrays.zeros(0)
        if not self._prefix_cache.clear():
            self._prefix_cache = self._new_prefix_cache()

    def add_drafts(self, completions: Iterable[bytes]) -> None:
        """Use these texts for drafts too, as if the model had given them; a text that never occurs costs nothing."""
        for completion in completions:
            self._draft_proposer.learn(b"", [*completion, self.tokenizer.end])

    def complete(
        self, prompts: Sequence[Prompt], *, max_tokens: int = 256, stop: int | None = None
    ) -> list[Completion]:
        """A completion of each prompt, in order; at most `max_tokens` tokens, ended early by the byte `stop`."""
        different = sorted(dict.fromkeys(prompts), key=lambda each: (len(each.context), each.context, len(each)))
        batch: ContinuousBatch[Prompt] = self._batch(self._limits(max_tokens, stop), self._new_kv_cache(different))
        for prompt in different:
            batch.add_request(prompt, prompt)
        completions: dict[Prompt, Completion] = {}
        while len(batch):
            completions.update(batch.next_completions())
        return [completions[prompt] for prompt in prompts]

    def continuous_batch(self, *, max_tokens: int = 256) -> ContinuousBatch[Any]:
        """An empty batch with a KV cache of its own; requests may join it at any time."""
        return self._batch(self._limits(max_tokens, None), self.forward_pass.new_kv_cache(1, EXPECTED_TOKENS))

    def score(self, prompts: Sequence[Prompt], completions: Sequence[bytes]) -> list[TextScore]:
        """How likely each completion of its prompt is, in one pass without decoding."""
        pairs = list(zip(prompts, completions, strict=True))
        scores: dict[ScoringPair, TextScore] = {}
        with self.forward_pass.inference():
            for batch in self._scoring_batches(list(dict.fromkeys(pairs))):
                scores.update(zip(batch, self._scores(batch), strict=True))
        return [scores[pair] for pair in pairs]

    def _scores(self, pairs: Sequence[ScoringPair]) -> list[TextScore]:
        """Scores of one batch; in halves where memory runs out."""
        try:
            return self._score_batch(pairs)
        except memory_errors():
            if len(pairs) == 1:
                raise
        self._prefix_cache = self._new_prefix_cache()
        middle = len(pairs) // 2
        return [*self._scores(pairs[:middle]), *self._scores(pairs[middle:])]

    def _score_batch(self, pairs: Sequence[ScoringPair]) -> list[TextScore]:
        """Score completions by computing each as a draft."""
        rows = [self._row(prompt) for prompt, _ in pairs]
        wanted = {id(row): [*text, self.tokenizer.end] for row, (_, text) in zip(rows, pairs, strict=True)}
        found: dict[int, TextScore] = {}

        def propose(running: Sequence[BatchRow]) -> None:
            for row in running:
                row.draft = wanted[id(row)][:-1]

        def accept(running: Sequence[BatchRow], next_tokens: NextTokens) -> list[int]:
            texts = [wanted[id(row)] for row in running]
            best, chances = next_tokens.best()[0], next_tokens.of([*chain(*texts)])
            start = 0
            for row, text in zip(running, texts, strict=True):
                end = start + len(text)
                found[id(row)] = TextScore(sum(chances[start:end]), best[start:end] == text)
                start, row.done = end, True
            return [len(row.pending) for row in running]

        longest = max(len(text) for _, text in pairs)
        scheduler = self._scheduler(self._new_kv_cache([prompt for prompt, _ in pairs], longest))
        scheduler.add(rows)
        while len(scheduler):
            scheduler.step(propose, accept)
        return [found[id(row)] for row in rows]

    def _scoring_batches(self, pairs: list[ScoringPair]) -> Iterator[list[ScoringPair]]:
        """Prompts with completions, sorted by length, in batches that fit the KV cache."""
        self._reserve_contexts(sum(map(len, {prompt.context for prompt, _ in pairs})))
        pairs.sort(key=lambda pair: (len(pair[0].context), pair[0].context, len(pair[0]) + len(pair[1])))
        batch: list[ScoringPair] = []
        widest = 0
        for pair in pairs:
            own = len(pair[0]) + len(pair[1])
            needed = max(widest, own)
            if batch and (len(batch) >= self.sizes.rows or needed * (len(batch) + 1) > self.sizes.kv_columns):
                yield batch
                batch, needed = [], own
            batch.append(pair)
            widest = needed
        if batch:
            yield batch

    def _row(self, prompt: Prompt) -> BatchRow:
        return BatchRow(list(prompt.context), self.tokenizer.prompt(prompt.text, prompt.completion_prefix))

    def _new_kv_cache(self, prompts: Sequence[Prompt], new_tokens: int = EXPECTED_TOKENS) -> KVCache:
        """A KV cache for these prompts and so many tokens behind the longest; its buffer serves later batches too."""
        columns = max(map(len, prompts), default=0) + new_tokens
        rows = max(1, min(len(prompts), self.sizes.rows, self.sizes.kv_columns // columns))
        needed = self.forward_pass.shape.cached_numbers * rows * columns
        if len(self._buffer) < needed <= MAX_BUFFER:
            self._buffer = self._arrays.zeros(needed)
        return self.forward_pass.new_kv_cache(rows, columns, self._buffer)

    def _scheduler(self, kv_cache: KVCache) -> Scheduler:
        return Scheduler(self.forward_pass, self._prefix_cache, kv_cache, max_step_tokens=self.sizes.step_tokens)

    def _emptied_scheduler(self) -> Scheduler:
        """A scheduler without rows, after the memory of all caches was given back."""
        self._buffer = self._arrays.zeros(0)
        self._prefix_cache = self._new_prefix_cache()
        return self._scheduler(self.forward_pass.new_kv_cache(1, EXPECTED_TOKENS))

    def _limits(self, max_tokens: int, stop: int | None) -> DecodingLimits:
        if max_tokens < 1:
            raise ValueError(f"max_tokens is {max_tokens}, but a completion needs at least 1; give a number from 1.")
        stop_tokens = frozenset({self.tokenizer.end} if stop is None else {self.tokenizer.end, stop})
        return DecodingLimits(
            max_tokens=max_tokens,
            stop_tokens=stop_tokens,
            rows=self.sizes.rows,
            columns=self.sizes.kv_columns,
            pass_tokens=self.sizes.pass_tokens,
            row_tokens=self.sizes.row_tokens,
        )

    def _batch(self, limits: DecodingLimits, kv_cache: KVCache) -> ContinuousBatch[Any]:
        return ContinuousBatch(
            scheduler=self._scheduler(kv_cache),
            draft_proposer=self._draft_proposer,
            tokenizer=self.tokenizer,
            limits=limits,
            reserve_contexts=self._reserve_contexts,
            emptied=self._emptied_scheduler,
            decoder=self._decoder,
        )

    def _reserve_contexts(self, tokens: int) -> None:
        """Make room in the prefix cache for the contexts of one batch; cached tokens stay."""
        self._prefix_cache.reserve(min(self._prefix_tokens(self.sizes.most_prefix_bytes), tokens))


def _by_torch(
    model: TrainedModel, types: NumberTypes, device: str, threads: int | None
) -> tuple[InferencePass, SeveralTokens | None]:
    """The pass by torch, and on an accelerator what decodes there; torch is imported here."""
    with without_collections():
        import torch

        from cwm_agent.engine.accelerator.greedy_decoder import decoder_of
        from cwm_agent.engine.forward_pass import ForwardPass

    if threads is not None:
        torch.set_num_threads(threads)
    found = ForwardPass(model.network, dtype=getattr(torch, types.values), device=torch.device(device))
    return found, decoder_of(found)
