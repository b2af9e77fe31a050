"""Products as int8 computes them, with a gradient, so that a trained network can answer alike in int8 and in fp32.

The engine rounds matrices by output and values by token (`engine/native/int8_pass.c`). Training with the same
rounding teaches the network to leave room for it. Rounding has no slope, so gradients pass it unchanged.
"""

import torch
from torch import Tensor
from torch.nn import functional

_LARGEST = 127
_SMALLEST_SCALE = 1e-12
"""Of values that are all zero; gradients are divided by it, and a smaller one would be lost in bf16."""


def rounded_product(matrix: Tensor, values: Tensor) -> Tensor:
    """The product with a matrix, or with several stacked matrices, both rounded to 255 steps; as `network.linear`."""
    stacked = matrix.reshape(-1, matrix.shape[-1])
    matrix_scales, value_scales = _scales(stacked), _scales(values)
    steps = functional.linear(
        _rounded(values, value_scales).to(values.dtype), _rounded(stacked, matrix_scales).to(values.dtype)
    )
    return (steps.float() * value_scales * matrix_scales.flatten()).to(values.dtype)


def _scales(values: Tensor) -> Tensor:
    """The size of one step for each row, in fp32."""
    return values.detach().float().abs().amax(-1, keepdim=True).div(_LARGEST).clamp_min(_SMALLEST_SCALE)


def _rounded(values: Tensor, scales: Tensor) -> Tensor:
    """Numbers of steps: whole ones, which bf16 holds exactly; their gradient is that of the unrounded ones."""
    exact = values.float() / scales
    return exact + (torch.round(exact) - exact).detach()
