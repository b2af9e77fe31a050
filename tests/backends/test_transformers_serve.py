"""`transformers serve` for real on loopback: found out, rolled out against, killed in mid-rollout and brought back."""

import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from swap_programs import swaps

from cwm_agent.imagination.history import HistoryRollout, HistorySettings, HistoryStart, imagine_histories
from cwm_agent.oracles.completions import Server
from cwm_agent.oracles.openai_compatible import OpenAiHistory, OpenAiSettings
from cwm_agent.oracles.protocol import BackendFailed

TRAINED = Path(__file__).parent.parent / "data" / "swap_cwm"
STARTED_WITHIN = 120.0
"""Seconds; on quiet cores it takes about ten."""


class Serving:
    """A server process that can be killed and started again at the same address."""

    def __init__(self, model: Path) -> None:
        self.model = model
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-c", "from transformers.cli.transformers import main; main()", "serve"]
        command += [
            str(self.model),
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
            "--device",
            "cpu",
            "--log-level",
            "error",
        ]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ends = time.monotonic() + STARTED_WITHIN
        while not self._answers():
            assert self._process.poll() is None, (
                "transformers serve ended at its start; is transformers[serving] there?"
            )
            assert time.monotonic() < ends, "transformers serve did not answer in time"

    def _answers(self) -> bool:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=1.0)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status < 500
        except OSError:
            try:
                assert self._process is not None
                self._process.wait(0.2)
            except subprocess.TimeoutExpired:
                pass
            return False
        finally:
            connection.close()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """The trained tiny model with its marks as ordinary tokens, since this server hides special ones."""
    model = tmp_path_factory.mktemp("served") / "swap_cwm"
    shutil.copytree(TRAINED, model, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    tokenizer = json.loads((model / "tokenizer.json").read_text())
    for token in tokenizer["added_tokens"]:
        token["special"] = token["content"] in ("<|begin_of_text|>", "<|end_of_text|>")
    (model / "tokenizer.json").write_text(json.dumps(tokenizer))
    server = Serving(model)
    server.start()
    yield server
    server.kill()


def rolled(oracle: OpenAiHistory, count: int) -> list[HistoryRollout]:
    starts = [HistoryStart(program, real.frames[0]) for program, real in swaps(count)]
    return imagine_histories(starts, oracle, HistorySettings(steps=20))


def test_a_server_killed_in_mid_rollout_and_brought_back_is_gone_on_with(serving: Serving) -> None:
    """The first pause of the second frame is when it comes back; and while it stays away, there is one clear error."""
    pauses: list[float] = []

    def bring_back(seconds: float) -> None:
        pauses.append(seconds)
        serving.start()

    settings = OpenAiSettings(str(serving.model), serving.url, concurrency=1, frame=80)
    oracle = OpenAiHistory(settings, Server(serving.url, timeout=60.0, retries=2, sleep=bring_back))
    assert oracle.name.endswith("(text only)")
    [first] = rolled(oracle, 1)
    assert first.frames == swaps(1)[0][1].frames, first.reason
    assert not pauses

    asked = oracle._server.post

    def post(path: str, body: dict[str, object]) -> object:
        if not pauses and "<|line_sep|>" in str(body["prompt"]):
            serving.kill()
        return asked(path, body)

    oracle._server = _Watched(oracle._server, post)  # type: ignore[assignment]
    [found] = rolled(oracle, 1)
    assert pauses == [0.5]
    assert found.frames == first.frames
    serving.kill()
    gone = Server(serving.url, timeout=5.0, retries=1, sleep=lambda seconds: None)
    with pytest.raises(BackendFailed, match="did not answer in 2 attempts"):
        OpenAiHistory(settings, gone)


class _Watched:
    """A server whose posts pass through a function first."""

    def __init__(self, server: Server, post: object) -> None:
        self.url, self.post = server.url, post
