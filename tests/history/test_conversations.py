"""Texts that grow side by side say what a fresh reading of each would say, whoever waits, leaves or joins."""

from random import Random

import numpy as np
import pytest
import torch

from cwm_agent.engine.attention import AttentionLayout
from cwm_agent.engine.forward_pass import ForwardPass
from cwm_agent.engine.network import Network, shape_of_size
from cwm_agent.engine.token_streams import TokenStreams


@pytest.fixture(scope="module")
def network() -> Network:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    made = Network(shape_of_size("tiny"))
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    return made


def fresh(network: Network, text: list[int]) -> torch.Tensor:
    """Log-probabilities behind a text that is read whole."""
    places = torch.arange(len(text))[None].int()
    ones = torch.ones_like(places)
    with torch.inference_mode():
        logits = network(
            torch.tensor([text]), AttentionLayout(ones, ones, places, places), kernel="sdpa", dtype=torch.float32
        )
    return logits[0, -1].log_softmax(dim=-1)


def conversations(network: Network) -> TokenStreams:
    return TokenStreams(ForwardPass(network, dtype=torch.float32, device=torch.device("cpu")))


def agree(network: Network, found: TokenStreams, texts: list[list[int]]) -> None:
    for row, text in zip(found.chances(), texts, strict=True):
        np.testing.assert_allclose(row.numpy(), fresh(network, text).numpy(), atol=2e-4)


def test_rows_that_wait_leave_and_join_say_what_a_fresh_reading_says(network: Network) -> None:
    rng = Random(1)
    texts = [[rng.randrange(256) for _ in range(length)] for length in (6, 17, 9)]
    found = conversations(network)
    found.begin(texts)
    agree(network, found, texts)
    for _ in range(20):
        tokens = [rng.randrange(256) if rng.random() < 0.6 else None for _ in texts]
        found.extend(tokens)
        for text, token in zip(texts, tokens, strict=True):
            text += [] if token is None else [token]
    agree(network, found, texts)
    found.keep([2, 0])
    texts = [texts[2], texts[0], [5, 6, 7, 8, 9]]
    found.begin([texts[2]])
    found.extend([1, None, 2])
    texts[0].append(1)
    texts[2].append(2)
    agree(network, found, texts)


def test_rows_that_take_turns_leave_no_gaps(network: Network) -> None:
    """A row's memory is as long as its text, however often it waited."""
    texts = [[1, 2, 3, 4, 5], [3, 4, 5, 6, 7]]
    found = conversations(network)
    found.begin(texts)
    for turn in range(96):
        found.extend([turn % 256, None] if turn % 2 else [None, turn % 256])
        texts[1 - turn % 2].append(turn % 256)
    assert found.columns == max(map(len, texts))
    agree(network, found, texts)


def test_all_rows_may_leave_and_others_begin(network: Network) -> None:
    found = conversations(network)
    found.begin([[1]])
    found.keep([])
    assert len(found) == 0
    found.begin([[7, 8, 9, 10, 11]])
    agree(network, found, [[7, 8, 9, 10, 11]])
