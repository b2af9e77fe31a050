"""Any language model behind an OpenAI-compatible server as a history oracle, by examples in its prompt.

    openai:MODEL@URL?prompt=examples

The prompt and its lines are those of `plain_text_frames.py`; the model completes one line at a time. If the guide
allows one event, the prompt gives it. If the guide allows one action, the oracle takes the model's values and appends
the action. If it allows several lines, the model's own line counts when it is among them, and is Malformed otherwise.
"""

from collections.abc import Sequence

from cwm_agent.oracles.backends.openai.completion_fields import text_of, token_usage
from cwm_agent.oracles.backends.openai.http_completions import Server, at_once, refuse
from cwm_agent.oracles.backends.openai.server_history import OpenAiHistory, OpenAiSettings, is_full
from cwm_agent.oracles.formats.plain_text_frames import END, frame_lines, head_text, read_line, values_end
from cwm_agent.oracles.history_protocol import (
    ENDED,
    Action,
    Ended,
    HistoryOracle,
    HistoryPrediction,
    HistoryQuery,
    Malformed,
)
from cwm_agent.oracles.wrappers.token_allowance import TokenAllowance
from envs.execution.state.history_frames import HistoryFrame


def openai_history(text: str) -> HistoryOracle:
    """Return the oracle that `openai:...` names: with special tokens, or plain-text examples if `prompt=examples`."""
    settings = OpenAiSettings.parse(text)
    return OpenAiPrompted(settings) if settings.prompt == "examples" else OpenAiHistory(settings)


class OpenAiPrompted:
    """Continues histories through a server whose model has never seen the trace format; many requests at once."""

    def __init__(self, settings: OpenAiSettings, server: Server | None = None) -> None:
        self._settings = settings
        self._server = server or Server(settings.url, settings.timeout, settings.retries)
        self.spending = TokenAllowance(settings.tokens, settings.money, settings.price_in, settings.price_out)
        self._completed("def", 1)  # fails here if the server cannot serve

    @property
    def name(self) -> str:
        return f"openai:{self._settings.model}@{self._settings.url} (by examples)"

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        return at_once(self._next, queries, self._settings.concurrency)

    def _next(self, query: HistoryQuery) -> HistoryPrediction:
        events = {action.event for action in query.allowed or ()}
        if events == {END}:
            return HistoryPrediction(ENDED)
        given = f"{events.pop()} " if len(events) == 1 else ""
        prompt = head_text(query) + "".join(frame_lines(query)) + given
        answer, tokens = self._completed(prompt, self._settings.frame)
        found = answer if isinstance(answer, Malformed) else _read(query, given, answer)
        return HistoryPrediction(found, tokens=tokens)

    def _completed(self, prompt: str, most: int) -> tuple[str | Malformed, int]:
        """Return the rest of a line and its tokens; Malformed if the server's reply is no answer."""
        self.spending.check()
        model = self._settings.model
        body = {"model": model, "prompt": prompt, "max_tokens": most, "temperature": 0, "stop": ["\n"]}
        reply = self._server.post("/completions", body)
        if is_full(reply):
            return Malformed("", "a history that fills the server's context; imagine fewer steps"), 0
        refuse(reply, self._server, model)
        text = text_of(reply)
        read, written = token_usage(reply, prompt, text or "")
        self.spending.add(read, written)
        if reply.problem or text is None:
            return Malformed("", reply.problem or "an answer without a text"), read + written
        return text, read + written


def _read(query: HistoryQuery, given: str, answer: str) -> HistoryFrame | Ended | Malformed:
    """Return the frame of a completed line; a single allowed action replaces the model's own."""
    answer = answer.partition("\n")[0]
    action = query.given
    if action is not None:
        end = values_end(answer)
        if end is None:
            return Malformed(answer[:2_000], "no values with an arrow behind them")
        answer = answer[:end] + action.text
    found = read_line(query, given + answer)
    allowed = query.allowed
    if isinstance(found, HistoryFrame) and allowed is not None and Action(found.event, found.action) not in allowed:
        return Malformed(answer[:2_000], f"the line {found.action.strip()[:60]!r}, which is not allowed here")
    return found
