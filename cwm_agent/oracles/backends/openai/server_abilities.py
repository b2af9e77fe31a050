"""Probes what a server can do beyond text in and text out; knows no program.

    marks        it shows the special tokens that the model writes; without them no frame can be parsed
    logprobs     it returns the log-probability of each token
    choice       it can restrict the answer to some texts, by the request field of that name
    token_ids    it takes prompts as token ids, and returns the ids of a text (`/tokenize`)
    begins       it puts the first token of all texts before a prompt by itself, so a prompt must not hold it too

Servers ignore fields they do not know, so an ability counts only when the answer proves it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from cwm_agent.oracles.backends.openai.completion_fields import is_count, text_of, token_chances
from cwm_agent.oracles.backends.openai.http_completions import Server, refuse
from cwm_agent.oracles.backends.openai.server_answer import Reply
from cwm_agent.oracles.formats.meta_tokens import SPECIALS, prompt_text
from cwm_agent.oracles.history_protocol import HistoryQuery
from cwm_agent.oracles.protocol import BackendFailed
from cwm_agent.views.history.frame_format import Mark
from envs.execution.decompose.program import plain
from envs.execution.state.history_frames import HistoryFrame

Choice = Literal["structured_outputs", "guided_choice"]
_SWAPS = "def f(a, b, c):\n    a, b = b, a\n    b, c = c, b\n    c, a = a, c\n    return [a, b, c]\n"
_CALL = HistoryFrame("call", "def f(a, b, c):", (1,), (("a", "1"), ("b", "2"), ("c", "3")))
_QUESTION = prompt_text(HistoryQuery(plain(_SWAPS, "f"), (_CALL,)))
"""The program of the probe; the smallest models know it."""
_WORD = "quixotic"
"""A text that no model would write here unless it is forced to."""
SHOWING: dict[str, Any] = {
    "skip_special_tokens": False,
    "spaces_between_special_tokens": False,
    "add_special_tokens": False,
}
"""Fields with which vLLM shows special tokens and adds none to a prompt; other servers ignore or refuse them."""
_LARGEST_ID = 1 << 31
_ADDED_TOKENS = 8


@dataclass(frozen=True, slots=True)
class Abilities:
    """The abilities that the probe found."""

    extra: tuple[tuple[str, Any], ...] = ()
    """Fields that every request carries."""
    logprobs: bool = False
    choice: Choice | None = None
    token_ids: bool = False
    begins: bool = False

    @property
    def about(self) -> str:
        """Return the abilities in words, for reports."""
        given = [
            word
            for word, there in (
                ("log-probabilities", self.logprobs),
                ("constrained choice", self.choice),
                ("token ids", self.token_ids),
            )
            if there
        ]
        return ", ".join(given) or "text only"


def probe(server: Server, model: str) -> Abilities:
    """Return what the server can do; raise BackendFailed if it cannot serve at all."""
    extra = _showing(server, model)
    return Abilities(
        tuple(extra.items()),
        _has_logprobs(server, model, extra),
        _choice(server, model, extra),
        _takes_ids(server, model, extra),
        begins=_begins(server, model, extra),
    )


def _asked(server: Server, model: str, **fields: Any) -> Reply:
    body = {"model": model, "prompt": _QUESTION, "max_tokens": 1, "temperature": 0, **fields}
    return server.post("/completions", body)


def _showing(server: Server, model: str) -> dict[str, Any]:
    """Return the fields that make special tokens visible. A model of the format begins a frame with one of them."""
    reply = _asked(server, model, **SHOWING)
    extra = SHOWING
    if reply.status in (400, 422):  # a server that refuses fields it does not know
        reply, extra = _asked(server, model), {}
    refuse(reply, server, model)
    if reply.problem:
        raise BackendFailed(f"{server.url} sent {reply.problem}. Is it an OpenAI-compatible server? Check --base-url.")
    text = text_of(reply)
    if text is None:
        raise BackendFailed(f"{server.url} sent an answer without choices. Is it an OpenAI-compatible server?")
    if not any(text.lstrip().startswith(mark) for mark in SPECIALS.values()):
        raise BackendFailed(
            f"{model} at {server.url} began a frame with {text[:20]!r} and not with a special token. Either it was not "
            "trained on the trace format (ask it with ?prompt=examples), or the server hides special tokens: "
            "docs/models.md says how to show them."
        )
    return extra


def _has_logprobs(server: Server, model: str, extra: Mapping[str, Any]) -> bool:
    reply = _asked(server, model, logprobs=1, **extra)
    return reply.status == 200 and bool(token_chances(reply))


def _choice(server: Server, model: str, extra: Mapping[str, Any]) -> Choice | None:
    """Return the field that forces a choice; the proof is a word that the model would not write otherwise."""
    forms: dict[Choice, Any] = {"structured_outputs": {"choice": [_WORD]}, "guided_choice": [_WORD]}
    for name, value in forms.items():
        reply = _asked(server, model, **{**extra, "max_tokens": 16, name: value})
        if reply.status == 200 and text_of(reply) == _WORD:
            return name
    return None


def _takes_ids(server: Server, model: str, extra: Mapping[str, Any]) -> bool:
    ids = tokenized(server, model, SPECIALS[Mark.FRAME])
    if ids is None or len(ids) != 1:
        return False
    reply = _asked(server, model, **{**extra, "prompt": ids})
    return reply.status == 200 and text_of(reply) is not None


def _begins(server: Server, model: str, extra: Mapping[str, Any]) -> bool:
    """Whether the server counts a prompt of one token as more than one."""
    usage = _asked(server, model, **{**extra, "prompt": SPECIALS[Mark.FRAME]}).body.get("usage")
    read = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    return is_count(read, 10**9) and read > 1


def tokenized(server: Server, model: str, text: str) -> list[int] | None:
    """Return the ids of a text, special tokens in it included; None if the server does not return them.

    A text has at most as many tokens as bytes; a few more are allowed for tokens that a tokenizer adds.
    """
    reply = server.post("//tokenize", {"model": model, "prompt": text, "add_special_tokens": False})
    found = reply.body.get("tokens")
    if reply.status != 200 or not isinstance(found, list) or len(found) > len(text.encode()) + _ADDED_TOKENS:
        return None
    return found if all(is_count(each, _LARGEST_ID) for each in found) else None
