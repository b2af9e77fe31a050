"""The forward pass over a tree of tokens by `int8_pass.c`; knows no bytes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cwm_agent.engine.arrays.numpy_arrays import Halves
from cwm_agent.engine.layer_parameters import Floats, NetworkParameters
from cwm_agent.engine.native.native_forward import LogProbs
from cwm_agent.engine.native.native_pass import NativePass, NewNodes, NewTokens
from cwm_agent.engine.shape import HEAD_WIDTH
from cwm_agent.engine.token_tree import TokenTree

ROOM = 512
"""Columns behind a prompt for the nodes of a tree; more are made where a tree needs them."""


@dataclass(slots=True)
class NativePrompt:
    """A prompt that is computed once, with room for a tree behind it."""

    length: int
    keys_values: Halves
    """(layers, columns, 2, key heads, head width)."""

    def reserve(self, nodes: int) -> None:
        """Make room for so many nodes."""
        missing = self.length + nodes - self.keys_values.shape[1]
        if missing > 0:
            layers, columns, *numbers = self.keys_values.shape
            wider = np.empty((layers, columns + max(missing, ROOM), *numbers), dtype=np.uint16)
            wider[:, :columns] = self.keys_values
            self.keys_values = wider


class NativeTreePass:
    """A network whose passes over trees the library computes."""

    def __init__(self, library: Any, parameters: NetworkParameters) -> None:
        self.shape = parameters.shape
        self._native = NativePass(library, parameters)

    def encode(self, tokens: Sequence[int]) -> NativePrompt:
        """Compute the keys and values of a prompt."""
        layers, heads, before = self.shape.layers, self.shape.key_heads, self.shape.window - 1
        keys_values = np.empty((layers, len(tokens) + ROOM, 2, heads, HEAD_WIDTH), dtype=np.uint16)
        inputs = np.zeros((layers, before + len(tokens), self.shape.width), dtype=np.uint16)
        if tokens:
            self._native.forward(NewTokens(list(tokens), [len(tokens)], [0], inputs, keys_values[:, None]), [])
        return NativePrompt(len(tokens), keys_values)

    def behind(self, prompt: NativePrompt) -> "NativeTree":
        """No token behind a prompt yet."""
        return NativeTree(self._native, prompt, np.empty((self.shape.layers, 0, self.shape.width), dtype=np.uint16))

    def log_probs(self, hidden: Floats) -> Floats:
        """Log-probabilities of the next token, (tokens, vocabulary)."""
        return LogProbs.of_logits(self._native.logits(hidden)).all()


@dataclass(slots=True)
class NativeTree:
    """The tokens behind a prompt that were computed so far; they stand in the columns behind it."""

    native: NativePass
    prompt: NativePrompt
    inputs: Halves
    """Of convolutions, (layers, nodes, width)."""

    def forward(self, tree: TokenTree, first: int) -> Floats:
        """The residual stream behind each token of a tree from `first` on; those before were computed earlier."""
        self.prompt.reserve(len(tree.tokens))
        layers, _, width = self.inputs.shape
        inputs = np.empty((layers, len(tree.tokens), width), dtype=np.uint16)
        inputs[:, :first], self.inputs = self.inputs, inputs
        new = NewNodes(
            tree.tokens[first:], tree.parents, tree.depths, self.prompt.length, inputs, self.prompt.keys_values
        )
        return self.native.forward_tree(new)

    def keep(self, nodes: Sequence[int]) -> None:
        """Forget all tokens but these."""
        kept, start = np.array(nodes), self.prompt.length
        self.inputs = self.inputs.take(kept, axis=1)
        columns = self.prompt.keys_values
        columns[:, start : start + len(nodes)] = columns.take(kept + start, axis=1)
