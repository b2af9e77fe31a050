"""Repairs of swap programs: problems that can be repaired, and counts that agree with reality."""

import pytest

from benchmarks.ladder_repairs import LONGEST_FRAME, main, problem
from cwm_agent.studies.experiments.swap_programs import FORMS, Form
from cwm_agent.studies.workbench import Workbench
from cwm_agent.views.history.byte_marks import answer
from cwm_agent.views.history.history_state import standing_after
from envs.domains.permutation_core import ENTRY
from envs.execution.decompose.program import plain


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "nothing to measure"),
        (["--oracle", "exact", "--swaps", "0"], "give 1 or more"),
        (["--oracle", "exact", "--problems", "0"], "give 1 or more"),
        (["--oracle", "exact", "--forms", "bent"], "no form 'bent'"),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert said in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("form", FORMS)
def test_frames_of_the_problems_are_shorter_than_the_limit(form: Form) -> None:
    work = problem(form, 4, "0")
    with Workbench("exact") as bench:
        for test in work.tests:
            history = bench.recorder.history(plain(work.candidates[0], ENTRY), test.arguments)
            frames = [
                answer(history.frames[at : at + 1], standing_after(history.frames[:at]))
                for at in range(1, len(history.frames))
            ]
            assert max(map(len, frames)) < LONGEST_FRAME / 2
