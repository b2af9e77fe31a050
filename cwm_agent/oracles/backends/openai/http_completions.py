"""Completions from an OpenAI-compatible server; knows no frame and no guide.

A request has one deadline for its whole answer and a limit on the answer's size (`bounded_network.py`). Failures that
may pass (no connection, timeouts, 408, 409, 429, 500, 502, 503, 504) are retried with growing pauses; failures that
will not pass (a wrong key, URL or model) raise BackendFailed with what to do.

Requests go to the given address and nowhere else: redirects are not followed, and proxies of the environment are not
used, so the key reaches no other host. The HTTP client is httpcore2, on which httpx2 and OpenAI's own client stand too:
it has neither redirects nor proxies of the environment, and takes a network of ours.
"""

import json
import logging
import os
import re
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpcore2

from cwm_agent.oracles.backends.openai.api_key import KEY, KeyFilter, api_key, message_without_key
from cwm_agent.oracles.backends.openai.bounded_network import BoundedNetwork, ExchangeLimits, TooManyBytes
from cwm_agent.oracles.backends.openai.server_answer import LARGEST_ANSWER, Reply, read_reply
from cwm_agent.oracles.protocol import BackendFailed

_PASSING = (408, 409, 429, 500, 502, 503, 504)
_LONGEST_PAUSE = 8.0
_LARGEST_HEAD = 200_000
"""Most bytes before the body: interim responses and headers."""
_FAILURES = (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError, OSError)

for _name in ("httpcore2.connection", "httpcore2.http11"):  # at level DEBUG they log what a server says
    logging.getLogger(_name).addFilter(KeyFilter())


@dataclass(frozen=True, slots=True)
class Server:
    """A server's address, with timeout and retries."""

    url: str
    timeout: float = 120.0
    """Seconds for one whole answer."""
    retries: int = 5
    sleep: Callable[[float], None] = field(default=time.sleep, compare=False, repr=False)

    def __post_init__(self) -> None:
        if "@" in self.url.partition("//")[2].partition("/")[0]:
            raise BackendFailed(f"The address of the server contains a key or a password. Put it into {KEY} instead.")
        try:
            self._address("")
        except ValueError:
            raise BackendFailed(
                f"{self.url!r} is no address of a server. Write --base-url http://localhost:8000/v1."
            ) from None

    def post(self, path: str, body: Mapping[str, Any]) -> Reply:
        """Return the reply to a request, with a `problem` if it is no answer; BackendFailed if the server fails.

        The path continues that of the server's address, or replaces it if it begins with two slashes.
        """
        headers = self._headers()
        data = json.dumps(body).encode()
        failure = ""
        for attempt in range(self.retries + 1):
            if attempt:
                self.sleep(min(_LONGEST_PAUSE, 0.5 * 2.0 ** (attempt - 1)))
            try:
                reply = self._exchange(path, headers, data)
            except _FAILURES as error:
                failure = _told(error, self.timeout)
                continue
            if reply.status not in _PASSING:
                return reply
            failure = f"status {reply.status}{_server_message(reply.body)}"
        raise BackendFailed(
            f"The server at {self.url} did not answer in {self.retries + 1} attempts; the last ended with {failure}. "
            "Check that it runs and that --base-url is right, then run the same command again."
        )

    def _headers(self) -> list[tuple[str, str]]:
        key = api_key()
        return [
            ("Host", urlsplit(self.url).netloc.encode("idna").decode()),
            ("Content-Type", "application/json"),
            ("Accept-Encoding", "identity"),
            ("Connection", "close"),
            *([("Authorization", f"Bearer {key}")] if key else []),
        ]

    def _exchange(self, path: str, headers: Sequence[tuple[str, str]], data: bytes) -> Reply:
        """Return the reply to one request over a connection of its own."""
        address = self._address(path)
        limits = ExchangeLimits(self.timeout, _LARGEST_HEAD)
        trusted = _certificates() if address.scheme == b"https" else None
        with (
            httpcore2.ConnectionPool(trusted, network_backend=BoundedNetwork(limits)) as pool,
            pool.stream("POST", address, headers=headers, content=data) as response,
        ):
            limits.allow(2 * LARGEST_ANSWER)  # with the sizes of its chunks
            return read_reply(response)

    def _address(self, path: str) -> httpcore2.URL:
        """Return the address of a request; ValueError if the server's address is none."""
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(self.url)
        target = path[1:] if path.startswith("//") else f"{parts.path.rstrip('/')}{path}"
        host = parts.hostname.encode("idna").decode()  # raises UnicodeError, a ValueError
        if not re.fullmatch("[!-~]*", target + host):
            raise ValueError(self.url)
        return httpcore2.URL(scheme=parts.scheme, host=host, port=parts.port, target=target)


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """Return the certificates of the system, or of SSL_CERT_FILE."""
    return ssl.create_default_context()


def _told(error: Exception, timeout: float) -> str:
    """Return a failure in words of ours: the client's own may repeat what the server sent."""
    if isinstance(error, httpcore2.TimeoutException):
        return f"no answer within {timeout:g} s"
    if isinstance(error, httpcore2.ConnectError):
        return f"no connection: {message_without_key(str(error))}"
    if isinstance(error, TooManyBytes):
        return f"more than {_LARGEST_HEAD} bytes before an answer"
    if isinstance(error, httpcore2.ProtocolError):
        return "an answer that is no HTTP, or that broke off"
    return "a connection that broke off"


def refuse(reply: Reply, server: Server, model: str) -> None:
    """Raise BackendFailed if the reply means that the server will refuse every request."""
    if 200 <= reply.status < 300:
        return
    answer = _server_message(reply.body)
    if reply.status in (401, 403):
        what = "did not accept the key" if os.environ.get(KEY) else "wants a key"
        raise BackendFailed(f"{server.url} {what} (status {reply.status}{answer}). Set {KEY} to a valid one.")
    if reply.status == 404:
        raise BackendFailed(
            f"{server.url} has no such endpoint or no model {model!r}{answer}. Check --base-url and the name."
        )
    if reply.status < 400:
        raise BackendFailed(
            f"{server.url} sends requests elsewhere (status {reply.status}), which is not followed. "
            "Give the final address with --base-url."
        )
    raise BackendFailed(f"{server.url} refused a request for {model!r} with status {reply.status}{answer}.")


def _server_message(body: Mapping[str, Any]) -> str:
    """Return the server's own error message in one line, shortened."""
    found = body.get("error", body.get("detail", body.get("message", "")))
    if isinstance(found, dict):
        found = found.get("message", "")
    return f": {' '.join(message_without_key(str(found)).split())[:200]}" if found else ""


Q = TypeVar("Q")
A = TypeVar("A")


def at_once(ask: Callable[[Q], A], queries: Sequence[Q], most: int) -> list[A]:
    """Return the answer to each query, at most `most` asked at the same time; a single query uses no thread."""
    if len(queries) < 2:
        return [ask(query) for query in queries]
    with ThreadPoolExecutor(min(most, len(queries))) as pool:
        return list(pool.map(ask, queries))
