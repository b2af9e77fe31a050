"""Answers to a prompt from a model behind an OpenAI-compatible server, by chat where it has that, else by completion.

Each answer takes one request, since some servers ignore a request for several. Keys, timeouts, budgets and refusals are
those of `server_history.py`.
"""

from collections.abc import Mapping
from typing import Any

from cwm_agent.oracles.backends.openai.completion_fields import token_usage, written_text_of
from cwm_agent.oracles.backends.openai.http_completions import Server, at_once, refuse
from cwm_agent.oracles.backends.openai.server_answer import Reply
from cwm_agent.oracles.backends.openai.server_history import OpenAiSettings
from cwm_agent.oracles.protocol import BackendFailed
from cwm_agent.oracles.wrappers.token_allowance import TokenAllowance
from cwm_agent.oracles.writer_protocol import WrittenText

WARMTH = 0.8
"""Temperature of all answers but the first."""
_NO_SUCH_WAY = (400, 404, 405, 422, 501)
"""Status codes of servers that have no chat endpoint, or whose model has no chat template."""


class OpenAiWriter:
    """Writes through a server; several answers at once."""

    def __init__(self, settings: OpenAiSettings, server: Server | None = None) -> None:
        self._settings = settings
        self._server = server or Server(settings.url, settings.timeout, settings.retries)
        self._chats: bool | None = None
        self.spending = TokenAllowance(settings.tokens, settings.money, settings.price_in, settings.price_out)

    @classmethod
    def load(cls, text: str) -> "OpenAiWriter":
        """Return the writer that `openai:...` names; the first request goes out with the first `write`."""
        return cls(OpenAiSettings.parse(text))

    @property
    def name(self) -> str:
        return f"openai:{self._settings.model}@{self._settings.url}"

    def write(self, prompt: str, count: int, seed: int) -> list[WrittenText]:
        first = self._written(prompt, {"temperature": 0})
        drawn = [{"temperature": WARMTH, "seed": seed + number} for number in range(1, count)]
        others = at_once(lambda how: self._written(prompt, how), drawn, self._settings.concurrency)
        return [each for each in (first, *others) if each is not None]

    def _written(self, prompt: str, how: Mapping[str, Any]) -> WrittenText | None:
        """Return one answer; None if the reply holds none."""
        self.spending.check()
        reply = self._asked(prompt, {"model": self._settings.model, "max_tokens": self._settings.frame, **how})
        refuse(reply, self._server, self._settings.model)
        text = written_text_of(reply)
        read, written = token_usage(reply, prompt, text or "")
        self.spending.add(read, written)
        return None if text is None else WrittenText(text, read + written)

    def _asked(self, prompt: str, body: Mapping[str, Any]) -> Reply:
        if self._chats is not False:
            reply = self._chat(prompt, body)
            self._chats = reply is not None
            if reply is not None:
                return reply
        return self._server.post("/completions", {**body, "prompt": prompt})

    def _chat(self, prompt: str, body: Mapping[str, Any]) -> Reply | None:
        """Return the reply to a chat request; None if the server or its model has no chat."""
        try:
            reply = self._server.post("/chat/completions", {**body, "messages": [{"role": "user", "content": prompt}]})
        except BackendFailed:
            if self._chats:
                raise
            return None  # some servers fail if a model has no chat template; the next request shows whether it works
        return None if not self._chats and reply.status in _NO_SUCH_WAY else reply
