"""A low-rank adapter (LoRA) of a network: each adapted matrix W becomes W + B A, where B A has a small rank.

Only the matrices of the last blocks are adapted, so that the backward pass ends there. The adapted matrices are
computed before each pass, so the network needs no change and inference needs no adapter: `merged` gives plain weights.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.func import functional_call

from cwm_agent.engine.attention import AttentionLayout, Kernel
from cwm_agent.engine.network import Network

MATRICES = ("query_key_value", "query", "key_value", "attention_out", "gate_up", "down")
"""Parameters of a block that are matrices, or stacks of them."""


@dataclass(frozen=True, slots=True)
class AdapterShape:
    """How large an adapter is."""

    rank: int = 4
    blocks: int = 4
    """Blocks that are adapted, from the last one on."""

    def __post_init__(self) -> None:
        if self.rank < 1 or self.blocks < 1:
            raise ValueError(f"An adapter needs a rank and a number of blocks from 1, not {self}.")


class Adapter(nn.Module):
    """The factors A and B of every adapted matrix; B starts at zero, so a new adapter changes nothing."""

    def __init__(self, network: Network, shape: AdapterShape, seed: int) -> None:
        super().__init__()
        self.shape = shape
        self.names = adapted_names(network, shape)
        generator = torch.Generator().manual_seed(seed)
        parameters = dict(network.named_parameters())
        for name in self.names:
            matrix = parameters[name]
            inputs, outputs = matrix.shape[-1], matrix.numel() // matrix.shape[-1]
            first = torch.randn(shape.rank, inputs, generator=generator) * inputs**-0.5
            self.register_parameter(_factor(name, "a"), nn.Parameter(first.to(matrix.device)))
            self.register_parameter(_factor(name, "b"), nn.Parameter(matrix.new_zeros(outputs, shape.rank)))

    def matrices(self, network: Network) -> dict[str, Tensor]:
        """The adapted matrices of the network, by the names of its parameters."""
        own, parameters = dict(self.named_parameters()), dict(network.named_parameters())
        return {
            name: parameters[name] + (own[_factor(name, "b")] @ own[_factor(name, "a")]).view_as(parameters[name])
            for name in self.names
        }


class AdaptedNetwork(nn.Module):
    """A network with its adapter, for training: gradients reach the adapter alone."""

    def __init__(self, network: Network, adapter: Adapter) -> None:
        super().__init__()
        self.network, self.adapter = network, adapter
        network.requires_grad_(False)

    def forward(self, tokens: Tensor, layout: AttentionLayout, *, kernel: Kernel, dtype: torch.dtype) -> Tensor:
        """Logits, as the network gives them with the adapted matrices."""
        matrices = self.adapter.matrices(self.network)
        found: Tensor = functional_call(self.network, matrices, (tokens, layout), {"kernel": kernel, "dtype": dtype})
        return found


def adapted_names(network: Network, shape: AdapterShape) -> tuple[str, ...]:
    """The names of the parameters that an adapter of that shape changes."""
    first = max(0, network.shape.layers - shape.blocks)
    wanted = {f"blocks.{number}.{matrix}" for number in range(first, network.shape.layers) for matrix in MATRICES}
    return tuple(name for name, _ in network.named_parameters() if name in wanted)


@torch.no_grad()
def merged(network: Network, adapter: Adapter) -> Network:
    """A network of its own whose weights hold the adapter; parameters that are not adapted are shared."""
    found = Network(network.shape, initialised=False)
    state: dict[str, Tensor] = dict(network.state_dict()) | adapter.matrices(network)
    found.load_state_dict(state, assign=True)
    return found.requires_grad_(False)


def _factor(name: str, which: str) -> str:
    return f"{name.replace('.', '_')}__{which}"
