"""Products of training that round as the engine's int8 products do."""

import pytest
import torch

from cwm_agent.engine.network import linear
from cwm_agent.training.rounded_products import rounded_product


def _drawn(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(3))


def test_the_error_is_at_most_half_a_step_of_each_factor() -> None:
    matrix, values = _drawn(5, 16), _drawn(3, 16)
    found, exact = rounded_product(matrix, values), linear(matrix, values)
    steps = values.abs().amax(1, keepdim=True) / 127, matrix.abs().amax(1) / 127
    bound = (
        steps[0] * matrix.abs().sum(1) / 2
        + steps[1] * values.abs().sum(1, keepdim=True) / 2
        + 16 * steps[0] * steps[1] / 4
    )
    assert (found - exact).abs().le(bound + 1e-5).all()
    assert not torch.equal(found, exact)


def test_gradients_pass_the_rounding() -> None:
    matrix, values = _drawn(5, 16).requires_grad_(), _drawn(3, 16).requires_grad_()
    rounded_product(matrix, values).sum().backward()  # type: ignore[no-untyped-call]
    assert matrix.grad is not None
    assert values.grad is not None
    assert torch.allclose(values.grad, matrix.detach().sum(0).expand_as(values), atol=0.05)
    assert torch.allclose(matrix.grad, values.detach().sum(0).expand_as(matrix), atol=0.05)


def test_zeros_and_stacked_matrices() -> None:
    stacked, values = _drawn(2, 3, 8), torch.zeros(2, 4, 8)
    found = rounded_product(stacked, values)
    assert found.shape == (2, 4, 6)
    assert not found.any()


@pytest.mark.filterwarnings("ignore:mkldnn_matmul failed")  # processors without bf16 products
@pytest.mark.parametrize("size", [1e-5, 1e-7, 1e-9])
def test_matrices_that_start_at_zero_have_a_gradient_in_bf16(size: float) -> None:
    """Half of a new network's matrices are zero; so are many small gradients after rounding to bf16."""
    values, slope = _drawn(64, 32).bfloat16(), (_drawn(64, 24) * size).bfloat16()
    found, plain = (torch.zeros(24, 32, requires_grad=True) for _ in range(2))
    rounded_product(found, values).backward(slope)  # type: ignore[no-untyped-call]
    linear(plain, values).backward(slope)  # type: ignore[no-untyped-call]
    assert found.grad is not None
    assert plain.grad is not None
    assert (found.grad - plain.grad).norm() < 0.05 * plain.grad.norm()
