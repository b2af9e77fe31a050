"""OpenAI-compatible servers: vLLM's contract, plain servers, budgets, keys, and every kind of hostile answer."""

import json
from typing import Any

import pytest
from contract_server import Contract, served, whole
from history_worlds import ODD_TEXTS, recorded
from swap_programs import swaps

from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.history_rollouts import HistoryRollout, HistorySettings, HistoryStart, imagine_histories
from cwm_agent.oracles.backends.openai.http_completions import Server
from cwm_agent.oracles.backends.openai.server_history import OpenAiHistory, OpenAiSettings
from cwm_agent.oracles.history_protocol import ENDED, Action, HistoryQuery, Malformed
from cwm_agent.oracles.history_registry import with_url
from cwm_agent.oracles.protocol import BackendFailed, OutOfBudget, UnknownOracle
from envs.execution.decompose.program import Program
from envs.execution.state.history_frames import History

Case = tuple[Program, History]


def oracle(url: str, *, retries: int = 0, timeout: float = 20.0, **settings: Any) -> OpenAiHistory:
    return OpenAiHistory(
        OpenAiSettings("tiny", url, **settings), Server(url, timeout, retries, sleep=lambda seconds: None)
    )


def rolled(asked: OpenAiHistory, cases: list[Case], guide: str) -> list[HistoryRollout]:
    starts = [HistoryStart(program, real.frames[0], real) for program, real in cases]
    return imagine_histories(starts, asked, HistorySettings(parse_guide(guide), steps=80))


@pytest.fixture
def cases() -> list[Case]:
    return swaps(3)


@pytest.mark.parametrize("vllm", [True, False], ids=["vllm", "plain"])
@pytest.mark.parametrize("guide", ["free", "cfg", "forced", "free+anchored:2"])
def test_a_server_that_knows_the_runs_rolls_them_out_under_every_guide(
    cases: list[Case], guide: str, vllm: bool
) -> None:
    with served(Contract([whole(*case) for case in cases], vllm)) as url:
        found = rolled(oracle(url), cases, guide)
    for each, (_, real) in zip(found, cases, strict=True):
        assert each.frames == real.frames, each.reason
        assert each.outcome == real.outcome
        assert each.tokens > 0
        assert (each.logprob < 0.0) == vllm


@pytest.mark.parametrize("vllm", [True, False], ids=["vllm", "plain"])
def test_the_first_token_stands_once_where_a_server_adds_it_by_itself(cases: list[Case], vllm: bool) -> None:
    """vLLM is told to leave it out; elsewhere the prompt's own is left out."""
    contract = Contract([whole(*case) for case in cases], vllm, begins=True)
    with served(contract) as url:
        [found] = rolled(oracle(url), cases[:1], "free")
    assert found.frames == cases[0][1].frames, found.reason
    sent = contract.asked[-1]
    assert sent["prompt"].startswith("<|begin_of_text|>") == vllm
    assert sent["add_special_tokens"] is False


def test_what_the_server_can_do_is_found_out_and_said(cases: list[Case]) -> None:
    with served(Contract(vllm=True)) as url:
        assert oracle(url).name == f"openai:tiny@{url} (log-probabilities, constrained choice, token ids)"
    with served(Contract(vllm=False)) as url:
        assert oracle(url).name == f"openai:tiny@{url} (text only)"


def test_a_program_that_spells_a_special_token_is_sent_as_ids_or_refused() -> None:
    program, real = recorded(ODD_TEXTS, "'s'")
    query = HistoryQuery(program, real.frames[:1])
    contract = Contract(vllm=True)
    with served(contract) as url:
        oracle(url).continue_([query])
    ids = contract.asked[-1]["prompt"]
    assert isinstance(ids, list)
    assert ids.count(1_000_000 + 1) == 2, "only the separators behind source and call are separators"
    with served(Contract(vllm=False)) as url:
        [found] = oracle(url).continue_([query])
    assert isinstance(found.said, Malformed)
    assert "spells a special token" in found.said.reason


