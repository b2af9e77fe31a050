"""The data of a report: what a run holds is shown, what it lacks is named, and nothing of it is trusted."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from report_runs import INJECTIONS, hostile_episode, solved_run, write_rows

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.episodes.episode import Episode
from cwm_agent.agent.permutation.permutation_domain import PermutationKind
from cwm_agent.agent.runner import run_tasks
from cwm_agent.agent.settings import Settings
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.reports.run_folder import NoRun, read_run
from cwm_agent.reports.run_page import run_report
from cwm_agent.reports.side_by_side import replacement, side_by_side
from cwm_agent.reports.task_page import TaskPage
from cwm_agent.reports.theatre import ReportRuns
from tasks.task import PermutationTask, Style


def page_of(episode: Episode) -> dict[str, Any]:
    return TaskPage(episode, ReportRuns(allowed=False)).rows()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return solved_run(tmp_path_factory.mktemp("solved") / "run")


def test_a_real_run_has_tasks_theatre_tree_and_curve(run: Path) -> None:
    data = run_report(read_run(run))
    first = data.pages[0]
    assert [row["id"] for row in data.index["run"]["tasks"]] == ["double-all", "largest"]
    assert first["tests"][0]["before"][0] is False
    assert first["tree"]["nodes"][0][1] == ""
    scenes = [scene for page in data.pages for scene in page["theatre"]["scenes"]]
    assert any("divergence" in scene for scene in scenes)
    assert all("real" in scene for scene in scenes)
    assert data.index["run"]["traced"] == len(scenes)
    assert data.index["verification"][0]["observations"]
    assert "lacks" not in first


def test_the_tree_says_which_program_each_node_has(run: Path) -> None:
    data = run_report(read_run(run), runs_programs=False)
    source, nodes = data.pages[0]["program"]["source"], data.pages[0]["tree"]["nodes"]
    edits = [row for row in nodes[1:] if row[8] is not None and row[0] == 0]
    assert edits
    start, end, text = edits[0][8]
    assert source[:start] + text + source[end:] != source


def test_without_real_runs_the_report_says_so(run: Path) -> None:
    data = run_report(read_run(run), runs_programs=False)
    assert "real" not in data.pages[0]["theatre"]["scenes"][0]
    assert any("not run" in each for each in data.pages[0]["lacks"])


def test_an_episode_of_an_older_version_is_shown_with_what_it_lacks() -> None:
    page = page_of(Episode("old", True, None, ("edit",), diff="--- before", spent={"executions": 2}))
    assert page["diff"] == "--- before"
    assert "older version" in page["lacks"][0]


def test_a_domain_of_ones_own_has_a_tree_and_no_program() -> None:
    tree = {"nodes": [[-1, "", None, 1, None, None, "", ""], [0, "left", 0.5, 1, None, "goal", "", ""]]}
    page = page_of(Episode("own", True, None, details={"tree": {**tree, "left_out": 0, "searches": 2}}))
    assert page["tree"]["nodes"][1][1] == "left"
    assert "search tree only" in page["lacks"][0]


def test_rows_that_cannot_be_read_are_named_and_the_others_are_shown(tmp_path: Path) -> None:
    good = Episode("good", False, None)
    cut = json.dumps(asdict(good))[:40]
    found = read_run(write_rows(tmp_path / "run", good, '{"task": 3}\n', "no json\n", cut))
    assert [each.task for each in found.episodes] == ["good"]
    text = " ".join(found.problems)
    assert "is no episode" in text
    assert "is no JSON object" in text
    assert "incomplete" in text
    assert "settings" in text


def test_a_newer_version_is_named(tmp_path: Path) -> None:
    found = read_run(
        write_rows(tmp_path / "run", json.dumps(asdict(Episode("a", True, None)) | {"version": 99}) + "\n")
    )
    assert found.episodes == []
    assert "newer version" in found.problems[0]


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoRun, match=r"no episodes\.jsonl"):
        read_run(tmp_path)


@pytest.mark.parametrize("part", ["program", "tests", "before", "suspicion", "runs", "tree", "rollouts"])
@pytest.mark.parametrize(
    "value", [None, 7, "text", [], {}, [1], [[1]], {"nodes": [[5, "x"]]}, [{"frames": [1]}], {"source": 1}]
)
def test_damaged_details_are_named_and_never_raise(part: str, value: object) -> None:
    episode = hostile_episode("plain")
    page = page_of(replace(episode, details={**episode.details, part: value}))
    assert page["id"] == "plain"


def test_a_tree_whose_nodes_point_forwards_is_damaged() -> None:
    episode = hostile_episode("plain")
    tree = {"nodes": [[-1, "", 0, 1, 1, None, "", ""], [1, "x", 0, 1, 1, None, "", ""]], "left_out": 0, "searches": 1}
    page = page_of(replace(episode, details={**episode.details, "tree": tree}))
    assert "tree" not in page
    assert any("search tree" in each for each in page["lacks"])


@pytest.mark.parametrize("text", INJECTIONS)
def test_hostile_texts_stay_data(text: str) -> None:
    page = page_of(hostile_episode(text))
    assert page["id"] == text
    assert json.loads(json.dumps(page)) == page


def test_sides_show_all_lines_of_both_versions() -> None:
    rows = side_by_side("a\nb\nc\n", "a\nB\nc\nd\n")
    assert rows == [
        [1, "a", 1, "a", "same"],
        [2, "b", 2, "B", "changed"],
        [3, "c", 3, "c", "same"],
        [None, None, 4, "d", "added"],
    ]


@pytest.mark.parametrize(
    ("before", "after"), [("abc", "abXc"), ("aa", "aaa"), ("", "x"), ("same", "same"), ("abab", "ab")]
)
def test_a_replacement_leads_from_one_text_to_the_other(before: str, after: str) -> None:
    start, end, text = replacement(before, after)
    assert before[:start] + text + before[end:] == after


def plan_page(folder: Path, style: Style = "straight", **settings: Any) -> dict[str, Any]:
    """The page of a permutation task that was planned and carried out."""
    task = PermutationTask("four", (2, 0, 1, 3), (0, 1, 2, 3), "swaps", 2, style)
    options: dict[str, Any] = {"oracle": "exact", "ceiling": True, **settings}
    run_tasks(PermutationKind(), [task], Settings("beam", budget=Budget(executions=3), **options), folder)
    [page] = run_report(read_run(folder)).pages
    return page


@pytest.mark.parametrize("style", ["straight", "branching"])
def test_plans_of_permutations_have_a_theatre(tmp_path: Path, style: Style) -> None:
    """The imagined run of the plan stands beside its real run, from the call to the frame after the last command."""
    page = plan_page(tmp_path / "run", style)
    [scene] = page["theatre"]["scenes"]
    assert "lacks" not in page
    assert (scene["run"], scene["patch"]) == (0, page["patch"])
    assert "divergence" not in scene
    assert scene["real"]["shared"] == len(scene["imagined"]["frames"]) > 3


def test_the_history_view_keeps_the_run_by_which_a_plan_was_confirmed(tmp_path: Path) -> None:
    [scene] = plan_page(tmp_path / "run", view="history", guide=parse_guide("free"))["theatre"]["scenes"]
    assert scene["complete"]
    assert scene["imagined"]["outcome"] == scene["real"]["outcome"]


def test_a_plan_of_the_program_view_has_no_frames_and_the_page_says_so(tmp_path: Path) -> None:
    page = plan_page(tmp_path / "run", view="program")
    assert "theatre" not in page or not page["theatre"]["scenes"]
    assert any("the program view caches no answers" in each for each in page["lacks"])
