"""Guesses at what comes next: where they come from, and that they never change an answer."""

from itertools import islice

import pytest
from rough_networks import rough_model

from cwm_agent.engine import continuous_batching as answering_module
from cwm_agent.engine import speculative_decoding as drafts_module
from cwm_agent.engine.continuous_batching import Prompt
from cwm_agent.engine.engine import Engine
from cwm_agent.engine.speculative_decoding import DraftTokens
from cwm_agent.training.steps.copy_task import additions, copies

END = 259


def said(text: bytes) -> list[int]:
    return [*text, END]


def test_the_same_line_is_guessed_to_be_answered_alike() -> None:
    drafts = DraftTokens()
    drafts.learn(b"v0 = v1 + 1\nv1=3", said(b"v0=4"))
    assert drafts.guess(b"v0 = v1 + 1\nv1=8", [], 16) == said(b"v0=4")
    assert drafts.guess(b"v0 = v1 + 1\nv1=8", [], 3) == list(b"v0=")


def test_a_line_never_seen_is_guessed_to_bind_its_name() -> None:
    assert DraftTokens().guess(b"total = v1 + 1\nv1=8", [], 16) == list(b"total=")
    assert DraftTokens().guess(b"v1.append(2)\nv1=[]", [], 16) == []


@pytest.mark.parametrize(
    ("question", "so_far", "guess"),
    [
        pytest.param(b"v0 = v1\nv1='a house'", b"v0='a h", b"ouse'", id="copied from the question"),
        pytest.param(b"f(x)", b"v0=[0, 0, 0, 0", b", 0, 0, 0, 0, 0,", id="repeated from the answer"),
        pytest.param(b"f(x)", b"!TypeError('unsup", b"ported'", id="gone on as another answer did"),
        pytest.param(b"f(x)", b"qqqq", b"", id="no clue"),
    ],
)
def test_guesses_follow_what_stood_behind_the_same_bytes(question: bytes, so_far: bytes, guess: bytes) -> None:
    drafts = DraftTokens()
    drafts.learn(b"g(x)", list(b"!TypeError('unsupported'"))
    assert bytes(drafts.guess(question, list(so_far), 16)) == guess


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts_module, "LINES_KEPT", 2)
    monkeypatch.setattr(drafts_module, "CLUES_KEPT", 4)
    drafts = DraftTokens()
    for number in range(20):
        drafts.learn(b"line %d" % number, said(b"answer %d" % number))
    assert len(drafts._by_line) == 2
    assert len(drafts._by_clue) == 4
    assert drafts.guess(b"line 0", [], 16) == []


@pytest.mark.parametrize("longest", [0, 1, 5, 16])
def test_guesses_right_or_wrong_change_no_answer(monkeypatch: pytest.MonkeyPatch, longest: int) -> None:
    """The engine says the same when asked for the first time, again, and with misleading guesses, however long."""
    queries = [Prompt(each.query, each.context) for each in [*islice(copies(1), 8), *islice(additions(1), 8)]]
    plain = Engine(rough_model(), precision="fp32")
    monkeypatch.setattr(DraftTokens, "guess", lambda *_: [])
    expected = plain.answer(queries, limit=12)
    monkeypatch.undo()
    monkeypatch.setattr(answering_module, "LONGEST_GUESS", longest)
    engine = Engine(rough_model(), precision="fp32")
    engine.expect([b"something else altogether", expected[0].text + b"!"])
    for _ in range(2):
        found = engine.answer(queries, limit=12)
        assert [answer.text for answer in found] == [answer.text for answer in expected]
        assert [answer.tokens for answer in found] == [answer.tokens for answer in expected]
        assert [answer.logprob for answer in found] == pytest.approx([each.logprob for each in expected], abs=1e-3)