def test_a_choice_among_lines_is_the_servers_where_it_can_and_checked_where_it_cannot(cases: list[Case]) -> None:
    program, real = cases[0]
    allowed = frozenset({Action("line", "    return [a, b, c]"), Action("line", "    x = 1")})
    query = HistoryQuery(program, real.frames[:1], allowed)
    with served(Contract([whole(program, real)], vllm=True)) as url:
        [chosen] = oracle(url).continue_([query])
    assert not isinstance(chosen.said, Malformed | str)
    assert chosen.said.action in {action.text for action in allowed}
    with served(Contract([whole(program, real)], vllm=False)) as url:
        [refused] = oracle(url).continue_([query])
    assert isinstance(refused.said, Malformed)
    assert "not allowed here" in refused.said.reason


def test_an_end_after_an_exception_is_an_end_and_elsewhere_an_empty_answer() -> None:
    program, real = recorded("def f(x):\n    return 1 // x\n", "0")
    raised = next(place for place, frame in enumerate(real.frames) if frame.event == "exception")
    with served(Contract([whole(program, real)], vllm=False)) as url:
        asked = oracle(url)
        [end] = asked.continue_([HistoryQuery(program, real.frames)])
        assert real.frames[-1].event in ("exception", "return")
        [after] = asked.continue_([HistoryQuery(program, real.frames[: raised + 1])])
    assert ENDED in (end.said, after.said)
    with served(Contract([whole(program, real).replace("<|exception_sep|>", "<|end_of_text|>")], vllm=False)) as url:
        [found] = oracle(url).continue_([HistoryQuery(program, real.frames[:raised])])
    assert isinstance(found.said, Malformed)
    assert found.said.reason == "an empty answer"


def text(said: str, **more: Any) -> bytes:
    return json.dumps({"choices": [{"text": said, "finish_reason": "stop", **more}]}).encode()


HOSTILE: dict[str, bytes] = {
    "empty": text(""),
    "empty body": b"",
    "no JSON": b"{'choices': ",
    "a list": b"[]",
    "no choices": b"{}",
    "choices of nothing": b'{"choices": []}',
    "a number for a text": b'{"choices": [{"text": 3}]}',
    "deep JSON": b"[" * 100_000,
    "another language": text("Here is the next frame of the program:"),
    "special tokens inside a string": text('<|line_sep|>{"a": "<|frame_sep|>"}<|action_sep|>    b, a = a, b\n'),
    "begin inside a frame": text('<|line_sep|>{"a": "1"}<|call_sep|>{}'),
    "no marks": text('{"a": "1"}'),
    "endless": text("<|line_sep|>" + "x" * 300_000),
    "10 MB": text("<|line_sep|>" + "y" * 10_000_000),
    "wrong usage": text("<|line_sep|>", usage={"prompt_tokens": -5}) + b" ",
    "not UTF-8": b'{"choices": [{"text": "\xff\xfe"}]}',
    "strange log-probabilities": text("<|line_sep|>{}", logprobs={"tokens": [1], "token_logprobs": "no"}),
}


