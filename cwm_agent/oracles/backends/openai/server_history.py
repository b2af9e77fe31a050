"""A model behind an OpenAI-compatible server (vLLM, `transformers serve`, hosted ones) as a history oracle.

    openai:MODEL@URL[?timeout=120&retries=5&concurrency=8&frame=2000&tokens=N&money=M&price_in=P&price_out=Q]

The oracle probes the server's abilities at the start (`server_abilities.py`) and lists them in its name. The prompt
ends with the part of the frame that the guide decides: the event, or the whole action if only one is allowed. If
several lines are allowed, a server with `choice` chooses among them; with any other server the model's own line counts
when it is among them, and is Malformed otherwise. The state is always the model's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any
from urllib.parse import parse_qsl

from cwm_agent.oracles.backends.openai.api_key import KEY
from cwm_agent.oracles.backends.openai.completion_fields import ended, text_of, token_chances, token_usage
from cwm_agent.oracles.backends.openai.http_completions import Server, at_once, refuse
from cwm_agent.oracles.backends.openai.server_abilities import probe, tokenized
from cwm_agent.oracles.backends.openai.server_answer import Reply
from cwm_agent.oracles.formats.meta_tokens import (
    BEGIN,
    SPECIALS,
    closing,
    opening,
    prompt_ids,
    prompt_text,
    read_text,
    split_text,
)
from cwm_agent.oracles.history_protocol import ENDED, Action, Ended, HistoryPrediction, HistoryQuery, Malformed
from cwm_agent.oracles.protocol import BackendFailed, UnknownOracle
from cwm_agent.oracles.wrappers.token_allowance import TokenAllowance
from cwm_agent.views.history.frame_format import EVENT_MARKS, Mark
from envs.bounded_cache import MIB, bounded_cache
from envs.execution.state.frames import Event
from envs.execution.state.history_frames import HistoryFrame
from envs.execution.state.value_grammar import Unsupported

LONGEST_TIMEOUT = 86_400
"""Seconds."""
_FRAME, _ACTION, _END = SPECIALS[Mark.FRAME], SPECIALS[Mark.ACTION], SPECIALS[Mark.END]


@dataclass(frozen=True, slots=True)
class OpenAiSettings:
    """The model, its server, timeouts and retries, and the budget."""

    model: str
    url: str = "http://localhost:8000/v1"
    timeout: float = 120.0
    """Seconds for one whole answer."""
    retries: int = 5
    concurrency: int = 8
    """Requests under way at once."""
    frame: int = 2_000
    """Most tokens of a frame; a longer one is cut off."""
    tokens: int | None = None
    """Budget of tokens, read and written together."""
    money: float | None = None
    """Budget of money, in the currency of the prices."""
    price_in: float = 0.0
    """Price of a million tokens read."""
    price_out: float = 0.0
    """Price of a million tokens written."""
    prompt: str = "marks"
    """`marks`: Meta's special tokens; `examples`: plain text behind examples, for models without these tokens."""

    def __post_init__(self) -> None:
        if not self.model:
            raise UnknownOracle("openai: names no model. Write openai:MODEL and --base-url URL.")
        Server(self.url)  # raises if it is no address, or holds a password
        if self.prompt not in ("marks", "examples"):
            raise UnknownOracle(f"prompt={self.prompt!r} of openai:{self.model} is neither marks nor examples.")
        if not 0 < self.timeout <= LONGEST_TIMEOUT or self.concurrency < 1 or self.frame < 1 or self.retries < 0:
            raise UnknownOracle(
                f"timeout, concurrency and frame must be above 0, timeout at most {LONGEST_TIMEOUT}, and retries 0 or "
                "more."
            )
        if not all(0 <= number < math.inf for number in (self.money or 0.0, self.price_in, self.price_out)):
            raise UnknownOracle("money, price_in and price_out must be numbers of at least 0.")
        if self.money is not None and not (self.price_in or self.price_out):
            raise UnknownOracle("A budget in money needs prices: give price_in and price_out of a million tokens too.")

    @classmethod
    def parse(cls, text: str) -> "OpenAiSettings":
        """Parse the settings behind `openai:`."""
        place, _, tail = text.partition("?")
        model, _, url = place.partition("@")
        given: dict[str, Any] = {"url": url} if url else {}
        for key, value in parse_qsl(tail, keep_blank_values=True):
            if key not in {each.name for each in fields(cls)} - {"model", "url"}:
                known = ", ".join(
                    each.name for each in fields(cls)[2:]
                )  # the value might be a key, so the message does not repeat it
                raise UnknownOracle(f"{key!r} is no setting of openai:{model}. Use {known}; a key goes into {KEY}.")
            if key == "prompt":
                given[key] = value
                continue
            whole = key in ("retries", "concurrency", "frame", "tokens")
            try:
                given[key] = int(value) if whole else float(value)
            except ValueError:
                wanted = "whole number" if whole else "number"
                raise UnknownOracle(f"{key}={value!r} of openai:{model} is no {wanted}.") from None
        return cls(model, **given)


