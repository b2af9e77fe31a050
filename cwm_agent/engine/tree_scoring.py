"""Tree scoring: scores or searches many completions of one prompt, whose keys and values all of them share.

The engine completes many different prompts, each with its own row of the KV cache. Here thousands of short completions
follow one long prompt. Completions with the same beginning share tokens: together they form a tree, in which every
token attends to the prompt and to its own ancestors. Knows no meaning of the bytes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cwm_agent.engine.arrays.protocol import Array
from cwm_agent.engine.heavy_imports import without_collections
from cwm_agent.engine.native.native_pass import native_library
from cwm_agent.engine.native.native_tree import NativeTreePass
from cwm_agent.engine.precision import NumberTypes, Precision, chosen_types
from cwm_agent.engine.token_tree import TokenTree
from cwm_agent.engine.tokenizer import BYTE_VALUES, Tokenizer
from cwm_agent.engine.weights import TrainedModel

MAX_TREE_TOKENS = 512
"""Tokens of a tree in one pass: enough for full speed, few enough for the CPU's cache."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """A completion that beam search found."""

    text: bytes
    logprob: float
    """Of the completion and its END, in nats."""


class ComputedTree(Protocol):
    """The tokens behind a prompt that were computed so far."""

    def forward(self, tree: TokenTree, first: int) -> Array:
        """The residual stream behind each token of a tree from `first` on; those before were computed earlier."""
        ...

    def keep(self, nodes: Sequence[int]) -> None:
        """Forget all tokens but these, which are then numbered from 0."""
        ...


class TreePass(Protocol):
    """A network prepared for trees."""

    def encode(self, tokens: Sequence[int]) -> Any:
        """Compute the keys and values of a prompt."""
        ...

    def behind(self, prompt: Any) -> ComputedTree:
        """No token behind a prompt yet; one tree is behind a prompt at a time."""
        ...

    def log_probs(self, hidden: Array) -> NDArray[np.float32]:
        """Log-probabilities of the token behind each of some computed ones, (tokens, vocabulary)."""
        ...


@dataclass(frozen=True, slots=True)
class SharedPrompt:
    """A prompt that is computed once and shared by all its completions."""

    computed: Any
    """What the pass keeps of it."""


class TreeScorer:
    """A network prepared for many completions of one prompt."""

    def __init__(self, model: TrainedModel, *, precision: Precision = "auto") -> None:
        self.tokenizer: Tokenizer = model.tokenizer
        types = chosen_types(precision, "cpu", model.shape)
        self._pass: TreePass = (
            NativeTreePass(native_library(), model.parameters) if types.int8 else _by_torch(model, types)
        )

    def encode(self, text: bytes) -> SharedPrompt:
        """Compute the keys and values of a prompt."""
        return SharedPrompt(self._pass.encode(list(text)))

    def score(
        self, prompt: SharedPrompt, completions: Sequence[bytes], *, whole: Sequence[bool] | None = None
    ) -> list[float]:
        """The log-probability of each completion with its END; without END where `whole` is False.

        A completion that is not whole has the probability of all completions that begin with it.
        """
        found = [0.0] * len(completions)
        for batch in self._batches(completions):
            tree = self._new_tree()
            leaves = [tree.extend(1, completions[index]) for index in batch]
            log_probs = self._pass.log_probs(self._pass.behind(prompt.computed).forward(tree, 0))
            sums = _path_sums(tree, log_probs)
            ends = log_probs[:, self.tokenizer.end].tolist()
            for index, leaf in zip(batch, leaves, strict=True):
                found[index] = sums[leaf] + (ends[leaf] if whole is None or whole[index] else 0.0)
        return found

    def beam_search(self, prompt: SharedPrompt, width: int, *, max_tokens: int = 160) -> list[Continuation]:
        """The most likely completions that a beam of that width finds, best first; at most `width`."""
        tree, computed = self._new_tree(), self._pass.behind(prompt.computed)
        beam, logprobs, first = [1], np.zeros(1, dtype=np.float32), 0
        found: list[Continuation] = []
        for _ in range(max_tokens):
            log_probs = self._pass.log_probs(computed.forward(tree, first)[-len(beam) :])
            found += self._ended(tree, beam, (logprobs + log_probs[:, self.tokenizer.end]).tolist())
            found = sorted(found, key=lambda each: -each.logprob)[:width]
            longer = (logprobs[:, None] + log_probs)[:, :BYTE_VALUES].ravel()
            best = _largest(longer, width)
            if len(found) == width:
                best = best[longer[best] > found[-1].logprob]  # a log-probability only falls with more tokens
            if not len(best):
                break
            chosen = [(beam[index // BYTE_VALUES], index % BYTE_VALUES) for index in best.tolist()]
            tree, kept = tree.pruned([parent for parent, _ in chosen])
            computed.keep(list(kept))
            first, logprobs = len(tree.tokens), longer[best]
            beam = [tree.add(kept[parent], token) for parent, token in chosen]
        return found

    def _ended(self, tree: TokenTree, beam: Sequence[int], logprobs: Sequence[float]) -> Iterator[Continuation]:
        """The completions of a beam, as if they ended here."""
        for node, logprob in zip(beam, logprobs, strict=True):
            yield Continuation(self.tokenizer.decode(tree.tokens[each] for each in tree.path(node)), logprob)

    def _new_tree(self) -> TokenTree:
        """A tree with START and ASK; completions follow ASK, which is node 1."""
        tree = TokenTree()
        tree.extend(-1, (self.tokenizer.start, self.tokenizer.ask))
        return tree

    def _batches(self, completions: Sequence[bytes]) -> Iterator[list[int]]:
        """Indices of completions in sorted order, in batches whose tree has about `MAX_TREE_TOKENS` tokens."""
        batch, tree = list[int](), self._new_tree()
        for index in sorted(range(len(completions)), key=lambda each: completions[each]):
            if batch and len(tree.tokens) + len(completions[index]) > MAX_TREE_TOKENS:
                yield batch
                batch, tree = [], self._new_tree()
            tree.extend(1, completions[index])
            batch.append(index)
        if batch:
            yield batch


def _by_torch(model: TrainedModel, types: NumberTypes) -> TreePass:
    """The pass by torch, which is imported here."""
    with without_collections():
        import torch

        from cwm_agent.engine.tree_pass import TorchTreePass

    return TorchTreePass(model.network, getattr(torch, types.values))


def _largest(values: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """The places of the largest values, at most so many, the largest first."""
    places = np.argpartition(-values, count)[:count] if count < len(values) else np.arange(len(values))
    return places[np.argsort(-values[places], kind="stable")]


def _path_sums(tree: TokenTree, log_probs: NDArray[np.float32]) -> list[float]:
    """For each node the log-probability of all tokens from behind ASK up to it."""
    parents = np.maximum(tree.parents, 0)
    own = log_probs[parents, tree.tokens].tolist()
    sums = [0.0] * len(own)
    for node, (parent, depth) in enumerate(zip(tree.parents, tree.depths, strict=True)):
        if depth > 1:
            sums[node] = sums[parent] + own[node]
    return sums
