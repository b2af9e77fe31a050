"""Reads the fields of a completion: text, end, log-probabilities, usage. A field of a wrong type or size is absent."""

from collections.abc import Mapping
from typing import Any, TypeGuard

from cwm_agent.oracles.backends.openai.server_answer import Reply

_MOST_TOKENS = 10**9
_ROUNDING = 1e-3
"""A log-probability this far above 0 is 0, rounded by the server."""


def text_of(reply: Reply) -> str | None:
    """Return the text of an answer; None if there is none."""
    choice = _only_choice(reply)
    text = None if choice is None else choice.get("text")
    return text if isinstance(text, str) else None


def written_text_of(reply: Reply) -> str | None:
    """Return the text of a chat's answer, or of a completion; None if there is none."""
    choice = _only_choice(reply)
    message = None if choice is None else choice.get("message")
    text = message.get("content") if isinstance(message, dict) else text_of(reply)
    return text if isinstance(text, str) else None


def ended(reply: Reply) -> bool:
    """Whether the model ended the text itself and was not cut off."""
    choice = _only_choice(reply)
    return choice is not None and choice.get("finish_reason") == "stop"


def token_chances(reply: Reply) -> list[tuple[str, float]]:
    """Return the tokens of an answer with their log-probabilities; an empty list if the server gives none."""
    choice = _only_choice(reply)
    answer = None if choice is None else choice.get("logprobs")
    if not isinstance(answer, dict):
        return []
    tokens, chances = answer.get("tokens"), answer.get("token_logprobs")
    if not isinstance(tokens, list) or not isinstance(chances, list) or len(tokens) != len(chances):
        return []
    if not all(isinstance(token, str) for token in tokens) or not all(map(_is_chance, chances)):
        return []
    return [(token, min(0.0, float(chance))) for token, chance in zip(tokens, chances, strict=True)]


def token_usage(reply: Reply, asked: str, text: str) -> tuple[int, int]:
    """Return the tokens read and written; one for three characters where the server reports none or nonsense."""
    usage = reply.body.get("usage")
    told = usage if isinstance(usage, dict) else {}
    read, written = told.get("prompt_tokens"), told.get("completion_tokens")
    return (
        read if is_count(read, _MOST_TOKENS) else len(asked) // 3,
        written if is_count(written, _MOST_TOKENS) else len(text) // 3,
    )


def is_count(found: Any, end: int) -> TypeGuard[int]:
    """Whether a JSON value is a whole number from 0 to below `end`."""
    return isinstance(found, int) and not isinstance(found, bool) and 0 <= found < end


def _is_chance(found: Any) -> bool:
    """Whether a JSON value is a finite log-probability."""
    if isinstance(found, bool) or not isinstance(found, int | float):
        return False
    return -_MOST_TOKENS < found <= _ROUNDING  # False for NaN


def _only_choice(reply: Reply) -> Mapping[str, Any] | None:
    """Return the one choice of an answer; None if there is none, or several where one was asked for."""
    choices = reply.body.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        return None
    return choices[0] if choices[0].get("index", 0) == 0 else None
