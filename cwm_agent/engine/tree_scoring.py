"""Tree scoring: scores or searches many completions of one prompt, whose keys and values all of them share.

The engine completes many different prompts, each with its own row of the KV cache. Here thousands of short completions
follow one long prompt. Completions with the same beginning share tokens: together they form a tree, in which every
token attends to the prompt and to its own ancestors. Computes the same function as `Network.forward` with the prompt as
context. Knows no meaning of the bytes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import torch
from torch import Tensor
from torch.nn import functional

from cwm_agent.engine.network import EPSILON, HEAD_WIDTH, TransformerBlock, linear, rms_norm, rotate, rotation
from cwm_agent.engine.precision import Precision, chosen_types
from cwm_agent.engine.products.matrix_products import MatrixProduct, gated_product, matrix_product, padded_count
from cwm_agent.engine.tokenizer import Tokenizer
from cwm_agent.engine.weights import TrainedModel

MAX_TREE_TOKENS = 512
"""Tokens of a tree in one pass: enough for full speed, few enough for the CPU's cache."""
BLOCK = 64
"""Tokens whose attention is computed together: neighbours share most of their ancestors, others hardly any."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """A completion that beam search found."""

    text: bytes
    logprob: float
    """Of the completion and its END, in nats."""


@dataclass(slots=True)
class _LayerCache:
    """What one layer keeps of the tokens computed so far."""

    inputs: Tensor
    """Inputs of the convolution behind a row of zeros, (1 + tokens, width)."""
    keys: Tensor
    """(heads, tokens, head width)."""
    values: Tensor

    def keep(self, nodes: Tensor) -> None:
        """Forget all tokens but these."""
        self.inputs = self.inputs.index_select(0, functional.pad(nodes + 1, (1, 0)))
        self.keys, self.values = (each.index_select(1, nodes) for each in (self.keys, self.values))


@dataclass(slots=True)
class SharedPrompt:
    """A prompt that is computed once and shared by all its completions."""

    length: int
    layers: list[_LayerCache] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Block:
    """Neighbouring tokens of a tree whose attention is computed in one operation."""

    rows: slice
    """Of the new tokens."""
    nodes: Tensor
    """The nodes on the paths to these tokens, themselves included."""
    mask: Tensor
    """0 for the prompt and a token's own path, the smallest bf16 number elsewhere; (tokens, prompt and nodes)."""


@dataclass(slots=True)
class _TokenTree:
    """Tokens behind a prompt, each behind its parent."""

    tokens: list[int] = field(default_factory=list)
    paths: list[list[int]] = field(default_factory=list)
    """For each token: the nodes from the root to the token itself."""
    _children: dict[tuple[int, int], int] = field(default_factory=dict)

    def add(self, parent: int, token: int) -> int:
        """The node of a token behind its parent, created if it is new; the parent of the root is -1."""
        node = self._children.get((parent, token))
        if node is None:
            node = self._children[parent, token] = len(self.tokens)
            self.tokens.append(token)
            self.paths.append([*(self.paths[parent] if parent >= 0 else ()), node])
        return node

    def extend(self, parent: int, tokens: Sequence[int]) -> int:
        """Add tokens behind a node, one after the other; returns the last node."""
        for token in tokens:
            parent = self.add(parent, token)
        return parent

    def pruned(self, leaves: Sequence[int]) -> tuple["_TokenTree", dict[int, int]]:
        """A tree of the paths to some nodes alone, and for each node that it keeps, in order, its new number."""
        nodes = sorted(set(chain.from_iterable(self.paths[leaf] for leaf in leaves)))
        kept = {node: place for place, node in enumerate(nodes)}
        paths = [[kept[each] for each in self.paths[node]] for node in nodes]
        return _TokenTree([self.tokens[node] for node in nodes], paths), kept

    def blocks(self, first: int, prompt_length: int, dtype: torch.dtype) -> Iterator[_Block]:
        """The tokens from `first` on in blocks, each with the nodes on their paths."""
        for start in range(first, len(self.tokens), BLOCK):
            paths = self.paths[start : start + BLOCK]
            nodes = sorted(set(chain.from_iterable(paths)))
            column = {node: prompt_length + place for place, node in enumerate(nodes)}
            mask = torch.full((len(paths), prompt_length + len(nodes)), torch.finfo(torch.bfloat16).min)
            mask[:, :prompt_length] = 0.0
            rows = torch.repeat_interleave(torch.arange(len(paths)), torch.tensor([len(path) for path in paths]))
            mask[rows, torch.tensor([column[node] for path in paths for node in path])] = 0.0
            yield _Block(slice(start - first, start - first + len(paths)), torch.tensor(nodes), mask.to(dtype))

    def ancestors(self, first: int, window: int) -> Tensor:
        """The last `window` nodes on the path to each token from `first` on, itself first; -1 for none.

        Shape (window, tokens).
        """
        padded = ([*([-1] * (window - len(path))), *path[-window:]][::-1] for path in self.paths[first:])
        return torch.tensor(list(padded)).T


