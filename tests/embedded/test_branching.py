"""Branches of one text: scored as the engine scores them, found as the network ranks them."""

import math

import pytest

from cwm_agent.engine import tree_scoring, weights
from cwm_agent.engine.continuous_batching import Prompt
from cwm_agent.engine.engine import Engine
from cwm_agent.engine.tree_scoring import TreeScoring

CONTEXT = b"1 x += 3\n2 y = x\n3 return y\n"
ANSWERS = [b"", b"2 x=3", b"2 x=4", b"y=4", b"hello world", b"2 x=3 and more"]


@pytest.fixture(scope="module")
def model() -> weights.TrainedModel:
    return weights.shipped("history")


def test_answers_are_scored_as_the_engine_scores_them(model: weights.TrainedModel) -> None:
    engine, branches = Engine(model, precision="fp32"), TreeScoring(model, precision="fp32")
    expected = [score.logprob for score in engine.score([Prompt(b"", CONTEXT)] * len(ANSWERS), ANSWERS)]
    assert branches.score(branches.read(CONTEXT), ANSWERS) == pytest.approx(expected, abs=1e-3)


def test_batches_do_not_change_the_scores(model: weights.TrainedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    branches = TreeScoring(model, precision="fp32")
    trunk = branches.read(CONTEXT)
    together = branches.score(trunk, ANSWERS)
    monkeypatch.setattr(tree_scoring, "TOKENS_AT_ONCE", 4)
    assert branches.score(trunk, ANSWERS) == pytest.approx(together, abs=1e-4)


def test_a_beginning_is_as_likely_as_all_that_begin_so(model: weights.TrainedModel) -> None:
    branches = TreeScoring(model, precision="fp32")
    trunk = branches.read(CONTEXT)
    further = [b"2 x" + bytes([byte]) for byte in range(256)]
    whole, *rest = branches.score(trunk, [b"2 x", *further], whole=[True] + [False] * 256)
    [begun] = branches.score(trunk, [b"2 x"], whole=[False])
    marks = 1 - sum(map(math.exp, rest)) / math.exp(begun) - math.exp(whole - begun)
    assert abs(marks) < 0.01  # START, ASK and padding are next to impossible here


def test_a_beam_finds_answers_with_the_chances_that_scoring_gives_them(model: weights.TrainedModel) -> None:
    branches = TreeScoring(model, precision="fp32")
    trunk = branches.read(CONTEXT)
    found = branches.search(trunk, 8, limit=40)
    assert 0 < len(found) <= 8
    assert [branch.logprob for branch in found] == sorted((branch.logprob for branch in found), reverse=True)
    scored = branches.score(trunk, [branch.text for branch in found])
    assert scored == pytest.approx([branch.logprob for branch in found], abs=1e-3)


def test_a_wider_beam_finds_nothing_worse(model: weights.TrainedModel) -> None:
    branches = TreeScoring(model, precision="fp32")
    trunk = branches.read(CONTEXT)
    narrow, wide = (branches.search(trunk, width, limit=40) for width in (1, 16))
    assert wide[0].logprob >= narrow[0].logprob - 1e-4
