"""Episodes hold what the report needs: tree, imagined frames and decisions, within a limit, without any cost."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from random import Random

import pytest

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.episodes.episode import Episode, read
from cwm_agent.agent.episodes.episode_details import size_of, within_limit
from cwm_agent.agent.episodes.search_record import MOST_NODES, SearchRecord
from cwm_agent.agent.repair.repair_kind import solve_repair
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from cwm_agent.records.frame_deltas import frames_of
from cwm_agent.records.jsonl_file import JsonlFile
from envs.execution.decompose.program import decomposed
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.frames import Frame
from envs.execution.tracer.reality import Reality
from planners import MCTS, Limits, Step
from tasks import CallTest, RepairTask

TASK = RepairTask(
    id="double-all",
    source="def double_all(values):\n    found = []\n    for value in values:\n        found.append(value + 2)\n    return found\n",
    entry="double_all",
    tests=(CallTest("[1]", "[2]"), CallTest("[3, 4]", "[6, 8]"), CallTest("[]", "[]")),
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        yield opened


@pytest.fixture(scope="module")
def episode(sandbox: Sandbox) -> Episode:
    return solve_repair(TASK, Workplace(Settings(oracle="exact", ceiling=True, policy="none"), sandbox=sandbox))


def test_an_episode_holds_program_tests_and_localisation(episode: Episode) -> None:
    details = episode.details
    assert episode.solved
    assert details["program"] == {"source": TASK.source, "entry": "double_all"}
    assert details["tests"][1] == {"arguments": "[3, 4]", "expected": "[6, 8]"}
    assert details["before"]["marks"] == [False, False, True]
    assert {line for line, value in details["suspicion"] if value == 1.0} == {4}
    assert len(details["runs"]) == len(episode.runs)
    assert details["runs"][-1]["values"][1] == "[6, 8]"


def test_frames_are_those_that_were_imagined(episode: Episode, sandbox: Sandbox) -> None:
    """With the exact oracle the imagined run of the solution is its real run."""
    solution = next(row for row in episode.details["rollouts"] if tuple(row["patch"]) == episode.patch)
    source = "def double_all(values):\n    found = []\n    for value in values:\n        found.append(value * 2)\n    return found\n"
    test = TASK.tests[solution["test"]]
    assert isinstance(test, CallTest)
    real = Reality(sandbox).trace(decomposed(source, "double_all"), test.arguments)
    assert frames_of(solution["frames"]) == list(real.frames)
    assert solution["outcome"] == ["returned", test.expected]
    assert set(solution["marks"]) == {"w", "r", "m"}


def test_the_tree_has_beliefs_and_visits_in_the_order_of_its_growth(episode: Episode) -> None:
    nodes = episode.details["tree"]["nodes"]
    assert nodes[0][:2] == [-1, ""]
    assert all(0 <= row[0] < at for at, row in enumerate(nodes) if at)
    solved = next(row for row in nodes if row[1] == episode.patch[0])
    assert solved[5:] == ["goal", "r", "ppp"]
    assert nodes[0][3] > 1


def test_recording_costs_nothing(episode: Episode, sandbox: Sandbox) -> None:
    """Frames are repeated from the answer cache: neither queries nor executions grow."""
    again = solve_repair(TASK, Workplace(Settings(oracle="exact", ceiling=True, policy="none"), sandbox=sandbox))
    assert again.details == episode.details
    assert {name: again.spent[name] for name in ("executions", "queries", "remembered", "steps")} == {
        name: episode.spent[name] for name in ("executions", "queries", "remembered", "steps")
    }


@pytest.mark.parametrize(
    ("oracle", "view"), [("noisy:iid:state=0.1", "local"), ("exact", "program"), ("exact", "history")]
)
def test_rollouts_that_cannot_be_repeated_are_kept(oracle: str, view: str, sandbox: Sandbox) -> None:
    budget = Budget(executions=2, steps=100)
    settings = Settings(oracle=oracle, view=view, ceiling=True, policy="none", budget=budget, patience=1)  # type: ignore[arg-type]
    rows = solve_repair(TASK, Workplace(settings, sandbox=sandbox)).details["rollouts"]
    assert rows
    assert isinstance(frames_of(rows[0]["frames"])[0], Frame) == (view != "history")


def test_details_stay_within_their_limit_and_name_what_is_left_out() -> None:
    details = {
        "kind": "repair",
        "program": {"source": "x" * 300},
        "tree": {"nodes": ["y" * 500]},
        "rollouts": ["z" * 900],
    }
    found = within_limit(details, 400)
    assert size_of({name: value for name, value in found.items() if name != "left_out"}) <= 400
    assert list(found) == ["program", "left_out"]
    assert "imagined runs" in " ".join(found["left_out"])
    assert within_limit(details) == details


def test_a_search_of_many_nodes_keeps_the_visited_ones_and_the_paths_to_them() -> None:
    class Count:
        def actions(self, state: int) -> list[int]:
            return list(range(9))

        def step(self, moves: list[tuple[int, int]], rng: Random) -> list[Step[int]]:
            return [Step(state * 10 + action + 1, value=action / 9) for state, action in moves]

    record, model, rng = SearchRecord(), Count(), Random(0)
    root = Step(0, value=0.0)
    record.begin(root)
    search = MCTS(simulations=900).search(model, root, Limits(calls=None, depth=9), rng)
    while leaves := search.ask(4):
        answers = [(leaf, model.step([(leaf.state, leaf.action)], rng)[0]) for leaf in leaves]
        search.tell(answers)
        for leaf, step in answers:
            record.tell(leaf.state, leaf.action, step)
    record.read(search)
    rows = record.rows()
    assert len(rows["nodes"]) == MOST_NODES
    assert rows["left_out"] == len(record.nodes) - MOST_NODES
    assert all(row[0] < at for at, row in enumerate(rows["nodes"]))


def test_older_episodes_without_details_are_read(tmp_path: Path) -> None:
    row = asdict(Episode("old", True, None))
    del row["details"]
    with JsonlFile(tmp_path / "episodes.jsonl") as file:
        file.append(row)
    assert read(tmp_path / "episodes.jsonl") == [Episode("old", True, None)]
