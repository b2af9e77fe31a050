"""Completions from an OpenAI-compatible server over plain HTTP; knows no frame and no guide.

A request has one deadline for its whole answer and a limit on the answer's size. Failures that may pass (no connection,
timeouts, 408, 409, 429, 5xx) are retried with growing pauses; failures that will not pass (a wrong key, URL or model)
raise BackendFailed with what to do. The key comes from the environment, goes into one header and is written nowhere.
"""

import http.client
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit

from cwm_agent.oracles.protocol import BackendFailed

KEY = "OPENAI_API_KEY"
"""The environment variable that holds the key; a local server usually needs none."""
LARGEST_ANSWER = 4_000_000
"""Most bytes of an answer; a longer answer is rejected."""
_PASSING = (408, 409, 429, 500, 502, 503, 504)
_LONGEST_PAUSE = 8.0


@dataclass(frozen=True, slots=True)
class Reply:
    """A server's reply; `problem` says why it is no answer."""

    body: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Server:
    """A server's address, with timeout and retries."""

    url: str
    timeout: float = 120.0
    """Seconds for one whole answer."""
    retries: int = 5
    sleep: Callable[[float], None] = field(default=time.sleep, compare=False, repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BackendFailed(f"{self.url!r} is no address of a server. Write --base-url http://localhost:8000/v1.")
        if parts.username or parts.password:
            raise BackendFailed(
                f"The address of {parts.hostname} holds a key or a password. Put it into {KEY} instead."
            )

    def post(self, path: str, body: Mapping[str, Any]) -> Reply:
        """Return the reply to a request, with a `problem` if it is no answer; BackendFailed if the server fails."""
        data = json.dumps(body).encode()
        failure = ""
        for attempt in range(self.retries + 1):
            if attempt:
                self.sleep(min(_LONGEST_PAUSE, 0.5 * 2.0 ** (attempt - 1)))
            try:
                reply = self._post(path, data)
            except (OSError, http.client.HTTPException) as error:
                failure = f"{type(error).__name__}: {error}"
                continue
            if reply.status not in _PASSING:
                return reply
            failure = f"status {reply.status}{_said(reply.body)}"
        raise BackendFailed(
            f"The server at {self.url} did not answer in {self.retries + 1} attempts; the last ended with {failure}. "
            "Check that it runs and that --base-url is right, then run the same command again."
        )

    def _post(self, path: str, data: bytes) -> Reply:
        parts = urlsplit(self.url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=self.timeout)
        try:
            ends = time.monotonic() + self.timeout
            target = (path if path.startswith("//") else f"{parts.path.rstrip('/')}{path}").replace("//", "/", 1)
            connection.request("POST", target, data, _headers())
            return _read(connection.getresponse(), connection, ends)
        finally:
            connection.close()


def _headers() -> dict[str, str]:
    key = os.environ.get(KEY)
    return {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}


def _read(response: http.client.HTTPResponse, connection: http.client.HTTPConnection, ends: float) -> Reply:
    """Return the whole answer; a Reply with a problem if it is too long or too slow."""
    parts: list[bytes] = []
    size = 0
    while part := response.read1(1 << 16):
        parts.append(part)
        size += len(part)
        if size > LARGEST_ANSWER:
            return Reply(status=response.status, problem=f"an answer of more than {LARGEST_ANSWER} bytes")
        left = ends - time.monotonic()
        if left <= 0:
            return Reply(status=response.status, problem="an answer that did not end in time")
        if connection.sock is not None:
            connection.sock.settimeout(left)
    return _parsed(b"".join(parts), response.status)


def _parsed(data: bytes, status: int) -> Reply:
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        return Reply(status=status, problem=f"an answer that is no JSON: {str(error)[:100]}")
    if not isinstance(body, dict):
        return Reply(status=status, problem=f"an answer that is a JSON {type(body).__name__} and no object")
    return Reply(body, status)


def refuse(reply: Reply, server: Server, model: str) -> None:
    """Raise BackendFailed if the reply means that the server will refuse every request."""
    if reply.status < 400:
        return
    said = _said(reply.body)
    if reply.status in (401, 403):
        what = "did not accept the key" if os.environ.get(KEY) else "wants a key"
        raise BackendFailed(f"{server.url} {what} (status {reply.status}{said}). Set {KEY} to a valid one.")
    if reply.status == 404:
        raise BackendFailed(
            f"{server.url} has no such endpoint or no model {model!r}{said}. Check --base-url and the name."
        )
    raise BackendFailed(f"{server.url} refused a request for {model!r} with status {reply.status}{said}.")


def _said(body: Mapping[str, Any]) -> str:
    """Return the server's own error message, shortened."""
    found = body.get("error", body.get("detail", body.get("message", "")))
    if isinstance(found, dict):
        found = found.get("message", "")
    return f": {str(found)[:200]}" if found else ""


Q = TypeVar("Q")
A = TypeVar("A")


def at_once(ask: Callable[[Q], A], queries: Sequence[Q], most: int) -> list[A]:
    """Return the answer to each query, at most `most` asked at the same time; a single query uses no thread."""
    if len(queries) < 2:
        return [ask(query) for query in queries]
    with ThreadPoolExecutor(min(most, len(queries))) as pool:
        return list(pool.map(ask, queries))
