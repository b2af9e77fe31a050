"""Repairs of swap programs: problems that can be repaired, and counts that agree with reality."""

import pytest

from benchmarks.ladder_repairs import main, problem
from cwm_agent.studies.experiments.swap_programs import FORMS, Form


@pytest.mark.parametrize("form", FORMS)
def test_a_problem_repeats_by_its_seed_and_has_three_tests(form: Form) -> None:
    one, again, other = (problem(form, 3, seed) for seed in ("0", "0", "1"))
    assert one == again
    assert one != other
    assert len(one.candidates) == len(set(one.candidates)) == 3 * 9
    assert len(one.tests) == 3


def test_reality_repairs_at_the_first_run_and_no_imagination_by_chance(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--oracle", "exact", "--oracle", "none", "--problems", "2", "--swaps", "2"]) == 0
    shown = capsys.readouterr().out
    assert "| exact | straight | 2 of 2 | 2 | 2.0 |" in shown
    assert "| exact | branching | 2 of 2 | 2 | 2.0 |" in shown
    assert "| none | branching |" in shown


def test_a_missing_model_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["nowhere", "--problems", "1"])
    assert "nowhere" in capsys.readouterr().err.splitlines()[-1]
