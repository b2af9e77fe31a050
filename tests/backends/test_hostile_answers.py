"""Answers that are proper HTTP and JSON and yet nonsense: each is Malformed or taken without the nonsense."""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from contract_server import Contract, served, whole
from history_worlds import ODD_TEXTS, recorded
from swap_programs import swaps

from cwm_agent.oracles.backends.openai.completion_fields import text_of, token_chances, token_usage, written_text_of
from cwm_agent.oracles.backends.openai.few_shot_server_history import OpenAiPrompted
from cwm_agent.oracles.backends.openai.http_completions import Server
from cwm_agent.oracles.backends.openai.server_answer import Reply, parse_reply
from cwm_agent.oracles.backends.openai.server_history import OpenAiHistory, OpenAiSettings
from cwm_agent.oracles.backends.openai.server_writer import OpenAiWriter
from cwm_agent.oracles.history_protocol import HistoryQuery, Malformed
from cwm_agent.oracles.protocol import BackendFailed, UnknownOracle

FRAME = '<|line_sep|>{"a": ".."}<|action_sep|>    b, c = c, b\n'
ODD: list[Any] = [None, True, -1, 0, 1.5, 10**30, -(10**400), math.nan, math.inf, "7", "", "\ud800\x1b[31m", [], [None]]
ODD += [{}, {"text": {}}, [[[]]], {"": {"": 0}}]


def bodies() -> Iterator[tuple[str, Any]]:
    """Answers with one odd value at each place that is read."""
    good: dict[str, Any] = {
        "choices": [{"index": 0, "text": FRAME, "finish_reason": "stop", "logprobs": {"tokens": ["x"], "token_logprobs": [-1]}}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 7},
    }  # fmt: skip
    places: list[tuple[Any, ...]] = [
        *[("choices",), ("choices", 0), ("choices", 0, "text"), ("choices", 0, "index"), ("choices", 0, "finish_reason")],
        *[("choices", 0, "logprobs"), ("choices", 0, "logprobs", "tokens"), ("choices", 0, "logprobs", "token_logprobs")],
        *[("choices", 0, "logprobs", "tokens", 0), ("choices", 0, "logprobs", "token_logprobs", 0)],
        *[("choices", 0, "message"), ("choices", 0, "message", "content")],
        *[("usage",), ("usage", "prompt_tokens"), ("usage", "completion_tokens"), ("error",), ("tokens",)],
    ]  # fmt: skip
    for place in places:
        for value in ODD:
            body = json.loads(json.dumps(good))
            at = body
            for step in place[:-1]:
                at = at.setdefault(step, {}) if isinstance(at, dict) else at[step]
            at[place[-1]] = value
            yield f"{'.'.join(map(str, place))} = {str(value)[:20]!a}", body
    first, second = dict(good["choices"][0]), dict(good["choices"][0], index=1)
    yield "two choices", {**good, "choices": [first, second]}
    yield "choices out of order", {**good, "choices": [second, first]}
    yield "10,000 choices", {**good, "choices": [first] * 10_000}
    yield "another index alone", {**good, "choices": [second]}


BODIES = dict(bodies())


class Scripted(Server):
    """A server in this process that answers every request with the same body."""

    said: bytes = b""

    def post(self, path: str, body: Mapping[str, Any]) -> Reply:
        return parse_reply(self.said)


def test_odd_answers_never_raise_and_never_cost_nonsense(monkeypatch: pytest.MonkeyPatch) -> None:
    """All odd values at all places, one after the other, for each of the three clients."""
    [(program, real)] = swaps(1)
    query = HistoryQuery(program, real.frames[:1])
    settings, server = OpenAiSettings("tiny"), Scripted("http://localhost/v1")
    monkeypatch.setattr(Scripted, "said", json.dumps({"choices": [{"text": FRAME}]}).encode())
    clients = [OpenAiHistory(settings, server), OpenAiPrompted(settings, server)]
    writer = OpenAiWriter(settings, server)
    for name, body in BODIES.items():
        monkeypatch.setattr(Scripted, "said", json.dumps(body).encode())
        for client in clients:
            before = client.spending.read + client.spending.written
            [found] = client.continue_([query])
            spent = client.spending.read + client.spending.written - before
            assert 0 <= spent < 2 * 10**9, name
            assert found.tokens == spent, name
            assert found.logprob is None or -math.inf < found.logprob <= 0.0, name
        assert all(isinstance(each.text, str) for each in writer.write("p", 1, 0)), name


