"""Any language model behind an OpenAI-compatible server as a history oracle, by examples in its prompt.

    openai:MODEL@URL?prompt=examples

The prompt and its lines are those of `plain_text_frames.py`; the model completes one line at a time. Where a guide
leaves one event, it is given; where it leaves one action, the model's values are taken and the action is put behind
them; of several lines the model's own counts if it is among them, and is Malformed if not.
"""

from collections.abc import Sequence

from cwm_agent.oracles.backends.openai.http_completions import Server, at_once, refuse
from cwm_agent.oracles.backends.openai.server_abilities import text_of
from cwm_agent.oracles.backends.openai.server_history import OpenAiHistory, OpenAiSettings, is_full, whole_number
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
    """The oracle that `openai:...` names: by special tokens, or by examples in plain text where that is asked for."""
    settings = OpenAiSettings.parse(text)
    return OpenAiPrompted(settings) if settings.prompt == "examples" else OpenAiHistory(settings)


class OpenAiPrompted:
    """Continues histories through a server whose model has never seen the trace format; many requests at once."""

    def __init__(self, settings: OpenAiSettings, server: Server | None = None) -> None:
        self._settings = settings
        self._server = server or Server(settings.url, settings.timeout, settings.retries)
        self.spending = TokenAllowance(settings.tokens, settings.money, settings.price_in, settings.price_out)
        self._completed("def", 1)  # a server that cannot serve says so now

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
        said, tokens = self._completed(prompt, self._settings.frame)
        found = said if isinstance(said, Malformed) else _read(query, given, said)
        return HistoryPrediction(found, tokens=tokens)

    def _completed(self, prompt: str, most: int) -> tuple[str | Malformed, int]:
        """The rest of a line, and what it cost; Malformed where what comes is no answer."""
        self.spending.check()
        model = self._settings.model
        body = {"model": model, "prompt": prompt, "max_tokens": most, "temperature": 0, "stop": ["\n"]}
        reply = self._server.post("/completions", body)
        if is_full(reply):
            return Malformed("", "a history that fills the server's context; imagine fewer steps"), 0
        refuse(reply, self._server, model)
        text = text_of(reply)
        usage = reply.body.get("usage")
        told = usage if isinstance(usage, dict) else {}
        read = whole_number(told.get("prompt_tokens"), len(prompt) // 3)
        written = whole_number(told.get("completion_tokens"), len(text or "") // 3)
        self.spending.add(read, written)
        if reply.problem or text is None:
            return Malformed("", reply.problem or "an answer without a text"), read + written
        return text, read + written


def _read(query: HistoryQuery, given: str, said: str) -> HistoryFrame | Ended | Malformed:
    """What a completed line says, with a single allowed action put in the place of the model's."""
    said = said.partition("\n")[0]
    action = query.given
    if action is not None:
        end = values_end(said)
        if end is None:
            return Malformed(said[:2_000], "no values with an arrow behind them")
        said = said[:end] + action.text
    found = read_line(query, given + said)
    allowed = query.allowed
    if isinstance(found, HistoryFrame) and allowed is not None and Action(found.event, found.action) not in allowed:
        return Malformed(said[:2_000], f"the line {found.action.strip()[:60]!r}, which is not allowed here")
    return found