class TreeScorer:
    """A network prepared for many completions of one prompt."""

    def __init__(self, model: TrainedModel, *, precision: Precision = "auto") -> None:
        network = model.network
        self.tokenizer: Tokenizer = model.tokenizer
        self.shape, (self.dtype, int8) = network.shape, chosen_types(precision, torch.device("cpu"))
        self._embedding, self._head = network.embedding.detach(), network.head.detach()
        self._final_gain = network.final_gain.detach()
        self._layers = [
            _TreeLayer(block, self.dtype, int8=int8) for block in network.blocks if isinstance(block, TransformerBlock)
        ]

    @torch.inference_mode()
    def encode(self, text: bytes) -> SharedPrompt:
        """Compute the keys and values of a prompt."""
        line, prompt = _TokenTree(), SharedPrompt(len(text))
        line.extend(-1, text)
        self._forward(line, 0, None, prompt.layers)
        return prompt

    @torch.inference_mode()
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
            log_probs = self._log_probs(self._forward(tree, 0, prompt, []))
            sums = _path_sums(tree, log_probs)
            ends = log_probs[:, self.tokenizer.end].tolist()
            for index, leaf in zip(batch, leaves, strict=True):
                found[index] = sums[leaf] + (ends[leaf] if whole is None or whole[index] else 0.0)
        return found

    @torch.inference_mode()
    def beam_search(self, prompt: SharedPrompt, width: int, *, max_tokens: int = 160) -> list[Continuation]:
        """The most likely completions that a beam of that width finds, best first; at most `width`."""
        tree, cache = self._new_tree(), list[_LayerCache]()
        beam, logprobs, first = [1], torch.zeros(1), 0
        found: list[Continuation] = []
        for _ in range(max_tokens):
            log_probs = self._log_probs(self._forward(tree, first, prompt, cache)[-len(beam) :])
            found += self._ended(tree, beam, (logprobs + log_probs[:, self.tokenizer.end]).tolist())
            found = sorted(found, key=lambda each: -each.logprob)[:width]
            longer = (logprobs[:, None] + log_probs)[:, :256]
            best = longer.flatten().topk(min(width, longer.numel()))
            if len(found) == width:
                better = best.values > found[-1].logprob  # a log-probability only falls with more tokens
                best = type(best)((best.values[better], best.indices[better]))
            if not len(best.values):
                break
            chosen = [(beam[index // 256], index % 256) for index in best.indices.tolist()]
            tree, kept = tree.pruned([parent for parent, _ in chosen])
            for layer in cache:
                layer.keep(torch.tensor(list(kept)))
            first, logprobs = len(tree.tokens), best.values
            beam = [tree.add(kept[parent], token) for parent, token in chosen]
        return found

    def _ended(self, tree: _TokenTree, beam: Sequence[int], logprobs: Sequence[float]) -> Iterator[Continuation]:
        """The completions of a beam, as if they ended here."""
        for node, logprob in zip(beam, logprobs, strict=True):
            yield Continuation(self.tokenizer.decode(tree.tokens[each] for each in tree.paths[node]), logprob)

    def _new_tree(self) -> _TokenTree:
        """A tree with START and ASK; completions follow ASK, which is node 1."""
        tree = _TokenTree()
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

    def _log_probs(self, hidden: Tensor) -> Tensor:
        return linear(self._head, rms_norm(hidden, self._final_gain)).log_softmax(dim=-1)

    def _forward(self, tree: _TokenTree, first: int, prompt: SharedPrompt | None, cache: list[_LayerCache]) -> Tensor:
        """The residual stream behind each token of a tree from `first` on.

        `cache` holds the layers' results for the tokens before `first`; this pass extends it.
        """
        tokens, depths = torch.tensor(tree.tokens[first:]), [len(path) - 1 for path in tree.paths[first:]]
        start = prompt.length if prompt else 0
        step = _TreeStep(
            angles=rotation(torch.tensor(depths) + start, self.shape.rotation_base),
            blocks=list(tree.blocks(first, start, self.dtype)),
            ancestors=tree.ancestors(first, self.shape.window),
        )
        stream = functional.embedding(tokens, self._embedding)
        for index, layer in enumerate(self._layers):
            if index == len(cache):
                cache.append(_empty_cache(self.shape.key_heads, self.shape.width, self.dtype))
            stream = layer(stream, step, cache[index], prompt.layers[index] if prompt else None)
        return stream


@dataclass(frozen=True, slots=True)
class _TreeStep:
    """What all layers need to know about the new tokens of one pass."""

    angles: tuple[Tensor, Tensor]
    """Cosine and sine of the position angles."""
    blocks: Sequence[_Block]
    ancestors: Tensor


class _TreeLayer:
    """Parameters of one block, prepared for inference on a tree."""

    def __init__(self, block: TransformerBlock, dtype: torch.dtype, *, int8: bool) -> None:
        self.dtype, self.heads, self.key_heads = dtype, block.heads, block.key_heads
        self.attention_gain, self.feed_gain = block.attention_gain.detach(), block.feed_gain.detach()
        self.gains = block.query_gain.detach(), block.key_gain.detach()
        self.taps = block.convolution.taps.detach()

        def prepared(parameter: Tensor) -> Tensor:
            return parameter.detach().to(dtype).contiguous()

        self.query_key_value: MatrixProduct = matrix_product(prepared(block.projection()), int8=int8)
        self.out: MatrixProduct = matrix_product(prepared(block.attention_out), int8=int8)
        self.gate_up: MatrixProduct = gated_product(*prepared(block.gate_up), int8=int8)
        self.down: MatrixProduct = matrix_product(prepared(block.down), int8=int8)

    def __call__(self, stream: Tensor, step: _TreeStep, cache: _LayerCache, prompt: _LayerCache | None) -> Tensor:
        count = len(stream)
        cache.inputs = torch.cat((cache.inputs, rms_norm(stream, self.attention_gain)))
        mixed = self._convolved(cache.inputs, step.ancestors).to(self.dtype)
        projected = _padded_product(self.query_key_value, mixed)
        parts = projected.view(count, -1, HEAD_WIDTH).transpose(0, 1)
        queries, keys, values = torch.split(parts, [self.heads, self.key_heads, self.key_heads])
        queries, keys = (
            rotate(functional.rms_norm(each.float(), (HEAD_WIDTH,), gain, EPSILON), *step.angles).to(self.dtype)
            for each, gain in zip((queries, keys), self.gains, strict=True)
        )
        cache.keys = torch.cat((cache.keys, keys), dim=1)
        cache.values = torch.cat((cache.values, values), dim=1)
        attended = _attend(queries, cache, step.blocks, prompt).transpose(0, 1).flatten(1)
        stream = stream + _padded_product(self.out, attended)
        fed = rms_norm(stream, self.feed_gain).to(self.dtype)
        return stream + _padded_product(lambda values: self.down(self.gate_up(values)), fed)

    def _convolved(self, inputs: Tensor, ancestors: Tensor) -> Tensor:
        """The causal convolution along the path to each token; ancestor -1 is the row of zeros."""
        rows = ancestors + 1
        mixed = inputs[rows[0]] * self.taps[0]
        for back in range(1, len(self.taps)):
            mixed.addcmul_(inputs[rows[back]], self.taps[back])
        return mixed


def _padded_product(product: MatrixProduct, values: Tensor) -> Tensor:
    """A product over all tokens, padded to a number of rows that torch has prepared before."""
    if (padding := padded_count(len(values)) - len(values)) == 0:
        return product(values)
    return product(functional.pad(values, (0, 0, 0, padding)))[: len(values)]


def _attend(queries: Tensor, cache: _LayerCache, blocks: Sequence[_Block], prompt: _LayerCache | None) -> Tensor:
    """Attention over the prompt and the ancestors; (heads, tokens, head width)."""
    found, shared = [], len(queries) != len(cache.keys)
    for block in blocks:
        keys, values = (each.index_select(1, block.nodes) for each in (cache.keys, cache.values))
        if prompt is not None:
            keys, values = torch.cat((prompt.keys, keys), dim=1), torch.cat((prompt.values, values), dim=1)
        own = queries[:, block.rows]
        attended = functional.scaled_dot_product_attention(
            own[None], keys[None], values[None], attn_mask=block.mask, enable_gqa=shared
        )
        found.append(attended[0])
    return torch.cat(found, dim=1)


def _empty_cache(heads: int, width: int, dtype: torch.dtype) -> _LayerCache:
    empty = torch.zeros(heads, 0, HEAD_WIDTH, dtype=dtype)
    return _LayerCache(torch.zeros(1, width), empty, empty)


def _path_sums(tree: _TokenTree, log_probs: Tensor) -> list[float]:
    """For each node the log-probability of all tokens from behind ASK up to it."""
    parents = torch.tensor([path[-2] if len(path) > 1 else 0 for path in tree.paths])
    own = log_probs[parents, torch.tensor(tree.tokens)].tolist()
    sums = [0.0] * len(own)
    for node, path in enumerate(tree.paths):
        if len(path) > 2:
            sums[node] = sums[path[-2]] + own[node]
    return sums
