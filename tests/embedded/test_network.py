"""Claims about the network on packed rows."""

from itertools import islice

import numpy as np
import pytest
import torch
from rough_networks import rough_network

from cwm_agent.engine.attention import AttentionLayout, plain_mask, visited_blocks
from cwm_agent.engine.network import Network, count_parameters, shape_of_size
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


def test_a_step_says_the_same_alone_and_among_others() -> None:
    """Neither attention nor convolution nor position lets another step leak in; only the own context does."""
    network = rough_network()
    examples = list(islice(additions(1), 6))
    assert len({example.context for example in examples}) > 1
    fields = packed(examples, 256)
    together = logits_of(network, fields)
    starts = torch.nonzero(fields[0, 0] == BYTES.start).flatten().tolist()
    for start, example in zip(starts, examples, strict=True):
        context, step = len(example.context), step_length(example)
        alone = logits_of(network, packed([example], 64))[context : context + step]
        torch.testing.assert_close(together[start : start + step], alone, atol=1e-4, rtol=1e-4)


def test_changing_the_context_changes_the_step() -> None:
    """A step does look at its context."""
    network = rough_network()
    one, other = (logits_of(network, packed([Example(c, b"q", b"a", "k")], 16)) for c in (b"abc", b"abd"))
    assert not torch.allclose(one[3:], other[3:])


def test_no_token_looks_ahead() -> None:
    """Another answer leaves all logits before it as they were."""
    network = rough_network()
    one, other = (logits_of(network, packed([Example(b"", b"qq", a, "k")], 16)) for a in (b"xyz", b"xyw"))
    torch.testing.assert_close(one[:6], other[:6])


@pytest.mark.filterwarnings("ignore:flex_attention called without")
def test_blocks_and_plain_mask_compute_the_same() -> None:
    """The accelerator's attention equals the explicit mask."""
    network = rough_network()
    tokens, layout = several_rows(256, 2)
    with torch.no_grad():
        plain = network(tokens, layout, kernel="sdpa", dtype=torch.float32)
        blocks = network(tokens, layout, kernel="flex", dtype=torch.float32)
    torch.testing.assert_close(blocks, plain, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("block", [16, 32, 64])
def test_exactly_the_blocks_with_something_to_see_are_visited(block: int) -> None:
    """No block is missed, none is visited in vain."""
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
def test_one_dial_sets_the_size(size: str, millions: float) -> None:
    """Sizes have the parameters that the help promises."""
    with torch.device("meta"):
        network = Network(shape_of_size(size))
    assert count_parameters(network) / 1e6 == pytest.approx(millions, abs=0.06)


@pytest.mark.parametrize("size", ["huge", "0", "65", "-3", ""])
def test_unknown_sizes_are_refused_with_the_choices(size: str) -> None:
    """The error says what may be chosen."""
    with pytest.raises(ValueError, match="Choose one of tiny, small, main"):
        shape_of_size(size)
