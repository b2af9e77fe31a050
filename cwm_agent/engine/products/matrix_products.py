"""Products with a fixed matrix, as fast as the machine computes them; knows no network.

On a CPU, torch packs a matrix again for every product. This module packs it once, with the operator that torch's own
compiler uses. The operator is not public: where it is missing or fails, torch's usual product is used, and bf16 is
multiplied as fp32 and rounded, because a CPU without bf16 instructions takes 30 to 280 times as long for bf16 itself.
"""

import platform
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

MatrixProduct = Callable[[Tensor], Tensor]
"""From values (..., inputs) of the matrix's type to values (..., outputs) of the same type."""
_TOKENS_EXPECTED = 64
"""Number of rows for which a packed layout is chosen; other numbers work too."""
_IS_X86 = platform.machine().lower() in ("x86_64", "amd64")
"""There, torch compiles a kernel for each new number of rows, and computes SiLU inside the product. On other processors
both are different: a new number costs less than a product, and SiLU inside the product runs without vectors."""
_STEPS = ((8, 16), (16, 128), (32, 256), (64, 512), (128, 1 << 60))
"""Numbers of rows that products are padded to on x86: a multiple of the first number, up to the second."""
_FEWEST_ROWS = 5
"""On other processors: packed products of fewer rows take longer than those of so many."""


def matrix_product(matrix: Tensor) -> MatrixProduct:
    """The product with a matrix of shape (outputs, inputs), on its device and in its type."""
    if (packed := _packed(matrix)) is not None:
        return lambda values: _multiplied(values, packed, "none")
    if _is_slow(matrix):
        wide = matrix_product(matrix.float())
        return lambda values: wide(values.float()).to(matrix.dtype)
    return lambda values: functional.linear(values, matrix)


def padded_count(count: int, *, x86: bool = _IS_X86) -> int:
    """The number of rows to pad a product to on a CPU.

    On x86 torch prepares each new number, which takes as long as many products.

    >>> [padded_count(count, x86=True) for count in (1, 9, 100, 300, 700)]
    [8, 16, 112, 320, 768]
    >>> [padded_count(count, x86=False) for count in (1, 9, 100)]
    [5, 9, 100]
    """
    if not x86:
        return max(count, _FEWEST_ROWS)
    step = next(step for step, most in _STEPS if count <= most)
    return -(-count // step) * step


def gated_product(gate: Tensor, up: Tensor) -> MatrixProduct:
    """The product with `up`, times the SiLU of the product with `gate`."""
    if _IS_X86 and (first := _packed(gate)) is not None and (second := _packed(up)) is not None:
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
    if matrix.device.type != "cpu":
        return None
    try:
        packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(matrix, _TOKENS_EXPECTED)
        _multiplied(matrix.new_zeros(1, matrix.shape[1]), packed, "swish" if _IS_X86 else "none")
    except (AttributeError, RuntimeError):
        return None
    return packed
