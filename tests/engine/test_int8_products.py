"""Products in int8: close to the exact ones, and the same for a token alone and among others.

Collected where the processor has them (`conftest.py`).
"""

import pytest
import torch

from cwm_agent.engine.block_end import BlockEnd
from cwm_agent.engine.engine import Engine
from cwm_agent.engine.precision import NumberTypes, chosen_types
from cwm_agent.engine.products.int8_products import int8_block_end, int8_product
from cwm_agent.engine.products.matrix_products import gated_product
from cwm_agent.training.rounded_products import rounded_product
from tests.random_networks import random_model

CPU = torch.device("cpu")


def distance(found: torch.Tensor, wanted: torch.Tensor) -> float:
    """Length of the difference, as a share of the wanted length."""
    return float((found - wanted).norm() / wanted.norm())


@pytest.fixture
def matrix() -> torch.Tensor:
    return torch.randn(96, 64, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("shape", [(1, 64), (7, 64), (3, 5, 64)])
def test_a_product_is_close_to_the_exact_one(matrix: torch.Tensor, shape: tuple[int, ...]) -> None:
    values = torch.randn(*shape, generator=torch.Generator().manual_seed(2))
    found = int8_product(matrix)(values)
    assert found.shape == (*shape[:-1], 96)
    assert distance(found, values @ matrix.T) < 0.02


def test_small_whole_numbers_are_multiplied_exactly() -> None:
    matrix = torch.tensor([[127.0, -5.0, 0.0], [-127.0, 127.0, 1.0]])
    values = torch.tensor([[127.0, 1.0, -3.0], [0.0, 127.0, 2.0]])
    assert torch.equal(int8_product(matrix)(values), values @ matrix.T)


def test_values_of_zero_give_zero(matrix: torch.Tensor) -> None:
    assert torch.equal(int8_product(matrix)(torch.zeros(2, 64)), torch.zeros(2, 96))


def test_a_token_does_not_depend_on_the_others(matrix: torch.Tensor) -> None:
    values = torch.randn(33, 64, generator=torch.Generator().manual_seed(3)) * torch.logspace(-6, 6, 33)[:, None]
    product = int8_product(matrix)
    together = product(values)
    assert all(torch.equal(product(values[place : place + 1])[0], together[place]) for place in range(33))


def test_the_end_of_a_block_is_close_to_the_one_in_fp32() -> None:
    draw = torch.Generator().manual_seed(4)
    out, down = (torch.randn(64, inputs, generator=draw) * 0.1 for inputs in (64, 128))
    gain, gate_up = torch.rand(64, generator=draw) + 0.5, torch.randn(2, 128, 64, generator=draw) * 0.1
    stream, attended = (torch.randn(9, 64, generator=draw) for _ in range(2))
    wanted = BlockEnd.of(out, gain, gate_up, down)(stream.clone(), attended)
    found = int8_block_end(out, gain, gate_up, down)(stream.clone(), attended)
    assert distance(found - stream, wanted - stream) < 0.04


def test_a_gated_product_is_close_to_the_one_in_fp32() -> None:
    draw = torch.Generator().manual_seed(5)
    gate, up, values = (torch.randn(rows, 64, generator=draw) * 0.2 for rows in (128, 128, 6))
    assert distance(gated_product(gate, up, int8=True)(values), gated_product(gate, up)(values)) < 0.04


def test_an_engine_takes_int8_by_itself_and_by_name() -> None:
    assert chosen_types("auto", CPU) == chosen_types("int8", CPU) == NumberTypes(torch.float32, int8=True)
    assert Engine(random_model(3), precision="int8").dtype == torch.float32


def test_products_of_training_round_in_the_same_way() -> None:
    draw = torch.Generator().manual_seed(3)
    matrix, values = torch.randn(24, 64, generator=draw), torch.randn(7, 64, generator=draw)
    assert torch.allclose(rounded_product(matrix, values), int8_product(matrix)(values), atol=1e-4)
