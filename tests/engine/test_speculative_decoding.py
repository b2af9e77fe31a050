"""Draft tokens: where they come from, and that they never change a completion."""

from itertools import islice

import pytest
from random_networks import random_model

from cwm_agent.engine.decoding import continuous_batching, speculative_decoding
from cwm_agent.engine.decoding.acceptance_rates import AcceptanceRates, worthwhile_probability
from cwm_agent.engine.decoding.continuous_batching import Prompt
from cwm_agent.engine.decoding.speculative_decoding import NO_DRAFT, DraftProposer
from cwm_agent.engine.engine import Engine
from cwm_agent.training.steps.copy_task import additions, copies

END = 259


def tokens(text: bytes) -> list[int]:
    return [*text, END]


def test_the_same_line_gets_its_last_completion_as_draft() -> None:
    proposer = DraftProposer()
    proposer.learn(b"v0 = v1 + 1\nv1=3", tokens(b"v0=4"))
    assert proposer.propose(b"v0 = v1 + 1\nv1=8", [], 16).tokens == tokens(b"v0=4")
    assert proposer.propose(b"v0 = v1 + 1\nv1=8", [], 3).tokens == list(b"v0=")


def test_a_new_line_gets_the_name_it_assigns_as_draft() -> None:
    assert DraftProposer().propose(b"total = v1 + 1\nv1=8", [], 16).tokens == list(b"total=")
    assert DraftProposer().propose(b"v1.append(2)\nv1=[]", [], 16).tokens == []


@pytest.mark.parametrize(
    ("prompt", "output", "draft"),
    [
        pytest.param(b"v0 = v1\nv1='a house'", b"v0='a h", b"ouse'", id="copied from the prompt"),
        pytest.param(b"f(x)", b"v0=[0, 0, 0, 0", b", 0, 0, 0, 0, 0,", id="repeated from the output"),
        pytest.param(b"f(x)", b"!TypeError('unsup", b"ported'", id="continued like another completion"),
        pytest.param(b"f(x)", b"qqqq", b"", id="nothing similar"),
    ],
)
def test_drafts_are_what_followed_the_same_bytes(prompt: bytes, output: bytes, draft: bytes) -> None:
    proposer = DraftProposer()
    proposer.learn(b"g(x)", list(b"!TypeError('unsupported'"))
    assert bytes(proposer.propose(prompt, list(output), 16).tokens) == draft


def test_the_number_of_stored_completions_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speculative_decoding, "MAX_LINES", 2)
    monkeypatch.setattr(speculative_decoding, "MAX_NGRAMS", 4)
    proposer = DraftProposer()
    for number in range(20):
        proposer.learn(b"line %d" % number, tokens(b"answer %d" % number))
    assert len(proposer._by_line) == 2
    assert len(proposer._by_ngram) == 4
    assert proposer.propose(b"line 0", [], 16).tokens == []


@pytest.mark.parametrize("longest", [0, 1, 5, 16])
def test_drafts_right_or_wrong_change_no_completion(monkeypatch: pytest.MonkeyPatch, longest: int) -> None:
    """Completions are equal the first time, the second time, and with misleading drafts of any length."""
    prompts = [Prompt(each.query, each.context) for each in [*islice(copies(1), 8), *islice(additions(1), 8)]]
    plain = Engine(random_model(), precision="fp32")
    monkeypatch.setattr(DraftProposer, "propose", lambda *_: NO_DRAFT)
    expected = plain.complete(prompts, max_tokens=12)
    monkeypatch.undo()
    monkeypatch.setattr(continuous_batching, "MAX_DRAFT", longest)
    engine = Engine(random_model(), precision="fp32")
    engine.add_drafts([b"something else altogether", expected[0].text + b"!"])
    for _ in range(2):
        found = engine.complete(prompts, max_tokens=12)
        assert [completion.text for completion in found] == [completion.text for completion in expected]
        assert [completion.tokens for completion in found] == [completion.tokens for completion in expected]
        assert [completion.logprob for completion in found] == pytest.approx(
            [each.logprob for each in expected], abs=1e-3
        )


def test_many_rows_take_only_tokens_that_are_nearly_certain() -> None:
    """The same draft is checked whole by a single row, and up to its first uncertain token by a row among many."""
    rates = AcceptanceRates()
    for number in range(50):
        rates.observe("line", 6, 6 if number % 4 == 0 else 3)
    draft = list(b"v0=412")
    assert rates.worthwhile("line", draft, worthwhile_probability(1, 24)) == draft
    assert rates.worthwhile("line", draft, worthwhile_probability(64, 24)) == list(b"v0=")
    assert rates.worthwhile("line", [], 0.5) == []


def test_a_source_that_is_always_wrong_is_not_tried_among_many_rows() -> None:
    """Rates belong to one source: another source keeps its drafts."""
    rates = AcceptanceRates()
    for _ in range(50):
        rates.observe("completions 3", 4, 0)
    assert rates.worthwhile("completions 3", [1, 2, 3], 0.3) == []
    assert rates.worthwhile("prompt 6", [1, 2, 3], 0.3) == [1, 2, 3]
