"""The key of a server: read from the environment, checked before it is sent, and removed from all that a server says.

A server knows the key and may repeat it, in an error or in an answer. Whatever it says therefore passes `without_key`
where it is read (`server_answer.py`), before it can reach a message, a log or an episode.
"""

import logging
import os
import re

from cwm_agent.oracles.protocol import BackendFailed

KEY = "OPENAI_API_KEY"
"""The environment variable that holds the key; a local server usually needs none."""
HIDDEN = "[key]"
"""Stands in place of the key."""
_SHORTEST_SECRET = 8
"""A shorter key is a placeholder such as EMPTY, which a program may contain: it is left in answers."""


def api_key() -> str | None:
    """Return the key, None if there is none; BackendFailed if a header cannot carry it."""
    key = os.environ.get(KEY)
    if key and not re.fullmatch("[!-~]+", key):
        raise BackendFailed(
            f"{KEY} contains a space, a line break or another character that no key has. Set it to the key alone."
        )
    return key or None


def without_key(text: str) -> str:
    """Return what a server says without the key."""
    key = os.environ.get(KEY, "")
    return text if len(key) < _SHORTEST_SECRET else text.replace(key, HIDDEN)


def message_without_key(text: str) -> str:
    """Return a server's message without the key; a placeholder is hidden too where it is a word of its own."""
    key = os.environ.get(KEY)
    return re.sub(rf"(?<![\w-]){re.escape(key)}(?![\w-])", HIDDEN, without_key(text)) if key else text


class KeyFilter(logging.Filter):
    """Removes the key from log records, for the loggers of the HTTP client."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = message_without_key(record.getMessage()), ()
        return True
