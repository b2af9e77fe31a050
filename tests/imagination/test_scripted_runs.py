"""Whatever runs or imagines a call does so in the call's own world: seed, input lines, clock and files."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cwm_agent import imagine_call
from cwm_agent.agent.budget import Budget
from cwm_agent.agent.repair.history_beliefs import HistoryImaginer, real_histories
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.runner import run_tasks
from cwm_agent.agent.settings import Settings
from cwm_agent.debug import main as debug
from cwm_agent.imagination.history_rollouts import HistoryRollout
from cwm_agent.imagination.history_start import history_call
from cwm_agent.imagination.imagined_rollout import Rollout
from cwm_agent.oracles.history_registry import history_oracle_named
from cwm_agent.oracles.protocol import View
from cwm_agent.reports.run_folder import read_run
from cwm_agent.reports.run_page import run_report
from cwm_agent.studies.workbench import Workbench
from cwm_agent.verification.history_files import verify_histories
from envs.execution.decompose.program import Program, decomposed, plain
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.frames import Outcome
from envs.execution.state.history_frames import HistoryFrame
from envs.execution.text.source_values import world_of_rows
from envs.execution.tracer.history_recorder import Recorder, record
from envs.gym.trace_env import TraceEnv
from tasks import RepairTask, TraceTask
from tasks.rows import read_row
from tasks.scripted_world import world_from

SOURCE = """import random
import time

def f(n):
    with open('a.txt') as file:
        text = file.read()
    return [random.randint(1, n), input(), time.time(), text]
