"""A server that keeps vLLM's contract on loopback: the fields its documentation names, answered by a replayed run.

It knows real runs and says what really came next, token by token of a made-up tokenizer: marks, and else single
characters. What it cannot answer so it leaves to a script of odd answers.
"""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cwm_agent.oracles.formats.meta_tokens import BEGIN, SPECIALS, prompt_text
from cwm_agent.oracles.history_protocol import HistoryQuery
from envs.execution.decompose.program import Program
from envs.execution.state.history_frames import History

TOKENS = [BEGIN, *SPECIALS.values()]


@dataclass
class Contract:
    """What the server knows and does."""

    texts: list[str] = field(default_factory=list)
    """Whole runs; a prompt that begins one is continued with the rest of it."""
    vllm: bool = True
    """Whether it has vLLM's extra fields; else it is a plain server that knows text only."""
    odd: Callable[[dict[str, Any]], tuple[int, bytes] | None] = lambda body: None
    """Answers that come first: status and bytes, or None for the ordinary one."""
    begins: bool = False
    """Whether it puts the first token before every text, as servers of Meta's models do; vLLM can be told not to."""
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def complete(self, body: dict[str, Any]) -> dict[str, Any]:
        prompt = body["prompt"]
        text = (
            prompt
            if isinstance(prompt, str)
            else "".join(chr(i) if i < 1_000_000 else TOKENS[i - 1_000_000] for i in prompt)
        )
        if self.begins and isinstance(prompt, str) and not (self.vllm and body.get("add_special_tokens") is False):
            text = BEGIN + text
        said = self._choice(body) or self._rest(text)
        tokens = list(_tokens(said))[: body["max_tokens"]]
        kept, reason = [], "length" if len(tokens) == body["max_tokens"] else "stop"
        for token in tokens:
            if token in body.get("stop", ()):
                reason = "stop"
                break
            kept.append(token)
        choice: dict[str, Any] = {"index": 0, "text": "".join(kept), "finish_reason": reason}
        if self.vllm and body.get("logprobs"):
            choice["logprobs"] = {
                "tokens": kept,
                "token_logprobs": [-0.125] * len(kept),
                "top_logprobs": [],
                "text_offset": [],
            }
        usage = {"prompt_tokens": len(list(_tokens(text))), "completion_tokens": len(tokens)}
        return {"object": "text_completion", "choices": [choice], "usage": usage}

    def _choice(self, body: dict[str, Any]) -> str | None:
        choices: Sequence[str] = (body.get("structured_outputs") or {}).get("choice", ()) if self.vllm else ()
        if not choices:
            return None
        rest = self._rest(body["prompt"]) if isinstance(body["prompt"], str) else ""
        return max(choices, key=lambda choice: (rest.startswith(choice), choice))

    def _rest(self, prompt: str) -> str:
        return next((text[len(prompt) :] for text in self.texts if text.startswith(prompt)), SPECIALS_LINE)


SPECIALS_LINE = next(text for text in SPECIALS.values() if "line" in text)


def _tokens(text: str) -> Iterator[str]:
    while text:
        mark = next((token for token in TOKENS if text.startswith(token)), text[0])
        yield mark
        text = text[len(mark) :]


def whole(program: Program, real: History) -> str:
    """A run as one text, its end included."""
    return prompt_text(HistoryQuery(program, real.frames)) + "<|end_of_text|>"


@contextmanager
def served(contract: Contract) -> Iterator[str]:
    """The address of a server that keeps a contract, as long as the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            contract.asked.append(body)
            contract.headers.append(dict(self.headers))
            status, data = contract.odd(body) or self._ordinary(body)
            self.send_response(status)
            self.end_headers()
            try:
                self.wfile.write(data)
            except OSError:
                pass  # the client has heard enough

        def _ordinary(self, body: dict[str, Any]) -> tuple[int, bytes]:
            if self.path == "/v1/completions":
                if not contract.vllm and not isinstance(body["prompt"], str):
                    return 400, b'{"detail": "prompt must be a string."}'
                return 200, json.dumps(contract.complete(body)).encode()
            if self.path == "/tokenize" and contract.vllm:
                ids = [1_000_000 + TOKENS.index(t) if t in TOKENS else ord(t) for t in _tokens(body["prompt"])]
                return 200, json.dumps({"tokens": ids, "count": len(ids)}).encode()
            return 404, b'{"error": {"message": "no such page"}}'

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
