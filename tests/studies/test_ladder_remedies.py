"""`benchmarks.ladder_remedies`: remedies of a history model beside free rollouts, on the same programs."""

import json
from pathlib import Path

import pytest

from benchmarks.ladder_remedies import main

SMALL = ["--swaps", "4", "--programs", "2"]


@pytest.mark.parametrize(("oracle", "right"), [("exact", "2 of 2 (0.16 to 1.00)"), ("none", "0 of 2 (0.00 to 0.84)")])
def test_a_perfect_model_needs_no_remedy_and_one_that_says_nothing_has_none(
    oracle: str, right: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([oracle, *SMALL, "--remedies", "free,cfg,grounded,forced"]) == 0
    said = capsys.readouterr().out
    for remedy in ("free", "cfg", "grounded", "forced"):
        assert f"| branching | 4 | {remedy} | {right} \\* | {right} \\* |" in said


def test_errors_in_actions_are_mended_by_the_real_actions_and_looks_are_counted(tmp_path: Path) -> None:
    out = tmp_path / "rows.json"
    oracle = "noisy:systematic:action=1"
    assert main([oracle, *SMALL, "--remedies", "free,forced,free+anchored:4", "--json", str(out)]) == 0
    for cells in json.loads(out.read_text()):
        assert [row["complete"] for row in cells["free"]] == [False, False]
        assert [row["complete"] for row in cells["forced"]] == [True, True]
        assert all(row["looks"] == row["steps"] // 4 > 0 for row in cells["free+anchored:4"])


def test_an_unknown_remedy_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["exact", "--remedies", "prayer"])
    assert "no remedy named 'prayer'" in capsys.readouterr().err
