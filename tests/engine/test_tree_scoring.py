"""Completions of one prompt: tree scores equal the engine's, and beam search finds what scoring ranks first."""

import math

import pytest

from cwm_agent.engine import tree_pass, tree_scoring, weights
from cwm_agent.engine.decoding.continuous_batching import Prompt
from cwm_agent.engine.engine import Engine
from cwm_agent.engine.tree_scoring import TreeScorer

CONTEXT = b"1 x += 3\n2 y = x\n3 return y\n"
COMPLETIONS = [b"", b"2 x=3", b"2 x=4", b"y=4", b"hello world", b"2 x=3 and more"]


@pytest.fixture(scope="module")
def model() -> weights.TrainedModel:
    return weights.shipped("history")


def test_tree_scores_equal_the_scores_of_the_engine(model: weights.TrainedModel) -> None:
    engine, scorer = Engine(model, precision="fp32"), TreeScorer(model, precision="fp32")
    expected = [score.logprob for score in engine.score([Prompt(b"", CONTEXT)] * len(COMPLETIONS), COMPLETIONS)]
    assert scorer.score(scorer.encode(CONTEXT), COMPLETIONS) == pytest.approx(expected, abs=1e-3)


def test_batches_do_not_change_the_scores(model: weights.TrainedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = TreeScorer(model, precision="fp32")
    prompt = scorer.encode(CONTEXT)
    together = scorer.score(prompt, COMPLETIONS)
    monkeypatch.setattr(tree_scoring, "MAX_TREE_TOKENS", 4)
    assert scorer.score(prompt, COMPLETIONS) == pytest.approx(together, abs=1e-4)


def test_blocks_of_attention_do_not_change_the_scores(
    model: weights.TrainedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer = TreeScorer(model, precision="fp32")
    together = scorer.score(scorer.encode(CONTEXT), COMPLETIONS)
    monkeypatch.setattr(tree_pass, "BLOCK", 3)
    assert scorer.score(scorer.encode(CONTEXT), COMPLETIONS) == pytest.approx(together, abs=1e-4)


def test_a_beginning_is_as_likely_as_all_completions_with_it(model: weights.TrainedModel) -> None:
    scorer = TreeScorer(model, precision="fp32")
    prompt = scorer.encode(CONTEXT)
    further = [b"2 x" + bytes([byte]) for byte in range(256)]
    whole, *rest = scorer.score(prompt, [b"2 x", *further], whole=[True] + [False] * 256)
    [beginning] = scorer.score(prompt, [b"2 x"], whole=[False])
    special = 1 - sum(map(math.exp, rest)) / math.exp(beginning) - math.exp(whole - beginning)
    assert abs(special) < 0.01  # START, ASK and padding are next to impossible here


def test_beam_search_gives_the_log_probabilities_that_scoring_gives(model: weights.TrainedModel) -> None:
    scorer = TreeScorer(model, precision="fp32")
    prompt = scorer.encode(CONTEXT)
    found = scorer.beam_search(prompt, 8, max_tokens=40)
    assert 0 < len(found) <= 8
    assert [each.logprob for each in found] == sorted((each.logprob for each in found), reverse=True)
    scored = scorer.score(prompt, [each.text for each in found])
    assert scored == pytest.approx([each.logprob for each in found], abs=1e-3)


def test_a_wider_beam_is_not_worse(model: weights.TrainedModel) -> None:
    scorer = TreeScorer(model, precision="fp32")
    prompt = scorer.encode(CONTEXT)
    narrow, wide = (scorer.beam_search(prompt, width, max_tokens=40) for width in (1, 16))
    assert wide[0].logprob >= narrow[0].logprob - 1e-4