@dataclass(slots=True)
class _Saying:
    """A frame that the model is writing: its text so far, its log-probabilities and its cost."""

    query: HistoryQuery
    text: str = ""
    """The frame so far, given parts included."""
    logprob: float | None = 0.0
    action_logprob: float | None = None
    tokens: int = 0
    chances: list[tuple[str, float]] = field(default_factory=list)


class OpenAiHistory:
    """Continues histories through a server; many requests at once."""

    def __init__(self, settings: OpenAiSettings, server: Server | None = None) -> None:
        self._settings = settings
        self._server = server or Server(settings.url, settings.timeout, settings.retries)
        self._abilities = probe(self._server, settings.model)
        self.spending = TokenAllowance(settings.tokens, settings.money, settings.price_in, settings.price_out)
        self._encode = bounded_cache(16 * MIB, per_character=12)(self._tokenized)

    @classmethod
    def load(cls, text: str) -> "OpenAiHistory":
        """Return the oracle that `openai:...` names, after a probe of the server's abilities."""
        return cls(OpenAiSettings.parse(text))

    @property
    def name(self) -> str:
        return f"openai:{self._settings.model}@{self._settings.url} ({self._abilities.about})"

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        return at_once(self._next, queries, self._settings.concurrency)

    def _next(self, query: HistoryQuery) -> HistoryPrediction:
        try:
            begun = self._prompt(query)
        except Unsupported as error:
            return HistoryPrediction(Malformed("", str(error)))
        if not isinstance(begun, str) and any("<|" in action.text for action in query.allowed or ()):
            return HistoryPrediction(Malformed("", "a line that spells a special token, which cannot be given as text"))
        saying = _Saying(query)
        answer = self._spelt_event(saying, begun)
        return HistoryPrediction(answer, saying.logprob, saying.action_logprob, saying.tokens)

    def _spelt_event(self, saying: _Saying, begun: str | list[int]) -> HistoryFrame | Ended | Malformed:
        query = saying.query
        event = _only_event(query.allowed)
        if query.given is not None and event is not None:
            problem = self._given(saying, begun, query.given, event)
        elif self._abilities.choice and query.allowed is not None:
            problem = self._chosen(saying, begun, query.allowed, event)
        else:
            saying.text = opening(event) if event else ""
            problem = self._more(saying, begun, [_FRAME, _END])
        if problem is not None:
            return problem
        if self._abilities.logprobs and query.given is None and saying.action_logprob is None:
            saying.action_logprob = _action_chance(saying.chances)
        return self._read(saying)

    def _given(self, saying: _Saying, begun: str | list[int], action: Action, event: Event) -> Ended | Malformed | None:
        """Complete a frame whose action is given: the model writes the locals before it, or the value behind it."""
        saying.text = opening(event)
        if event in ("call", "line"):
            problem = self._more(saying, begun, [_ACTION, _FRAME, _END])
            saying.text = saying.text.removesuffix(_ACTION) + closing(event, action.text)
            return problem
        saying.text += closing(event, action.text)
        return self._more(saying, begun, [_FRAME, _END])

    def _chosen(
        self, saying: _Saying, begun: str | list[int], allowed: frozenset[Action], event: Event | None
    ) -> Ended | Malformed | None:
        """Complete a frame in three requests: the event, the locals, then one of the allowed lines."""
        saying.text = opening(event) if event else ""
        problem = self._more(saying, begun, [_ACTION, _FRAME, _END])
        answer = _event_of(saying.text)
        lines = sorted({action.text for action in allowed if action.event == answer})
        if problem is not None or not lines or answer is None:
            return problem or Malformed(
                saying.text[:2_000], f"a {answer or 'strange'} frame, which is not allowed here"
            )
        saying.text = saying.text.removesuffix(_ACTION) + _ACTION
        problem = self._more(saying, begun, ["\n", _FRAME], lines)
        saying.text = saying.text.removesuffix("\n")
        if problem is not None or answer in ("call", "line"):
            return problem
        saying.text = saying.text + closing(answer, "").removeprefix(_ACTION)
        return self._more(saying, begun, [_FRAME, _END])

    def _more(
        self, saying: _Saying, begun: str | list[int], stop: list[str], choices: Sequence[str] | None = None
    ) -> Ended | Malformed | None:
        """Let the model write up to one of the stop marks; return Malformed if the reply is no answer."""
        body: dict[str, Any] = {
            "model": self._settings.model,
            "prompt": self._continued(begun, saying.text),
            "max_tokens": self._settings.frame,
            "temperature": 0,
            "stop": stop,
            **dict(self._abilities.extra),
            **({"logprobs": 1} if self._abilities.logprobs else {}),
        }
        if choices is not None and self._abilities.choice:
            form = {"choice": list(choices)} if self._abilities.choice == "structured_outputs" else list(choices)
            body[self._abilities.choice] = form
        self.spending.check()
        reply = self._server.post("/completions", body)
        if is_full(reply):
            return Malformed("", "a history that fills the server's context; imagine fewer steps")
        refuse(reply, self._server, self._settings.model)
        text = text_of(reply)
        self._count(saying, reply, str(body["prompt"]), text or "")
        if reply.problem or text is None:
            return Malformed("", reply.problem or "an answer without a text")
        if not text and not saying.text and ended(reply):
            return self._empty(saying.query)
        saying.text += text
        return None

    def _empty(self, query: HistoryQuery) -> Ended | Malformed:
        """Return Ended for an empty answer where a run may end, since servers hide the end token; else Malformed."""
        return ENDED if query.frames[-1].event == "exception" else Malformed("", "an empty answer")

    def _count(self, saying: _Saying, reply: Reply, asked: str, text: str) -> None:
        read, written = token_usage(reply, asked, text)
        self.spending.add(read, written)
        saying.tokens += read + written
        chances = token_chances(reply)
        saying.chances += chances
        if not chances:
            saying.logprob = None
        elif saying.logprob is not None:
            saying.logprob += sum(chance for _, chance in chances)

    def _read(self, saying: _Saying) -> HistoryFrame | Ended | Malformed:
        found = read_text(saying.query, saying.text)
        allowed = saying.query.allowed
        if isinstance(found, HistoryFrame) and allowed is not None and Action(found.event, found.action) not in allowed:
            return Malformed(saying.text[:2_000], f"the line {found.action.strip()[:60]!r}, which is not allowed here")
        return found

    def _prompt(self, query: HistoryQuery) -> str | list[int]:
        try:
            text = prompt_text(query)
            return text.removeprefix(BEGIN) if self._abilities.begins else text
        except Unsupported:
            if not self._abilities.token_ids:
                raise
        marks = {mark: self._mark(text) for mark, text in SPECIALS.items()}
        return [*self._encode(BEGIN), *prompt_ids(query, self._harmless, marks)]

    def _mark(self, text: str) -> int:
        """Return the id of a special token."""
        ids = self._encode(text)
        if len(ids) != 1:
            raise BackendFailed(
                f"{self._settings.model} at {self._settings.url} has no single token for {text}. Use a model of the "
                "trace format, or ask it with ?prompt=examples."
            )
        return ids[0]

    def _continued(self, begun: str | list[int], text: str) -> str | list[int]:
        if isinstance(begun, str):
            return begun + text
        pieces = [SPECIALS[piece] if isinstance(piece, Mark) else piece for piece in split_text(text)]
        return [*begun, *(token for piece in pieces for token in self._encode(piece))]

    def _harmless(self, text: str) -> list[int]:
        """Return the ids of a text; what looks like a special token is split in two, so that it does not become one."""
        first, *others = text.split("<|")
        cut = [part for other in others for part in ("<", "|" + other)]
        return [token for part in (first, *cut) for token in self._encode(part)]

    def _tokenized(self, text: str) -> tuple[int, ...]:
        found = tokenized(self._server, self._settings.model, text) if text else []
        if found is None:
            raise BackendFailed(f"{self._settings.url} stopped saying the token ids of texts. Run the command again.")
        return tuple(found)


def _only_event(allowed: frozenset[Action] | None) -> Event | None:
    """Return the event if all allowed actions have the same one; else None."""
    events = {action.event for action in allowed or ()}
    return next((event for event in EVENT_MARKS if events == {event}), None)


def _event_of(text: str) -> Event | None:
    """Return the event with which a frame begins."""
    return next((event for event in EVENT_MARKS if text.startswith(opening(event))), None)


def _action_chance(chances: Sequence[tuple[str, float]]) -> float | None:
    """Return the log-probability of event and line among a frame's tokens; None if they cannot be told apart."""
    marks = [place for place, (token, _) in enumerate(chances) if token == _ACTION]
    if not chances or not marks:
        return None
    total = chances[0][1]
    for token, chance in chances[marks[0] + 1 :]:
        total += chance
        if token in (SPECIALS[Mark.ARG], _FRAME):
            break
    return total


def is_full(reply: Reply) -> bool:
    """Whether the server refused a prompt because it fills the context."""
    return reply.status == 400 and "context" in str(reply.body)[:2_000].lower()
