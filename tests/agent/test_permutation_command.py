"""`solve` on permutation problems: the folder it writes, its table by distance, and the options it refuses."""

import json

import pytest

from cwm_agent import solve
from cwm_agent.agent.episodes.episode import Episode, RealRun, read
from cwm_agent.agent.permutation.permutation_domain import by_distance
from tasks import load


def solved(out, *more):
    given = ["permutation/swaps_5", "--oracle", "none", "--jobs", "1", "--limit", "4", "--out", str(out), *more]
    return solve.main(given)


def test_a_run_that_was_cut_off_is_resumed_in_its_folder(tmp_path, capsys):
    """Cut off inside a row and run again, the folder holds every episode once, like an uninterrupted run."""
    solved(tmp_path / "whole")
    solved(tmp_path / "parts")
    path = tmp_path / "parts" / "episodes.jsonl"
    path.write_bytes(path.read_bytes()[:-30])
    solved(tmp_path / "parts")
    whole, parts = (
        {each.task: each.patch for each in read(tmp_path / name / "episodes.jsonl")} for name in ("whole", "parts")
    )
    assert whole == parts
    assert len(whole) == 4
    found = json.loads((tmp_path / "parts" / "summary.json").read_text())
    assert found["tasks"] == sum(row["tasks"] for row in found["plans"]) == 4
    assert "distance  tasks  solved  first plan" in capsys.readouterr().out


def test_plan_success_is_counted_by_distance():
    tasks = [task for task in load("permutation/swaps_5").tasks if task.distance < 3][:8]
    good, bad = RealRun((), 1.0, (True,), (True,)), RealRun((), 1.0, (True,), (False,))
    episodes = [
        Episode(task.id, task.distance == 1, None, runs=(good if task.distance == 1 else bad,)) for task in tasks
    ]
    rows = by_distance(tasks, episodes)
    assert [(row["distance"], row["solved"], row["first_plan"]) for row in rows] == [(1, 6, 6), (2, 0, 0)]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--write"], "--split and --write belong to repairs"),
        (["--guide", "forced"], "looks at the real run"),
        (["--planner", "bem"], "Did you mean 'beam'?"),
        (["--task", "no-such"], "No task to solve"),
    ],
)
def test_options_that_do_not_fit_plans_are_refused(tmp_path, capsys, more, said):
    assert solved(tmp_path / "out", *more) == 2
    assert said in capsys.readouterr().err


def test_the_list_shows_generators_style_and_distance(tmp_path, capsys):
    assert solved(tmp_path / "out", "--list") == 0
    assert "swaps      straight   distance 1" in capsys.readouterr().out
