"""Checks of decoding on the device whose kernels run in Triton's interpreter; `test_greedy_decoder.py` starts them."""

from itertools import islice

import pytest
from random_networks import random_model

from cwm_agent.engine.accelerator.greedy_decoder import GreedyDecoder
from cwm_agent.engine.decoding.continuous_batching import Prompt
from cwm_agent.engine.engine import Engine
from cwm_agent.training.steps.copy_task import additions, copies

PROMPTS = [Prompt(each.query, each.context) for each in [*islice(copies(1), 2), *islice(additions(1), 2)]]


@pytest.mark.parametrize(("stop", "size"), [(None, "tiny"), (97, "tiny"), (None, "2x256x2")])
def test_completions_are_those_of_drafts(stop: int | None, size: str) -> None:
    """For fewer tokens than one turn and for more; rows end at different steps, and rows not in use change nothing."""
    expected, decoding = (Engine(random_model(3, size), precision="fp32") for _ in range(2))
    decoding._decoder = GreedyDecoder(decoding.forward_pass)
    for most in (3, 10):
        wanted = expected.complete(PROMPTS, max_tokens=most, stop=stop)
        found = decoding.complete(PROMPTS, max_tokens=most, stop=stop)
        assert [each.text for each in found] == [each.text for each in wanted]
        assert [each.tokens for each in found] == [each.tokens for each in wanted]
        assert [each.logprob for each in found] == pytest.approx([each.logprob for each in wanted], abs=1e-3)


def test_without_graphs_decoding_says_so_once_and_goes_on() -> None:
    expected = Engine(random_model(3), precision="fp32").complete(PROMPTS[:2], max_tokens=3)
    engine = Engine(random_model(3), precision="fp32")
    engine._decoder = GreedyDecoder(engine.forward_pass, graphs=True)
    with pytest.warns(UserWarning, match="No CUDA graphs on this device"):
        found = engine.complete(PROMPTS[:2], max_tokens=3)
    assert [each.text for each in found] == [each.text for each in expected]
