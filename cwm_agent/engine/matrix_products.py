"""Products with a fixed matrix, as fast as the machine does them; knows no network.

On a CPU that multiplies bf16 in hardware, torch lays a matrix out anew at every product. Here it is laid out once, by
the operator that torch's own compiler uses for that. The operator is not public, so where it is missing or refuses,
bf16 is multiplied as fp32 and rounded: a CPU without bf16 instructions takes 30 to 280 times as long for bf16 itself.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

Product = Callable[[Tensor], Tensor]
"""Values (..., inputs) of the matrix's type to values (..., outputs) of the same."""
_TOKENS_EXPECTED = 64
"""Rows for which a layout is chosen; other numbers work as well."""


def product(matrix: Tensor) -> Product:
    """The product with a matrix of shape (outputs, inputs), on its device and in its type."""
    if (packed := _packed(matrix)) is not None:
        return lambda values: _multiplied(values, packed, "none")
    if _is_slow(matrix):
        wide = matrix.float()
        return lambda values: functional.linear(values.float(), wide).to(matrix.dtype)
    return lambda values: functional.linear(values, matrix)


def rounded(count: int) -> int:
    """The number of rows to multiply instead of so many: torch prepares each number anew, for as long as many products.

    >>> [rounded(count) for count in (1, 9, 100, 300, 700)]
    [8, 16, 128, 320, 768]
    """
    step = next(step for step, most in ((8, 16), (32, 256), (64, 512), (128, 1 << 60)) if count <= most)
    return -(-count // step) * step


def gated(gate: Tensor, up: Tensor) -> Product:
    """The product with `up`, times the SiLU of the product with `gate`."""
    first, second = _packed(gate), _packed(up)
    if first is not None and second is not None:
        return lambda values: _multiplied(values, second, "none").mul_(_multiplied(values, first, "swish"))
    both = product(torch.cat((gate, up)))

    def multiplied(values: Tensor) -> Tensor:
        one, other = both(values).chunk(2, dim=-1)
        return functional.silu(one).mul_(other)

    return multiplied


def _is_slow(matrix: Tensor) -> bool:
    """Whether torch would multiply the matrix without hardware support: bf16 on a CPU that refused to lay it out."""
    return matrix.device.type == "cpu" and matrix.dtype == torch.bfloat16


def _multiplied(values: Tensor, packed: Tensor, then: str) -> Tensor:
    found: Tensor = torch.ops.mkldnn._linear_pointwise(values, packed, None, then, [], "")
    return found


def _packed(matrix: Tensor) -> Tensor | None:
    """The matrix laid out for this machine; None where torch has no such thing here."""
    if matrix.device.type != "cpu" or matrix.dtype != torch.bfloat16:
        return None
    try:
        packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(matrix, _TOKENS_EXPECTED)
        _multiplied(matrix.new_zeros(1, matrix.shape[1]), packed, "swish")
    except (AttributeError, RuntimeError):
        return None
    return packed
