"""Products with a fixed matrix, as fast as the machine computes them; knows no network.

On a CPU with bf16 instructions, torch packs a matrix again for every product. This module packs it once, with the
operator that torch's own compiler uses. The operator is not public: where it is missing or fails, bf16 is multiplied as
fp32 and rounded, because a CPU without bf16 instructions takes 30 to 280 times as long for bf16 itself.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

MatrixProduct = Callable[[Tensor], Tensor]
"""From values (..., inputs) of the matrix's type to values (..., outputs) of the same type."""
_TOKENS_EXPECTED = 64
"""Number of rows for which a packed layout is chosen; other numbers work too."""


def matrix_product(matrix: Tensor) -> MatrixProduct:
    """The product with a matrix of shape (outputs, inputs), on its device and in its type."""
    if (packed := _packed(matrix)) is not None:
        return lambda values: _multiplied(values, packed, "none")
    if _is_slow(matrix):
        wide = matrix.float()
        return lambda values: functional.linear(values.float(), wide).to(matrix.dtype)
    return lambda values: functional.linear(values, matrix)


def padded_count(count: int) -> int:
    """The number of rows to pad a product to: torch prepares each new number, which takes as long as many products.

    >>> [padded_count(count) for count in (1, 9, 100, 300, 700)]
    [8, 16, 128, 320, 768]
    """
    step = next(step for step, most in ((8, 16), (32, 256), (64, 512), (128, 1 << 60)) if count <= most)
    return -(-count // step) * step


def gated_product(gate: Tensor, up: Tensor) -> MatrixProduct:
    """The product with `up`, times the SiLU of the product with `gate`."""
    first, second = _packed(gate), _packed(up)
    if first is not None and second is not None:
        return lambda values: _multiplied(values, second, "none").mul_(_multiplied(values, first, "swish"))
    both = matrix_product(torch.cat((gate, up)))

    def multiplied(values: Tensor) -> Tensor:
        one, other = both(values).chunk(2, dim=-1)
        return functional.silu(one).mul_(other)

    return multiplied


def _is_slow(matrix: Tensor) -> bool:
    """Whether torch would multiply without hardware support: bf16 on a CPU that could not pack the matrix."""
    return matrix.device.type == "cpu" and matrix.dtype == torch.bfloat16


def _multiplied(values: Tensor, packed: Tensor, activation: str) -> Tensor:
    found: Tensor = torch.ops.mkldnn._linear_pointwise(values, packed, None, activation, [], "")
    return found


def _packed(matrix: Tensor) -> Tensor | None:
    """The matrix packed for this machine; None where torch cannot pack it."""
    if matrix.device.type != "cpu" or matrix.dtype != torch.bfloat16:
        return None
    try:
        packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(matrix, _TOKENS_EXPECTED)
        _multiplied(matrix.new_zeros(1, matrix.shape[1]), packed, "swish")
    except (AttributeError, RuntimeError):
        return None
    return packed
