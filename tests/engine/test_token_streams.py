"""Rows that grow token by token predict what a pass over each whole text predicts, while rows wait, leave or join."""

from random import Random

import numpy as np
import pytest
import torch

from cwm_agent.engine.attention import AttentionLayout
from cwm_agent.engine.decoding.token_streams import TokenStreams
from cwm_agent.engine.forward_pass import ForwardPass
from cwm_agent.engine.network import Network
from cwm_agent.engine.shape import shape_of_size


@pytest.fixture(scope="module")
def network() -> Network:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    made = Network(shape_of_size("tiny"))
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    return made


def whole_pass(network: Network, text: list[int]) -> torch.Tensor:
    """Log-probabilities behind a text that is computed in one pass."""
    places = torch.arange(len(text))[None].int()
    ones = torch.ones_like(places)
    with torch.inference_mode():
        logits = network(
            torch.tensor([text]), AttentionLayout(ones, ones, places, places), kernel="sdpa", dtype=torch.float32
        )
    return logits[0, -1].log_softmax(dim=-1)


def new_streams(network: Network) -> TokenStreams:
    return TokenStreams(ForwardPass(network, dtype=torch.float32, device=torch.device("cpu")))


def agree(network: Network, streams: TokenStreams, texts: list[list[int]]) -> None:
    for row, text in zip(streams.log_probs(), texts, strict=True):
        np.testing.assert_allclose(row.numpy(), whole_pass(network, text).numpy(), atol=2e-4)


def test_rows_that_wait_leave_and_join_predict_the_same_as_a_whole_pass(network: Network) -> None:
    rng = Random(1)
    texts = [[rng.randrange(256) for _ in range(length)] for length in (6, 17, 9)]
    streams = new_streams(network)
    streams.add_rows(texts)
    agree(network, streams, texts)
    for _ in range(20):
        tokens = [rng.randrange(256) if rng.random() < 0.6 else None for _ in texts]
        streams.append(tokens)
        for text, token in zip(texts, tokens, strict=True):
            text += [] if token is None else [token]
    agree(network, streams, texts)
    streams.keep_rows([2, 0])
    texts = [texts[2], texts[0], [5, 6, 7, 8, 9]]
    streams.add_rows([texts[2]])
    streams.append([1, None, 2])
    texts[0].append(1)
    texts[2].append(2)
    agree(network, streams, texts)


def test_rows_that_take_turns_leave_no_gaps(network: Network) -> None:
    """A row has as many columns as its text has tokens, no matter how often it waited."""
    texts = [[1, 2, 3, 4, 5], [3, 4, 5, 6, 7]]
    streams = new_streams(network)
    streams.add_rows(texts)
    for turn in range(96):
        streams.append([turn % 256, None] if turn % 2 else [None, turn % 256])
        texts[1 - turn % 2].append(turn % 256)
    assert streams.longest == max(map(len, texts))
    agree(network, streams, texts)


def test_all_rows_may_leave_and_others_join(network: Network) -> None:
    streams = new_streams(network)
    streams.add_rows([[1]])
    streams.keep_rows([])
    assert len(streams) == 0
    streams.add_rows([[7, 8, 9, 10, 11]])
    agree(network, streams, [[7, 8, 9, 10, 11]])
