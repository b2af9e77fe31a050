"""Reads a server's HTTP response into a `Reply`; whatever the server sends becomes a value, never an exception.

The texts of a reply are valid Unicode and do not contain the key.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpcore2

from cwm_agent.oracles.backends.openai.api_key import without_key
from cwm_agent.oracles.backends.openai.bounded_network import TooManyBytes

LARGEST_ANSWER = 4_000_000
"""Most bytes of an answer; a longer answer is rejected."""
MOST_PIECES = 10_000
"""Most pieces (chunks) in which an answer may arrive: each costs time, however small it is."""
DEEPEST_JSON = 50
"""Most lists and objects inside each other."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A server's reply; `problem` says why it is no answer."""

    body: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200
    problem: str = ""


class _TooDeep(ValueError):
    """JSON nested deeper than any answer."""


def read_reply(response: httpcore2.Response) -> Reply:
    """Return the whole answer; a Reply with a problem if it is too long, too slow or no JSON object."""
    codings = [value.strip().lower() for name, value in response.headers if name.lower() == b"content-encoding"]
    if any(coding not in (b"", b"identity") for coding in codings):
        return Reply(status=response.status, problem="a compressed answer, which was not asked for")
    parts: list[bytes] = []
    size = 0
    try:
        for part in response.iter_stream():
            parts.append(part)
            size += len(part)
            if size > LARGEST_ANSWER:
                raise TooManyBytes
            if len(parts) > MOST_PIECES:
                return Reply(status=response.status, problem=f"an answer in more than {MOST_PIECES} pieces")
    except TooManyBytes:
        return Reply(status=response.status, problem=f"an answer of more than {LARGEST_ANSWER} bytes")
    except httpcore2.TimeoutException:
        return Reply(status=response.status, problem="an answer that did not end in time")
    return parse_reply(b"".join(parts), response.status)


def parse_reply(data: bytes, status: int = 200) -> Reply:
    """Return the reply that a response's body is; one with a problem if it is no JSON object."""
    try:
        body = json.loads(data.decode("utf-8-sig"))
        if isinstance(body, dict):
            return Reply(_cleaned(body, DEEPEST_JSON), status)
    except (ValueError, RecursionError) as error:
        return Reply(status=status, problem=f"an answer that is no JSON: {str(error)[:100]}")
    return Reply(status=status, problem=f"an answer that is a JSON {type(body).__name__} and no object")


def _cleaned(value: Any, levels: int) -> Any:
    """Return a JSON value whose texts can be encoded and do not contain the key; _TooDeep if it is nested too deep."""
    if isinstance(value, str):
        return _cleaned_text(value)
    if not isinstance(value, dict | list):
        return value
    if not levels:
        raise _TooDeep(f"it is nested more than {DEEPEST_JSON} deep")
    if isinstance(value, list):
        return [_cleaned(each, levels - 1) for each in value]
    return {_cleaned_text(name): _cleaned(each, levels - 1) for name, each in value.items()}


def _cleaned_text(text: str) -> str:
    return without_key(text).encode(errors="replace").decode()
