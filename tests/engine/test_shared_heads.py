"""Several heads of queries share one head of keys and values: the engine still computes what the network computes."""

from itertools import islice

import pytest
import torch
from random_networks import random_model

from cwm_agent.engine.decoding.continuous_batching import Prompt
from cwm_agent.engine.engine import Engine
from cwm_agent.engine.network import count_parameters
from cwm_agent.engine.prefix_cache import bytes_per_token
from cwm_agent.engine.shape import shape_of_size
from cwm_agent.engine.tree_scoring import TreeScorer
from cwm_agent.training.exactness import judge
from cwm_agent.training.example import Example
from cwm_agent.training.steps.copy_task import additions, copies

EXAMPLES = [*islice(copies(1), 8), *islice(additions(1), 8)]
PROMPTS = [Prompt(example.query, example.context) for example in EXAMPLES]
SIZES = ("2x256x2", "2x256x4")


@pytest.mark.parametrize("size", SIZES)
def test_a_completion_is_the_first_choice_of_the_network_alone_and_in_a_batch(size: str) -> None:
    engine = Engine(random_model(1, size), precision="fp32")
    completions = engine.complete(PROMPTS, max_tokens=12)
    examples = [
        Example(prompt.context, prompt.text, completion.text, "k")
        for prompt, completion in zip(PROMPTS, completions, strict=True)
    ]
    for verdict in judge(random_model(1, size).network, examples, length=128, batch=8, dtype=torch.float32):
        assert verdict.decoded[: len(verdict.example.answer)] == verdict.example.answer
    alone = [engine.complete([prompt], max_tokens=12)[0] for prompt in PROMPTS]
    assert [each.text for each in alone] == [each.text for each in completions]


@pytest.mark.parametrize("size", SIZES)
def test_tree_scores_equal_the_scores_of_the_engine(size: str) -> None:
    model, answers = random_model(2, size), [b"", b"2 x=3", b"2 x=4", b"y=4"]
    engine, scorer = Engine(model, precision="fp32"), TreeScorer(model, precision="fp32")
    expected = [score.logprob for score in engine.score([Prompt(b"", b"1 x = 2\n")] * len(answers), answers)]
    assert scorer.score(scorer.encode(b"1 x = 2\n"), answers) == pytest.approx(expected, abs=1e-3)


def test_shared_heads_make_the_cache_smaller() -> None:
    whole, shared = shape_of_size("2x256"), shape_of_size("2x256x4")
    assert (whole.key_heads, shared.key_heads) == (4, 1)
    assert bytes_per_token(whole, 4) == 2 * bytes_per_token(shared, 4)
    assert count_parameters(random_model(0, "2x256x4").network) < count_parameters(random_model(0, "2x256").network)


@pytest.mark.parametrize("size", ["", "0", "65", "6x", "6x100", "6x512x3", "6x512x4x1", "x", "-3"])
def test_a_size_that_is_none_is_refused(size: str) -> None:
    with pytest.raises(ValueError, match=r"No size|multiple of|divide evenly"):
        shape_of_size(size)
