"""Fuzzes what servers answer: each reply gives a prediction or text, or an OracleError that says what to do."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from benchmarks.fuzzers import small_worlds
from benchmarks.fuzzers.harness.fuzzer import Data, Fuzzer
from benchmarks.fuzzers.harness.mutations import ODD, changed_json, json_values
from cwm_agent.oracles.backends.openai.few_shot_server_history import OpenAiPrompted
from cwm_agent.oracles.backends.openai.http_completions import Server
from cwm_agent.oracles.backends.openai.server_answer import Reply
from cwm_agent.oracles.backends.openai.server_history import OpenAiHistory, OpenAiSettings
from cwm_agent.oracles.backends.openai.server_writer import OpenAiWriter
from cwm_agent.oracles.history_protocol import ENDED, Action, HistoryQuery, Malformed
from cwm_agent.oracles.protocol import OracleError
from envs.execution.state.history_frames import HistoryFrame

TEXTS = ["<|line_sep|>", "<|line_sep|>{}<|action_sep|>    t = 0\n", "line {} =>     t = 0", "quixotic", "", *ODD]
BODIES = [
    {"choices": [{"text": text, "finish_reason": "stop", "logprobs": {"tokens": [text], "token_logprobs": [-0.5]}}],
     "usage": {"prompt_tokens": 3, "completion_tokens": 2}} for text in TEXTS
] + [
    {"choices": [{"message": {"content": "```python\n```"}}]}, {"tokens": [1]}, {"error": {"message": "context"}},
]  # fmt: skip
STATUSES = [200, 400, 401, 403, 404, 405, 422, 501, 302, 0]


class ScriptedServer(Server):
    """A server whose replies are given; it opens no connection."""

    _replies: list[Reply]
    _sent: list[str]

    def __init__(self, replies: list[Reply]) -> None:
        super().__init__("http://localhost:1/v1")
        object.__setattr__(self, "_replies", replies)
        object.__setattr__(self, "_sent", [])

    def post(self, path: str, body: Mapping[str, Any]) -> Reply:
        self._sent.append(path)
        return self._replies[len(self._sent) % len(self._replies)]


def _replies() -> st.SearchStrategy[Data]:
    body = st.sampled_from(BODIES)
    objects = st.dictionaries(st.text(max_size=6), json_values(), max_size=3)
    bodies = body | changed_json(body, TEXTS).filter(lambda found: isinstance(found, dict)) | objects
    reply = st.tuples(bodies, st.sampled_from(STATUSES[:1] * 12 + STATUSES)).map(list)
    return st.lists(reply, min_size=1, max_size=4)


def _check(data: Data) -> str:
    replies = [Reply(body, status) for body, status in data]
    settings = OpenAiSettings.parse("model@http://localhost:1/v1")
    program, real = small_worlds.histories()[0]
    lines = frozenset({Action("line", "    t = 0"), Action("line", "    for x in xs:")})
    queries = [HistoryQuery(program, real.frames[:1], allowed) for allowed in (None, lines, frozenset(list(lines)[:1]))]
    words = []
    for make in (OpenAiHistory, OpenAiPrompted):
        try:
            oracle = make(settings, ScriptedServer(replies))
            for query in queries:
                answer = oracle.continue_([query])[0].said
                assert isinstance(answer, HistoryFrame | Malformed) or answer == ENDED
                words.append(type(answer).__name__)
        except OracleError as error:
            words.append(type(error).__name__)
    try:
        written = OpenAiWriter(settings, ScriptedServer(replies)).write("prompt", 1, 0)
        assert all(isinstance(each.text, str) for each in written)
        words.append("text" if written else "no text")
    except OracleError as error:
        words.append(type(error).__name__)
    return " ".join(words)


FUZZERS = (
    Fuzzer("server-replies", "a reply is a prediction, or an OracleError", _replies, _check, calls_per_character=2_000),
)