@pytest.mark.parametrize("guide", ["free", "cfg", "forced"])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_answer_is_malformed(cases: list[Case], hostile: str, guide: str) -> None:
    contract = Contract([whole(*case) for case in cases])
    with served(contract) as url:
        asked = oracle(url)
        contract.odd = lambda body: (200, HOSTILE[hostile])
        for found in rolled(asked, cases[:2], guide):
            assert found.end == "malformed"
            assert found.reason


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (401, b'{"error": {"message": "expired"}}', "wants a key .*expired.* Set OPENAI_API_KEY"),
        (404, b'{"error": {"message": "no tiny"}}', "no model 'tiny'.*Check --base-url"),
        (418, b"{}", "refused a request for 'tiny' with status 418"),
        (503, b'{"detail": "busy"}', "did not answer in 1 attempts; the last ended with status 503: busy"),
        (200, b"<html>", "no JSON.*Check --base-url"),
        (200, b"{}", "without choices"),
        (200, text("def f"), "docs/models.md says how to show them"),
    ],
)
def test_a_server_that_cannot_serve_is_told_in_one_sentence(
    status: int, body: bytes, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with served(Contract(odd=lambda asked: (status, body))) as url, pytest.raises(BackendFailed, match=message):
        oracle(url)


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://x/v1", "http://user:secret@x/v1"])
def test_a_bad_address_is_refused_and_no_password_is_told(url: str) -> None:
    with pytest.raises(BackendFailed) as raised:
        Server(url)
    assert "secret" not in str(raised.value)


def test_no_server_is_one_clear_error() -> None:
    with served(Contract()) as url:
        pass
    with pytest.raises(BackendFailed, match="Check that it runs"):
        oracle(url, retries=2)


def test_what_may_pass_is_tried_again_with_growing_pauses(cases: list[Case]) -> None:
    pauses: list[float] = []
    contract = Contract([whole(*case) for case in cases])
    with served(contract) as url:
        asked = OpenAiHistory(OpenAiSettings("tiny", url), Server(url, 20.0, 5, sleep=pauses.append))
        troubles = iter([(503, b"{}"), (429, b"{}"), (500, b"oops")])
        contract.odd = lambda body: next(troubles, None)
        [found] = rolled(asked, cases[:1], "free")
    assert found.frames == cases[0][1].frames
    assert pauses == [0.5, 1.0, 2.0]


def test_the_key_goes_into_its_header_and_nowhere_else(cases: list[Case], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    contract = Contract([whole(*cases[0])])
    with served(contract) as url:
        asked = oracle(url)
        contract.odd = lambda body: (401, b'{"error": {"message": "expired"}}')
        with pytest.raises(BackendFailed, match="did not accept the key") as raised:
            rolled(asked, cases[:1], "free")
    assert contract.headers[0]["Authorization"] == "Bearer sk-very-secret"
    assert "sk-very-secret" not in f"{raised.value} {asked.name} {vars(asked)} {contract.asked}"


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"tokens": 900}, "All 900 tokens"), ({"money": 0.001, "price_in": 2.0}, "budget of 0.001")],
)
def test_a_spent_budget_ends_the_asking(cases: list[Case], settings: dict[str, Any], message: str) -> None:
    with served(Contract([whole(*case) for case in cases])) as url:
        asked = oracle(url, concurrency=1, **settings)
        with pytest.raises(OutOfBudget, match=message):
            rolled(asked, cases, "free")
        assert asked.spending.read > 0


def test_a_full_context_is_told(cases: list[Case]) -> None:
    contract = Contract([whole(*cases[0])])
    with served(contract) as url:
        asked = oracle(url)
        contract.odd = lambda body: (400, b'{"error": {"message": "maximum context length is 10 tokens"}}')
        [found] = rolled(asked, cases[:1], "free")
    assert found.reason == "a history that fills the server's context; imagine fewer steps"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("m", OpenAiSettings("m")),
        ("facebook/cwm@https://host/v1", OpenAiSettings("facebook/cwm", "https://host/v1")),
        ("m@http://h:1/v1?timeout=3&tokens=50", OpenAiSettings("m", "http://h:1/v1", timeout=3.0, tokens=50)),
        ("m?money=3&price_in=2", OpenAiSettings("m", money=3.0, price_in=2.0)),
    ],
)
def test_a_name_holds_all_settings(given: str, expected: OpenAiSettings) -> None:
    assert OpenAiSettings.parse(given) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "names no model"),
        ("m?colour=red", "'colour'"),
        ("m?tokens=many", "no whole number"),
        ("m?money=3", "needs prices"),
        ("m?timeout=0", "above 0"),
        ("m?prompt=nicely", "neither marks nor examples"),
    ],
)
def test_a_bad_setting_is_told(given: str, message: str) -> None:
    with pytest.raises(UnknownOracle, match=message):
        OpenAiSettings.parse(given)


def test_base_url_belongs_to_openai_alone() -> None:
    assert with_url("openai:m?tokens=3", "http://h/v1") == "openai:m@http://h/v1?tokens=3"
    assert with_url("exact", None) == "exact"
    with pytest.raises(UnknownOracle, match="--base-url is for openai:MODEL"):
        with_url("exact", "http://h/v1")
