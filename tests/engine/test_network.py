"""The network on packed rows."""

from itertools import islice

import numpy as np
import pytest
import torch
from random_networks import random_network

from cwm_agent.engine.attention import AttentionLayout, plain_mask, visited_blocks
from cwm_agent.engine.network import Network, count_parameters
from cwm_agent.engine.shape import MATRICES, shape_of_size
from cwm_agent.engine.tokenizer import BYTES
from cwm_agent.training.example import Example
from cwm_agent.training.objective import layout_of
from cwm_agent.training.packing import fill_rows, pack, step_length
from cwm_agent.training.steps.copy_task import additions


def packed(examples: list[Example], length: int) -> torch.Tensor:
    return torch.from_numpy(pack(examples, length, BYTES)[:, None])


def several_rows(length: int, rows: int) -> tuple[torch.Tensor, AttentionLayout]:
    groups = islice(fill_rows(additions(5), length), rows)
    return layout_of(torch.from_numpy(np.stack([pack(group, length, BYTES) for group in groups], axis=1)))


@torch.no_grad()
def logits_of(network: Network, fields: torch.Tensor) -> torch.Tensor:
    return network(*layout_of(fields), kernel="sdpa", dtype=torch.float32)[0]


def test_an_example_has_the_same_logits_alone_and_in_a_packed_row() -> None:
    """Attention, convolution and positions see nothing of other examples, except the own context."""
    network = random_network()
    examples = list(islice(additions(1), 6))
    assert len({example.context for example in examples}) > 1
    fields = packed(examples, 256)
    together = logits_of(network, fields)
    starts = torch.nonzero(fields[0, 0] == BYTES.start).flatten().tolist()
    for start, example in zip(starts, examples, strict=True):
        context, step = len(example.context), step_length(example)
        alone = logits_of(network, packed([example], 64))[context : context + step]
        torch.testing.assert_close(together[start : start + step], alone, atol=1e-4, rtol=1e-4)


def test_an_example_depends_on_its_context() -> None:
    network = random_network()
    one, other = (logits_of(network, packed([Example(c, b"q", b"a", "k")], 16)) for c in (b"abc", b"abd"))
    assert not torch.allclose(one[3:], other[3:])


def test_no_token_attends_to_later_ones() -> None:
    """Another answer leaves all logits before it unchanged."""
    network = random_network()
    one, other = (logits_of(network, packed([Example(b"", b"qq", a, "k")], 16)) for a in (b"xyz", b"xyw"))
    torch.testing.assert_close(one[:6], other[:6])


@pytest.mark.filterwarnings("ignore:flex_attention called without")
def test_both_attention_kernels_compute_the_same() -> None:
    """Block-sparse attention equals attention by an explicit mask."""
    network = random_network()
    tokens, layout = several_rows(256, 2)
    with torch.no_grad():
        plain = network(tokens, layout, kernel="sdpa", dtype=torch.float32)
        blocks = network(tokens, layout, kernel="flex", dtype=torch.float32)
    torch.testing.assert_close(blocks, plain, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("block", [16, 32, 64])
def test_exactly_the_needed_blocks_are_visited(block: int) -> None:
    """No needed block is missing, and no other is visited."""
    _, layout = several_rows(256, 3)
    blocks = 256 // block
    needed = plain_mask(layout).view(3, 1, blocks, block, blocks, block).any(dim=-1).any(dim=3)
    assert torch.equal(visited_blocks(layout, block), needed)


def test_rows_that_do_not_divide_into_blocks_are_refused() -> None:
    """The error names both lengths."""
    _, layout = several_rows(200, 1)
    with pytest.raises(ValueError, match="200 tokens do not divide into blocks of 128"):
        visited_blocks(layout)


@pytest.mark.parametrize(("size", "millions"), [("main", 17.9), ("small", 2.3), ("11", 19.7)])
def test_a_size_sets_the_number_of_parameters(size: str, millions: float) -> None:
    """Sizes have the numbers of parameters that the help states."""
    with torch.device("meta"):
        network = Network(shape_of_size(size))
    assert count_parameters(network) / 1e6 == pytest.approx(millions, abs=0.06)


@pytest.mark.parametrize("size", ["huge", "0", "65", "-3", ""])
def test_unknown_sizes_are_refused_with_the_choices(size: str) -> None:
    """The error says what may be chosen."""
    with pytest.raises(ValueError, match="Choose one of tiny, small, main"):
        shape_of_size(size)


@pytest.mark.parametrize("size", ["tiny", "2x256x2"])
def test_a_shape_knows_the_parameters_of_its_network(size: str) -> None:
    """Weights are read and checked without the network."""
    network = random_network(size=size)
    assert network.shape.parameters() == {name: tuple(each.shape) for name, each in network.state_dict().items()}
    matrices = {f"blocks.{layer}.{name}" for layer in range(network.shape.layers) for name in MATRICES}
    assert network.shape.matrix_numbers == sum(
        each.numel() for name, each in network.state_dict().items() if name in matrices
    )
