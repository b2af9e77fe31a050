"""The end of a transformer block by torch's operations: attention output, norm and feed-forward part."""

from dataclasses import dataclass

import torch
from torch import Tensor

from cwm_agent.engine.products.matrix_products import MatrixProduct, gated_product, matrix_product
from cwm_agent.engine.shape import EPSILON


@dataclass(frozen=True, slots=True)
class BlockEnd:
    """From the residual stream (fp32) and the attention output to the stream after the block; reuses the stream."""

    out: MatrixProduct
    gain: Tensor
    gate_up: MatrixProduct
    down: MatrixProduct

    @classmethod
    def of(cls, out: Tensor, gain: Tensor, gate_up: Tensor, down: Tensor) -> "BlockEnd":
        """Prepare the matrices of one block; `gate_up` holds both matrices of the gate."""
        return cls(matrix_product(out), gain, gated_product(*gate_up), matrix_product(down))

    def __call__(self, stream: Tensor, attended: Tensor) -> Tensor:
        stream.add_(self.out(attended).float())
        fed = (stream * rms_scale(stream)).mul_(self.gain).to(attended.dtype)
        return stream.add_(self.down(self.gate_up(fed)).float())


def rms_scale(values: Tensor) -> Tensor:
    """The factor that brings the last axis to mean square one, as `network.rms_norm` does before its gain."""
    length: Tensor = torch.linalg.vector_norm(values, dim=-1, keepdim=True)
    return length.square_().mul_(1 / values.shape[-1]).add_(EPSILON).rsqrt_()
