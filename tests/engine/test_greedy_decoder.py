"""Decoding without the host: the same completions as with drafts, run step by step on a CPU."""

from itertools import islice

import pytest
import torch
from random_networks import random_model

from cwm_agent.engine.continuous_batching import Prompt
from cwm_agent.engine.engine import Engine
from cwm_agent.engine.greedy_decoder import GreedyDecoder
from cwm_agent.training.steps.copy_task import additions, copies

PROMPTS = [Prompt(each.query, each.context) for each in [*islice(copies(1), 7), *islice(additions(1), 7)]]


@pytest.mark.parametrize("stop", [None, 97])
def test_completions_are_those_of_drafts(stop: int | None) -> None:
    """For any number of tokens, more and fewer than one burst; rows end at different steps."""
    expected = Engine(random_model(3), precision="fp32")
    decoding = Engine(random_model(3), precision="fp32")
    decoding._decoder = GreedyDecoder(decoding.forward_pass)
    for most in (1, 3, 20):
        wanted = expected.complete(PROMPTS, max_tokens=most, stop=stop)
        found = decoding.complete(PROMPTS, max_tokens=most, stop=stop)
        assert [each.text for each in found] == [each.text for each in wanted]
        assert [each.tokens for each in found] == [each.tokens for each in wanted]
        assert [each.logprob for each in found] == pytest.approx([each.logprob for each in wanted], abs=1e-3)


def test_a_row_decodes_as_it_does_alone() -> None:
    """Rows of a bucket that are not in use, or have ended, change nothing."""
    engine = Engine(random_model(5), precision="fp32")
    engine._decoder = GreedyDecoder(engine.forward_pass)
    together = engine.complete(PROMPTS, max_tokens=20)
    alone = [engine.complete([prompt], max_tokens=20)[0] for prompt in PROMPTS]
    assert [each.text for each in alone] == [each.text for each in together]


@pytest.mark.skipif(torch.cuda.is_available(), reason="recording works there")
def test_without_graphs_decoding_says_so_once_and_goes_on() -> None:
    """A device that records no graphs gives a warning of one line, and the same completions."""
    engine = Engine(random_model(3), precision="fp32")
    expected = engine.complete(PROMPTS[:3], max_tokens=9)
    engine._decoder = GreedyDecoder(engine.forward_pass, graphs=True)
    with pytest.warns(UserWarning, match="No CUDA graphs on this device"):
        found = engine.complete(PROMPTS[:3], max_tokens=9)
    assert [each.text for each in found] == [each.text for each in expected]