"""
WORLDS = [
    {"seed": 3, "inputs": ["Ada"], "clock": 5.0, "tick": 2.0, "files": {"a.txt": "one"}},
    {"seed": "four", "inputs": ["Bob", "Eve"], "clock": 9.0, "tick": 1.0, "files": {"a.txt": "two", "b.txt": ""}},
]
VALUES = ["[2, 'Ada', 5.0, 'one']", "[3, 'Bob', 9.0, 'two']"]
BOTH = pytest.mark.parametrize(("world", "value"), list(zip(WORLDS, VALUES, strict=True)), ids=["ada", "bob"])
VIEWS = pytest.mark.parametrize("view", ["local", "history"])


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as made:
        yield made


def task() -> RepairTask:
    """A repair task that adds one to the draw; its two tests differ in their worlds alone."""
    tests = [{"arguments": "6", "expected": value, "world": world} for world, value in zip(WORLDS, VALUES, strict=True)]
    wrong = SOURCE.replace("randint(1, n)", "randint(1, n) + 1")
    made = read_row({"kind": "repair", "id": "drawn", "source": wrong, "entry": "f", "tests": tests})
    assert isinstance(made, RepairTask)
    return made


@BOTH
@pytest.mark.parametrize("make", [plain, decomposed], ids=["plain", "decomposed"])
def test_the_first_frame_of_a_history_shows_the_sources(
    make: type[Program], world: dict[str, object], value: str
) -> None:
    """Text alone gives the real first frame, which says the whole world; later frames show variables only."""
    program = make(SOURCE, "f")
    real = record(program, "6", world=world)
    assert real.outcome.value == value
    assert history_call(program, "6", world=world) == real.frames[0]
    assert world_of_rows(real.frames[0].locals) == world
    assert not any(name.startswith("@") for frame in real.frames[1:] for name, _ in frame.locals)


@pytest.mark.parametrize("row", ["inputs(", "inputs(3, 0)", "inputs(('a',))", "inputs(os, 1)", "nothing", ""])
def test_a_row_that_no_source_has_gives_no_world(row: str) -> None:
    with pytest.raises(ValueError, match=r"no source|malformed"):
        world_of_rows((("@input", row),))


def test_a_replayed_history_needs_a_row_that_a_source_has(sandbox: Sandbox) -> None:
    """An oracle that replays real runs knows no run of a call whose source is malformed."""
    frame = history_call(plain(SOURCE, "f"), "6", world=WORLDS[0])
    assert isinstance(frame, HistoryFrame)
    rows = tuple((name, "inputs(" if name == "@input" else text) for name, text in frame.locals)
    tell = real_histories(lambda: Recorder(sandbox))
    assert tell(plain(SOURCE, "f"), frame) is not None
    assert tell(plain(SOURCE, "f"), HistoryFrame("call", frame.action, frame.lines, rows)) is None


def test_verification_in_the_history_view_tells_calls_apart_by_their_worlds(tmp_path: Path) -> None:
    rows = [
        {"kind": "trace", "id": f"t-{at}", "source": SOURCE, "entry": "f", "arguments": "6", "world": world}
        for at, world in enumerate(WORLDS)
    ]
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    [figures] = verify_histories(path, oracle="exact")
    assert (figures["programs"], figures["trace_exact"], figures["output_exact"]) == (2, 1.0, 1.0)


def test_tests_are_imagined_in_their_worlds_in_the_history_view(sandbox: Sandbox) -> None:
    imaginer = HistoryImaginer(history_oracle_named("exact", real_histories(lambda: Recorder(sandbox))))
    beliefs = imaginer.beliefs([(SOURCE, "f", test) for test in task().tests])
    assert [(belief.passes, belief.value) for belief in beliefs] == [(True, value) for value in VALUES]


@BOTH
@VIEWS
def test_the_debugger_imagines_and_runs_in_the_given_world(
    view: View, world: dict[str, object], value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "drawn.py"
    path.write_text(SOURCE)
    options = ["--call", "f(6)", "--oracle", "exact", "--view", view, "--world", json.dumps(world)]
    assert debug([str(path), *options, "-c", "continue; real"]) == 0
    shown = capsys.readouterr().out
    assert shown.count(value) >= 2
    assert "differ" not in shown.replace("no difference", "")


@pytest.mark.parametrize("text", ["{", "[1]", '{"seeds": 3}', '{"inputs": "Ada"}', "[" * 100_000])
def test_the_debugger_refuses_a_world_that_is_none(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        debug(["drawn.py", "--call", "f(6)", "--world", text])
    assert ended.value.code == 2
    assert "--world" in capsys.readouterr().err


@BOTH
@pytest.mark.parametrize("level", ["operations", "plain"])
def test_the_trace_environment_runs_a_call_in_its_world(
    level: str, world: dict[str, object], value: str, sandbox: Sandbox
) -> None:
    call = TraceTask("drawn", SOURCE, "f", "6", world=world_from(world))
    env = TraceEnv(tasks=[call], level=level, sandbox=sandbox)
    env.reset(seed=0)
    assert env.core.trace.outcome.value == value


@BOTH
@VIEWS
def test_studies_and_the_public_function_take_a_world(view: View, world: dict[str, object], value: str) -> None:
    with Workbench("exact") as bench:
        program = plain(SOURCE, "f") if view == "history" else decomposed(SOURCE, "f")
        assert bench.run(view, program, "6", world).outcome.value == value
    found = imagine_call(SOURCE, "f(6)", "exact", view=view, world=world)
    assert isinstance(found, Rollout | HistoryRollout)
    assert found.outcome == Outcome("returned", value)


def test_the_public_function_without_a_world_draws_with_the_seed_0() -> None:
    found = imagine_call("import random\ndef f():\n    return random.randint(1, 1000)", "f()", "exact")
    assert isinstance(found, Rollout)
    assert found.outcome == Outcome("returned", "865")


@VIEWS
def test_the_theatre_shows_real_runs_in_the_worlds_of_their_tests(view: View, tmp_path: Path) -> None:
    """An exact oracle and reality agree on every test, which they would not in another world."""
    settings = Settings(
        oracle="exact", view=view, ceiling=True, policy="none", budget=Budget(executions=6, steps=4_000)
    )
    run_tasks(RepairKind(), [task()], settings, tmp_path / "run")
    page = run_report(read_run(tmp_path / "run")).pages[0]
    assert [test["world"] for test in read_run(tmp_path / "run").episodes[0].details["tests"]] == WORLDS
    scenes = page["theatre"]["scenes"]
    assert {scene["test"] for scene in scenes} == {0, 1}
    assert all("real" in scene and "divergence" not in scene for scene in scenes)
    assert any(scene["real"]["outcome"][1] in VALUES for scene in scenes)
