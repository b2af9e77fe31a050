"""Muon for the matrices, AdamW for all other parameters; knows parameters and gradients only.

Muon replaces the momentum of a matrix by the nearest orthogonal matrix, computed by five Newton-Schulz iterations in
bf16. The update is scaled to the size of AdamW's (factor 0.2 sqrt(longer side)), so one learning rate suits both.
Matrices of equal shape are orthogonalised together, so the whole network needs a few batched products.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor, nn

ITERATIONS = 5
QUINTIC = (3.4445, -4.7750, 2.0315)
"""Coefficients of the Newton-Schulz iteration that moves all singular values towards one fastest."""


def orthogonalise(matrices: Tensor) -> Tensor:
    """Each wide matrix of a stack with its singular values near one; bf16 on accelerators, fp32 on CPUs.

    CPUs without bf16 instructions take much longer for bf16 than for fp32.
    """
    a, b, c = QUINTIC
    x: Tensor = matrices.float() if matrices.device.type == "cpu" else matrices.bfloat16()
    x = x / (torch.linalg.vector_norm(x, dim=(-2, -1), keepdim=True) * 1.02 + 1e-7)
    for _ in range(ITERATIONS):
        gram = x @ x.mT
        x = a * x + (b * gram + c * (gram @ gram)) @ x
    return x


class Muon:
    """Orthogonalised momentum for stacks of matrices."""

    def __init__(
        self, parameters: Iterable[nn.Parameter], *, momentum: float, weight_decay: float, compiled: bool
    ) -> None:
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.groups: dict[tuple[int, int], list[Tensor]] = defaultdict(list)
        for parameter in parameters:
            rows, columns = parameter.shape[-2:]
            self.groups[min(rows, columns), max(rows, columns)].append(parameter)
        self.velocity = {
            sides: torch.zeros_like(_stack([p.detach() for p in group])) for sides, group in self.groups.items()
        }
        self.orthogonalise: Callable[[Tensor], Tensor] = (
            torch.compile(orthogonalise, dynamic=False) if compiled else orthogonalise
        )

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """Update every matrix by its gradient; gradients are not cleared."""
        for sides, group in self.groups.items():
            gradients = _stack([_gradient(parameter) for parameter in group])
            velocity = self.velocity[sides]
            velocity.lerp_(gradients, 1 - self.momentum)
            updates = self.orthogonalise(gradients.lerp(velocity, self.momentum)).float()
            torch._foreach_mul_(group, 1 - rate * self.weight_decay)
            torch._foreach_add_(group, _unstack(updates, group), alpha=-rate * 0.2 * sides[1] ** 0.5)


def _gradient(parameter: Tensor) -> Tensor:
    assert parameter.grad is not None, "every matrix takes part in every forward pass"
    return parameter.grad


def _stack(tensors: list[Tensor]) -> Tensor:
    """All matrices of the tensors as one stack, transposed so that each is wide."""
    wide = [t if t.shape[-2] <= t.shape[-1] else t.mT for t in tensors]
    return torch.cat([t.reshape(-1, *t.shape[-2:]) for t in wide])


def _unstack(stack: Tensor, like: list[Tensor]) -> list[Tensor]:
    """The inverse of `_stack`: views of the stack in the shapes of the parameters."""
    parts = torch.split(stack, [p.numel() // (p.shape[-2] * p.shape[-1]) for p in like])
    turned = (part if p.shape[-2] <= p.shape[-1] else part.mT for part, p in zip(parts, like, strict=True))
    return [part.reshape(p.shape) for part, p in zip(turned, like, strict=True)]


class Optimiser:
    """Muon and AdamW with a common factor of their learning rates, set at every step."""

    def __init__(
        self,
        network: nn.Module,
        *,
        rate: float,
        adam_rate: float,
        weight_decay: float,
        clip: float,
        compiled: bool,
    ) -> None:
        matrices: list[nn.Parameter] = []
        rest: list[nn.Parameter] = []
        for name, parameter in network.named_parameters():
            inner = parameter.ndim >= 2 and not name.endswith(("embedding", "head", "taps"))
            (matrices if inner else rest).append(parameter)
        self.rate, self.adam_rate, self.clip = rate, adam_rate, clip
        self.parameters = [*matrices, *rest]
        self.muon = Muon(matrices, momentum=0.95, weight_decay=weight_decay, compiled=compiled)
        self.adam = torch.optim.AdamW(
            rest, lr=adam_rate, betas=(0.9, 0.95), eps=1e-10, weight_decay=0.0, fused=rest[0].is_cuda
        )

    def step(self, factor: float) -> Tensor:
        """One update at `factor` times the learning rates; returns the norm of the gradient before clipping."""
        norm = nn.utils.clip_grad_norm_(self.parameters, self.clip)
        self.muon.step(self.rate * factor)
        for group in self.adam.param_groups:
            group["lr"] = self.adam_rate * factor
        self.adam.step()
        for parameter in self.parameters:
            parameter.grad = None
        return norm

    def state(self) -> dict[str, Any]:
        """A copy of the state that a resumed run needs beside the weights."""
        return deepcopy({"velocity": self.muon.velocity, "adam": self.adam.state_dict()})

    def restore(self, state: dict[str, Any]) -> None:
        """Load what `state` returned."""
        for sides, velocity in state["velocity"].items():
            self.muon.velocity[sides].copy_(velocity)
        self.adam.load_state_dict(state["adam"])
