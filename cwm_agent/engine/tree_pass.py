"""The forward pass over a tree of tokens by torch, for processors that the library does not serve; knows no bytes.

Every token attends to the prompt and to its own ancestors. Computes the same function as `Network.forward` with the
prompt as context.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from cwm_agent.engine.network import Network, TransformerBlock, linear, rms_norm, rotate, rotation
from cwm_agent.engine.products.matrix_products import MatrixProduct, gated_product, matrix_product, padded_count
from cwm_agent.engine.shape import EPSILON, HEAD_WIDTH
from cwm_agent.engine.token_tree import TokenTree

BLOCK = 64
"""Tokens whose attention is computed together: neighbours share most of their ancestors, others hardly any."""


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


@dataclass(frozen=True, slots=True)
class TorchPrompt:
    """A prompt that is computed once and shared by all its completions."""

    length: int
    layers: list[_LayerCache] = field(default_factory=list)


class TorchTreePass:
    """A network prepared for trees."""

    def __init__(self, network: Network, dtype: torch.dtype) -> None:
        self.shape, self.dtype = network.shape, dtype
        self._embedding, self._head = network.embedding.detach(), network.head.detach()
        self._final_gain = network.final_gain.detach()
        self._layers = [_TreeLayer(block, dtype) for block in network.blocks if isinstance(block, TransformerBlock)]

    @torch.inference_mode()
    def encode(self, tokens: Sequence[int]) -> TorchPrompt:
        """Compute the keys and values of a prompt."""
        line, prompt = TokenTree(), TorchPrompt(len(tokens))
        parent = -1
        for token in tokens:  # a line has no two tokens behind the same parent
            parent = line.add(parent, token)
        if tokens:
            self.forward(line, 0, None, prompt.layers)
        return prompt

    def behind(self, prompt: TorchPrompt) -> "TorchTree":
        """No token behind a prompt yet."""
        return TorchTree(self, prompt)

    @torch.inference_mode()
    def log_probs(self, hidden: Tensor) -> NDArray[np.float32]:
        """Log-probabilities of the next token, (tokens, vocabulary)."""
        found: NDArray[np.float32] = linear(self._head, rms_norm(hidden, self._final_gain)).log_softmax(dim=-1).numpy()
        return found

    @torch.inference_mode()
    def forward(self, tree: TokenTree, first: int, prompt: TorchPrompt | None, cache: list[_LayerCache]) -> Tensor:
        """The residual stream behind each token of a tree from `first` on.

        `cache` holds the layers' results for the tokens before `first`; this pass extends it.
        """
        start = prompt.length if prompt else 0
        paths = [tree.path(node) for node in range(first, len(tree.tokens))]
        step = _TreeStep(
            angles=rotation(torch.tensor(tree.depths[first:]) + start, self.shape.rotation_base),
            blocks=list(_blocks(paths, start, self.dtype)),
            ancestors=_ancestors(paths, self.shape.window),
        )
        stream = functional.embedding(torch.tensor(tree.tokens[first:]), self._embedding)
        for index, layer in enumerate(self._layers):
            if index == len(cache):
                cache.append(_empty_cache(self.shape.key_heads, self.shape.width, self.dtype))
            stream = layer(stream, step, cache[index], prompt.layers[index] if prompt and prompt.layers else None)
        return stream


@dataclass(frozen=True, slots=True)
class TorchTree:
    """The tokens behind a prompt that were computed so far."""

    passes: TorchTreePass
    prompt: TorchPrompt
    layers: list[_LayerCache] = field(default_factory=list)

    def forward(self, tree: TokenTree, first: int) -> Tensor:
        """The residual stream behind each token of a tree from `first` on; those before were computed earlier."""
        return self.passes.forward(tree, first, self.prompt, self.layers)

    def keep(self, nodes: Sequence[int]) -> None:
        """Forget all tokens but these."""
        for layer in self.layers:
            layer.keep(torch.tensor(nodes))


@dataclass(frozen=True, slots=True)
class _Block:
    """Neighbouring tokens of a tree whose attention is computed in one operation."""

    rows: slice
    """Of the new tokens."""
    nodes: Tensor
    """The nodes on the paths to these tokens, themselves included."""
    mask: Tensor
    """0 for the prompt and a token's own path, the smallest bf16 number elsewhere; (tokens, prompt and nodes)."""


def _blocks(paths: Sequence[Sequence[int]], prompt_length: int, dtype: torch.dtype) -> Iterator[_Block]:
    """New tokens in blocks, each with the nodes on their paths."""
    for start in range(0, len(paths), BLOCK):
        own = paths[start : start + BLOCK]
        nodes = sorted(set(chain.from_iterable(own)))
        column = {node: prompt_length + place for place, node in enumerate(nodes)}
        mask = torch.full((len(own), prompt_length + len(nodes)), torch.finfo(torch.bfloat16).min)
        mask[:, :prompt_length] = 0.0
        rows = torch.repeat_interleave(torch.arange(len(own)), torch.tensor([len(path) for path in own]))
        mask[rows, torch.tensor([column[node] for path in own for node in path])] = 0.0
        yield _Block(slice(start, start + len(own)), torch.tensor(nodes), mask.to(dtype))


def _ancestors(paths: Sequence[Sequence[int]], window: int) -> Tensor:
    """The last `window` nodes on each path, the end first; -1 for none. Shape (window, paths)."""
    padded = ([*([-1] * (window - len(path))), *path[-window:]][::-1] for path in paths)
    return torch.tensor(list(padded)).T


@dataclass(frozen=True, slots=True)
class _TreeStep:
    """What all layers need to know about the new tokens of one pass."""

    angles: tuple[Tensor, Tensor]
    """Cosine and sine of the position angles."""
    blocks: Sequence[_Block]
    ancestors: Tensor


class _TreeLayer:
    """Parameters of one block, prepared for inference on a tree."""

    def __init__(self, block: TransformerBlock, dtype: torch.dtype) -> None:
        self.dtype, self.heads, self.key_heads = dtype, block.heads, block.key_heads
        self.attention_gain, self.feed_gain = block.attention_gain.detach(), block.feed_gain.detach()
        self.gains = block.query_gain.detach(), block.key_gain.detach()
        self.taps = block.convolution.taps.detach()

        def prepared(parameter: Tensor) -> Tensor:
            return parameter.detach().to(dtype).contiguous()

        self.query_key_value: MatrixProduct = matrix_product(prepared(block.projection()))
        self.out: MatrixProduct = matrix_product(prepared(block.attention_out))
        self.gate_up: MatrixProduct = gated_product(*prepared(block.gate_up))
        self.down: MatrixProduct = matrix_product(prepared(block.down))

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