@pytest.mark.parametrize("name", ["two choices", "choices out of order", "10,000 choices", "another index alone"])
def test_an_answer_of_several_choices_is_none(name: str) -> None:
    assert text_of(Reply(BODIES[name])) is None
    assert written_text_of(Reply(BODIES[name])) is None


@pytest.mark.parametrize("count", [-1, 10**9, 10**30, True, 1.0, math.nan, "5", None, [5]])
def test_nonsense_about_usage_is_estimated(count: Any) -> None:
    reply = Reply({"usage": {"prompt_tokens": count, "completion_tokens": count}})
    assert token_usage(reply, "x" * 30, "y" * 9) == (10, 3)


@pytest.mark.parametrize(
    ("tokens", "chances", "expected"),
    [
        (["a"], [-0.5], [("a", -0.5)]),
        (["a"], [0.0001], [("a", 0.0)]),
        (["a"], [5.0], []),
        (["a"], [-1, -2], []),
        (["a", "b"], [-1], []),
        (["a"], [True], []),
        (["a"], [None], []),
        (["a"], ["-1"], []),
        (["a"], [math.nan], []),
        (["a"], [-math.inf], []),
        (["a"], [-(10**400)], []),
        ([1], [-1], []),
        ("a", [-1], []),
    ],
)
def test_log_probabilities_count_where_all_are_proper(tokens: Any, chances: Any, expected: Any) -> None:
    assert token_chances(Reply({"choices": [{"logprobs": {"tokens": tokens, "token_logprobs": chances}}]})) == expected


@pytest.mark.parametrize("ids", [[], [1, 2], [-1], [2**31], [True], ["1"], [None], "1", {}, None, [1] * 10_000])
def test_token_ids_that_are_none_end_the_command_in_one_sentence(ids: Any) -> None:
    """The probe saw proper ids; a program that spells a special token then needs them."""
    program, real = recorded(ODD_TEXTS, "'s'")
    contract = Contract()
    with served(contract) as url:
        oracle = OpenAiHistory(OpenAiSettings("tiny", url), Server(url, 20.0, 0))
        contract.odd = lambda body: (200, json.dumps({"tokens": ids}).encode()) if "stop" not in body else None
        with pytest.raises(BackendFailed, match=r"stopped saying the token ids|has no single token for"):
            oracle.continue_([HistoryQuery(program, real.frames[:1])])


@pytest.mark.parametrize("name", [name for name in BODIES if name.startswith(("choices", "error", "usage = "))])
def test_a_probe_of_odd_answers_ends_in_one_sentence_or_an_oracle(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scripted, "said", json.dumps(BODIES[name]).encode())
    try:
        OpenAiHistory(OpenAiSettings("tiny"), Scripted("http://localhost/v1"))
    except BackendFailed as failed:
        assert "http://localhost/v1" in str(failed)


def test_a_page_with_control_characters_is_malformed() -> None:
    [(program, real)] = swaps(1)
    contract = Contract([whole(program, real)])
    with served(contract) as url:
        oracle = OpenAiHistory(OpenAiSettings("tiny", url), Server(url, 20.0, 0))
        contract.odd = lambda body: (200, b"<html>\x1b]0;owned\x07</html>")
        [found] = oracle.continue_([HistoryQuery(program, real.frames[:1])])
    assert isinstance(found.said, Malformed)
    assert found.said.reason.startswith("an answer that is no JSON")


@pytest.mark.parametrize("settings", ["timeout=nan", "timeout=inf", "timeout=-1", "timeout=1e9", "price_in=nan", "money=-1&price_in=1", "money=nan&price_in=1"])  # fmt: skip
def test_settings_that_switch_a_limit_off_are_refused(settings: str) -> None:
    with pytest.raises(UnknownOracle, match="must be"):
        OpenAiSettings.parse(f"m?{settings}")
