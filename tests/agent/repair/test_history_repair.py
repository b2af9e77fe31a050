"""Repair in the history view: the trained tiny CWM finds the patch; beliefs, commands and failing backends."""

import json
from pathlib import Path

import pytest

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.episodes.episode import Episode
from cwm_agent.agent.repair.history_beliefs import HistoryImaginer, MeteredHistory, real_histories
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.oracles.history_registry import history_oracle_named
from cwm_agent.solve import main
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.history_recorder import Recorder
from tasks import CallTest, CodeTest, RepairTask

SWAP_CWM = Path(__file__).parents[2] / "data" / "swap_cwm"
SOURCE = "def f(a, b, c):\n    a, b = b, a\n    b, c = c, b\n    a, c = c, a\n    c, b = b, c\n    return [a, b, c]\n"
TASK = RepairTask(
    id="swaps",
    source=SOURCE,
    entry="f",
    tests=(CallTest("1, 2, 3", "[2, 1, 3]"), CallTest("7, 5, 9", "[5, 7, 9]")),
    hidden=(CallTest("4, 8, 6", "[8, 4, 6]"),),
)
"""One swap too many."""


def solved(task: RepairTask = TASK, guide: str = "free", **settings: object) -> Episode:
    chosen = Settings(view="history", guide=parse_guide(guide), **settings)  # type: ignore[arg-type]
    return Workplace(chosen).solve(RepairKind(), task)


def test_the_trained_model_imagines_the_repair_before_it_is_run() -> None:
    """The candidate that is run last was believed to pass; without imagination this budget is too small."""
    model = f"hf:{SWAP_CWM}:frame=32,device=cpu"
    episode = solved(oracle=model, budget=Budget(executions=6, edits=1, seconds=600.0), batch=24, patience=160)
    assert episode.problem == ""
    assert (episode.solved, episode.right) == (True, True)
    assert episode.trusted == (True, True)
    assert episode.runs[-1].beliefs == (True, True)
    assert episode.spent["tokens"] > 0


@pytest.mark.parametrize("guide", ["free", "cfg", "grounded"])
def test_replayed_real_runs_find_the_repair_with_the_first_candidate_run(guide: str) -> None:
    episode = solved(guide=guide, oracle="exact", ceiling=True)
    assert (episode.solved, episode.executions, episode.problem) == (True, 2, "")
    assert episode.spent["looks"] > 0


def test_programs_that_a_history_oracle_runs_are_charged() -> None:
    episode = solved(oracle="exact", budget=Budget(executions=60))
    assert episode.executions > 2


@pytest.mark.parametrize("oracle", ["none", "noisy:iid:action=0.5,state=0.5"])
def test_an_oracle_that_is_mostly_wrong_ends_with_an_episode(oracle: str) -> None:
    episode = solved(oracle=oracle, ceiling=True, budget=Budget(executions=4, steps=500), patience=48)
    assert episode.problem == ""
    assert episode.executions <= 4


@pytest.fixture(scope="module")
def imaginer() -> HistoryImaginer:
    sandbox = Sandbox()
    return HistoryImaginer(MeteredHistory(history_oracle_named("exact", real_histories(lambda: Recorder(sandbox)))))


@pytest.mark.parametrize(
    ("source", "test", "passes", "value"),
    [
        pytest.param("def f(x):\n    return x + 1\n", CallTest("1", "2"), True, "2", id="passes"),
        pytest.param("def f(x):\n    return x\n", CallTest("1", "2"), False, "1", id="fails"),
        pytest.param("def f(x):\n    return 1 // x\n", CallTest("0", "2"), False, "ZeroDivisionError", id="raises"),
        pytest.param("def f(x, y):\n    return x\n", CallTest("1", "2"), False, "TypeError", id="a call refused"),
        pytest.param("def f(x):\n    return x\n", CodeTest("assert f(1)"), None, "can only be run", id="code"),
        pytest.param("def f(*x):\n    return x\n", CallTest("1", "2"), None, "real run is not known", id="no name"),
        pytest.param("def g(x):\n    return x\n", CallTest("1", "2"), None, "No function 'f'", id="no entry"),
    ],
)
def test_a_belief_is_a_verdict_or_the_reason_why_it_is_unknown(
    imaginer: HistoryImaginer, source: str, test: CallTest, passes: bool | None, value: str
) -> None:
    [belief] = imaginer.beliefs([(source, "f", test)])
    assert belief.passes is passes
    assert value in belief.value


def test_the_command_solves_in_the_history_view_with_one_flag(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tmp_path / "swaps.jsonl"
    tests = [{"arguments": test.arguments, "expected": test.expected} for test in TASK.tests]
    rows.write_text(
        json.dumps({"kind": "repair", "id": "swaps", "source": SOURCE, "entry": "f", "tests": tests}) + "\n"
    )
    options = [str(rows), "--view", "history", "--oracle", "exact", "--ceiling", "--out", str(tmp_path / "out")]
    assert main([*options, "--jobs", "1"]) == 0, capsys.readouterr().err
    assert "solved               1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--oracle", "hf:x/y"], "Ask it with --view history"),
        (["--view", "history", "--oracle", "hf:nobody/nothing"], "hf download nobody/nothing"),
        (["--base-url", "http://localhost:1/v1"], "--base-url is for openai:MODEL"),
        (["--view", "history", "--guide", "forced"], "looks at the real run"),
        (["--view", "history", "--oracle", "openai:m?api_key=sk-1"], "a key goes into OPENAI_API_KEY"),
        (["--view", "history", "--oracle", "openai:m@http://u:sk-1@h/v1"], "Put it into OPENAI_API_KEY"),
        (["--edits", "model"], "belong together"),
        (["--edits-model", "hf:x"], "belong together"),
        (["--edits", "model", "--edits-model", "gpt"], "No language model named 'gpt'"),
    ],
)
def test_wrong_options_give_one_message_and_status_2(
    tmp_path: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wrong.py"
    path.write_text('def f(x):\n    """\n    >>> f(1)\n    2\n    """\n    return x\n')
    assert main([str(path), "--out", str(tmp_path / "out"), "--jobs", "1", *options]) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert "sk-1" not in shown
    assert not any("sk-1" in each.read_text() for each in tmp_path.rglob("*.json*"))


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("path", ["tasks/repair", "tasks/permutation"])
def test_a_backend_that_fails_ends_the_run_with_one_message_and_no_row(
    tmp_path: Path, path: str, jobs: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its tasks are not recorded as failed, so the same command resumes when the server is back."""
    gone = ["--oracle", "openai:m?retries=0", "--base-url", "http://127.0.0.1:9/v1"]
    options = [path, "--limit", "2", "--view", "history", "--jobs", jobs, "--out", str(tmp_path), *gone]
    assert main(options) == 2
    shown = capfd.readouterr().err
    assert "solve: The server at http://127.0.0.1:9/v1 did not answer" in shown
    assert "Traceback" not in shown
    assert not (tmp_path / "episodes.jsonl").exists()
