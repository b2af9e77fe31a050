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
from openai import OpenAI
from swap_programs import swaps

from cwm_agent import solve, study, verify
from cwm_agent.agent.episodes.episode import read
from cwm_agent.imagination.history_rollouts import HistoryRollout, HistorySettings, HistoryStart, imagine_histories
from cwm_agent.oracles.backends.openai.http_completions import Server
from cwm_agent.oracles.backends.openai.server_history import OpenAiHistory, OpenAiSettings
from cwm_agent.oracles.backends.openai.server_writer import OpenAiWriter
from cwm_agent.oracles.formats.meta_tokens import prompt_text, read_text
from cwm_agent.oracles.history_protocol import HistoryQuery
from cwm_agent.oracles.protocol import BackendFailed
from envs.execution.state.history_frames import History, HistoryFrame

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


def test_the_openai_client_hears_the_frames_that_the_oracle_hears(serving: Serving) -> None:
    """The client of OpenAI itself, frame by frame over the same address: whoever has it needs nothing of ours."""
    program, real = swaps(1)[0]
    client = OpenAI(base_url=serving.url, api_key="none", max_retries=0, timeout=60.0)
    frames = real.frames[:1]
    while len(frames) < len(real.frames):
        query = HistoryQuery(program, frames)
        said = client.completions.create(
            model=str(serving.model), prompt=prompt_text(query), max_tokens=80, temperature=0, stop=["<|frame_sep|>"]
        )
        found = read_text(query, said.choices[0].text)
        assert isinstance(found, HistoryFrame), found
        frames = (*frames, found)
    assert frames == real.frames
    oracle = OpenAiHistory(OpenAiSettings(str(serving.model), serving.url, frame=80))
    [rollout] = rolled(oracle, 1)
    assert rollout.frames == frames


def test_the_example_that_checks_a_server_finds_that_it_keeps_the_contract(serving: Serving) -> None:
    """The tiny model writes all frames of a swap program; whether they are right is another question."""
    script = Path(__file__).parents[2] / "docs" / "examples" / "check_server.py"
    command = [sys.executable, str(script), str(serving.model), serving.url]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split()[:2] for line in done.stdout.splitlines()[-3:]] == [
        ["free", "outcome"],
        ["cfg", "outcome"],
        ["forced", "outcome"],
    ]


def test_proposals_are_asked_of_it_by_completion_since_its_model_holds_no_chat(serving: Serving) -> None:
    server = Server(serving.url, timeout=60.0, retries=1, sleep=lambda seconds: None)
    writer = OpenAiWriter(OpenAiSettings(str(serving.model), serving.url, frame=10), server)
    assert len(writer.write("def f(a, b, c):", 2, 0)) == 2


def test_verify_study_and_solve_run_on_it_by_one_flag(
    serving: Serving, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On swap programs, which its model knows; the study's programs are too long for it, which it finds."""
    rows = [
        {"kind": "trace", "id": f"swaps-{at}", "source": program.source, "entry": "f", "arguments": arguments(real)}
        for at, (program, real) in enumerate(swaps(2))
    ]
    path = tmp_path / "swaps.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    here = ["--oracle", f"openai:{serving.model}?frame=60", "--base-url", serving.url]
    figures = tmp_path / "figures.json"
    assert verify.main([str(path), "--view", "history", "--guide", "free,cfg", "--json", str(figures), *here]) == 0
    assert [run["trace_exact"] for run in json.loads(figures.read_text())["runs"]] == [1.0, 1.0]
    program, real = swaps(1)[0]
    broken = {"kind": "repair", "id": "broken", "entry": "f", "source": program.source}
    broken["tests"] = [{"arguments": arguments(real), "expected": "[0, 0, 0]"}]
    path.write_text(json.dumps(broken) + "\n")
    budget = ["--budget-executions", "3", "--budget-steps", "0", "--jobs", "1", "--out", str(tmp_path / "solved")]
    assert solve.main([str(path), "--view", "history", *budget, *here]) == 1, "nothing repairs this"
    [episode] = read(tmp_path / "solved" / "episodes.jsonl")
    assert (episode.problem, episode.trusted) == ("", (True,)), "it was asked of the buggy program, and was right"
    assert study.main(["strings", "--quick", "--out", str(tmp_path / "study"), *here]) == 0
    assert "No cell was measured" in capsys.readouterr().out, "strings are studied in the local view alone"


def arguments(real: History) -> str:
    return ", ".join(text for _, text in real.frames[0].locals)


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
