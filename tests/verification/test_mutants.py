"""Mutants of repair tasks: drawn fairly, really run, imagined; an exact oracle is right on all it can attempt."""

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from cwm_agent.verification.mutant_verification import MutantProgress, drawn, mutants_of, verify_mutants
from cwm_agent.verification.task_files import verify_file
from cwm_agent.verify import main
from tasks import CallTest, RepairTask

SUMS = RepairTask(
    "sums-1",
    "def sums(xs):\n    total = 1\n    for x in xs:\n        total += x\n    return total\n",
    "sums",
    (CallTest("[1, 2]", "3"), CallTest("[]", "0")),
)
FIRST = RepairTask("first-2", "def first(xs, n):\n    return xs[n:]\n", "first", (CallTest("[1, 2], 1", "[1]"),))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A task file as a user may write it."""
    rows: list[dict[str, Any]] = [
        {
            "kind": "repair",
            "id": task.id,
            "source": task.source,
            "entry": task.entry,
            "tests": [
                {"arguments": test.arguments, "expected": test.expected}
                for test in task.tests
                if isinstance(test, CallTest)
            ],
        }
        for task in (SUMS, FIRST)
    ]
    written = tmp_path_factory.mktemp("tasks") / "own.jsonl"
    written.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return written


def test_every_edit_of_every_task_is_a_mutant() -> None:
    found = mutants_of([SUMS, FIRST])
    assert len({each.id for each in found}) == len(found) > 50
    assert {each.task.id for each in found} == {"sums-1", "first-2"}
    assert all(each.edit.apply(each.task.source) != each.task.source for each in found)


def test_drawing_is_by_seed_without_repetition_and_all_without_a_count() -> None:
    mutants = mutants_of([SUMS, FIRST])
    some = drawn(mutants, 10, seed=3)
    assert some == drawn(mutants, 10, seed=3)
    assert some != drawn(mutants, 10, seed=4)
    assert some == drawn(mutants, 20, seed=3)[:10]
    assert len({each.id for each in some}) == 10
    assert {each.id for each in drawn(mutants, None, seed=3)} == {each.id for each in mutants}
    assert len(drawn(mutants, 10_000, seed=3)) == len(mutants)


def test_each_mutant_is_as_likely_to_be_drawn_as_any_other() -> None:
    """Over 400 seeds each is drawn about as often: within five standard errors."""
    mutants = mutants_of([FIRST])
    times = dict.fromkeys((each.id for each in mutants), 0)
    for seed in range(400):
        for each in drawn(mutants, 5, seed):
            times[each.id] += 1
    share = 5 / len(mutants)
    error = (400 * share * (1 - share)) ** 0.5
    assert all(abs(found - 400 * share) < 5 * error for found in times.values())


def test_an_exact_oracle_gives_every_verdict_of_mutants_right(path: Path) -> None:
    seen: list[MutantProgress] = []
    run = verify_mutants(path, oracle="exact", count=24, seed=1, told=seen.append)[0]
    assert run["step_exact"] == run["mutants"]["step_exact_mean_of_tasks"] == 1.0
    low, high = run["mutants"]["step_exact_interval"]
    assert low == pytest.approx(0.025**0.5), "two tasks that are right say little: the exact interval of 2 of 2"
    assert high == 1.0
    assert (run["mutants"]["drawn"], run["mutants"]["seed"], run["mutants"]["tasks"]) == (24, 1, 2)
    assert [each.done for each in seen] == [16, 24]
    tests, programs = run["verdicts"]["tests"], run["verdicts"]["programs"]
    assert (tests["false_pass_rate"], programs["false_pass_rate"]) == (0.0, 0.0)
    assert tests["fail"]["real_pass"] == programs["fail"]["real_pass"] == 0
    assert tests["true_pass_rate"] == 1.0
    assert (
        sum(programs[each][real] for each in ("pass", "fail", "unknown") for real in ("real_pass", "real_fail")) == 24
    )


def test_when_told_to_stop_it_finishes_what_is_under_way_and_says_how_many_were_drawn(path: Path) -> None:
    asked = count()
    run = verify_mutants(path, oracle="exact", count=48, stop=lambda: next(asked) >= 1)[0]
    assert run["mutants"]["drawn"] == 16
    assert run["programs"] == sum(1 for each in drawn(_all(), 16, 0) for _ in each.task.tests)


def _all() -> list[Any]:
    return mutants_of([SUMS, FIRST])


def test_a_repair_file_itself_gives_verdicts_and_calibration_beside_the_figures(path: Path) -> None:
    run = verify_file(path, oracle="exact")[0]
    assert run["verdicts"]["tests"]["fail"] == {"real_pass": 0, "real_fail": 3}
    assert run["calibration"]["steps"]["brier"] == run["calibration"]["outcomes"]["brier"] == 0.0
    keys = (
        "file oracle view guide programs attempted output_exact trace_exact step_exact step_exact_by_type action_exact "
        "by_rule d50 d90 kinds tokens seconds"
    )
    assert set(keys.split()) <= set(run)


def test_the_command_writes_the_same_as_json(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    arguments = [str(path), "--oracle", "exact", "--mutants", "4", "--seed", "2", "--json", str(out)]
    assert main(arguments) == 0
    run = json.loads(out.read_text())["runs"][0]
    assert run["mutants"]["drawn"] == 4
    told = capsys.readouterr()
    assert "4 of 4 mutants" in told.err
    assert "true passes" in told.out


@pytest.mark.parametrize("number", ["0", "-3", "some"])
def test_a_number_of_mutants_that_is_none_is_refused(
    path: Path, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([str(path), f"--mutants={number}"])
    assert "no number of mutants" in capsys.readouterr().err


@pytest.mark.parametrize(
    "extra", [["--mutants", "3", "--limit", "2"], ["--seconds", "3"], ["--mutants", "3", "--view", "history"]]
)
def test_options_that_would_be_ignored_are_refused(
    path: Path, extra: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([str(path), *extra])
    assert "mutants" in capsys.readouterr().err


def test_a_file_without_repair_tasks_has_no_mutants(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"id": "1", "code": "def f(x):\n    return x", "input": "1", "output": "1"}) + "\n")
    assert main([str(rows), "--oracle", "exact", "--mutants", "3"]) == 2
    assert "no repair task" in capsys.readouterr().err
