"""The control without imagination: the same sources of candidates, fed with real verdicts in place of beliefs."""

import pytest

from benchmarks import ablation
from cwm_agent.agent.budget import Budget
from cwm_agent.agent.episodes.episode import Episode
from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.proposals.real_verdicts import really_judged
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.settings import CANDIDATE_SOURCES, Settings, UnknownSource
from cwm_agent.agent.workplace import Workplace
from cwm_agent.solve import main
from envs.domains.evaluation import Evaluation
from envs.domains.repair_core import RepairCore
from tasks import CallTest, RepairTask

TWO_FAULTS = RepairTask(
    id="two-faults",
    source="def f(kind, a, b):\n    if kind == 'sum':\n        return a - b\n    return a // b\n",
    entry="f",
    tests=(CallTest("'sum', 5, 2", "7"), CallTest("'sum', 1, 4", "5"), CallTest("'x', 5, 2", "10")),
)


def solved(task: RepairTask = TWO_FAULTS, **settings: object) -> Episode:
    chosen = Settings(**{"oracle": "none", "policy": "none", "budget": Budget(40), **settings})  # type: ignore[arg-type]
    return Workplace(chosen).solve(RepairKind(), task)


FIXES_TWO = "arithmetic 3:17: '-' -> '+'"


def after_the_first_fix(episode: Episode) -> tuple[str, ...]:
    """The patch that is run after the one that fixes two of three tests."""
    patches = [run.patch for run in episode.runs]
    return patches[patches.index((FIXES_TWO,)) + 1]


def test_a_candidate_that_really_fixes_tests_is_extended_without_imagining_anything() -> None:
    episode = solved(budget=Budget(12))
    found = after_the_first_fix(episode)
    assert found[0] == FIXES_TWO
    assert len(found) == 2
    assert episode.spent["tokens"] == episode.spent["imagined"] == episode.spent["queries"] == 0


def test_the_control_of_earlier_versions_has_likely_edits_by_their_priors_only() -> None:
    settings = Settings(oracle="none", without=CANDIDATE_SOURCES)
    assert not settings.lists
    assert len(after_the_first_fix(solved(without=CANDIDATE_SOURCES, budget=Budget(12)))) == 1


def test_unlikely_edits_reach_the_control_and_can_be_left_out() -> None:
    """All likely edits of one short line are run, then the others come."""
    short = RepairTask(id="short", source="def f(n):\n    return n\n", entry="f", tests=(CallTest("3", "'never'"),))
    operators = [
        {run.patch[0].split()[0] for run in solved(short, budget=Budget(120), without=each).runs}
        for each in ((), ("unlikely",))
    ]
    assert operators[0] - operators[1]


def test_a_candidate_that_really_fixes_tests_has_a_higher_prior_and_its_verdicts_as_beliefs() -> None:
    core = RepairCore(TWO_FAULTS.source, "f", TWO_FAULTS.tests)
    listed = Candidate(core.initial(), (None, None, None), 0.01)
    judged = really_judged(
        listed, Evaluation((True, True, False), ("7", "5", "9")), TWO_FAULTS.tests, (False, False, False), most=1
    )
    assert judged.prior == pytest.approx(1.0)
    assert judged.verdicts == [True, True, False]
    assert judged.beliefs[2] is not None
    assert judged.beliefs[2].close > 0.2


@pytest.mark.parametrize(
    ("row", "imagines", "lists"), [("whole", True, False), ("no-imagination", False, True), ("blind", False, False)]
)
def test_an_ablation_removes_one_thing(row: str, imagines: bool, lists: bool) -> None:
    settings = ablation.settings_of(row, "embedded", Budget(), 0)
    assert (settings.imagines, settings.lists) == (imagines, lists)


def test_an_ablation_has_exact_intervals_and_a_paired_test() -> None:
    whole = [Episode(str(at), True, None, spent={"executions": 2.0}) for at in range(8)]
    blind = [Episode(str(at), at < 2, None, spent={"executions": 9.0}) for at in range(8)]
    rows = ablation.compared({"whole": whole, "blind": blind}, "whole")
    assert rows[0]["interval"] == pytest.approx([0.631, 1.0], abs=1e-3)
    assert rows[1]["p"] == pytest.approx(2 / 64)
    assert "| 8 of 8 \\* | 0.63 to 1.00 | - | 8 | 2 | - |" in ablation.table(rows, "whole")


def test_an_unknown_source_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnknownSource, match="Did you mean 'combination'"):
        Settings(without=("combinations",))  # type: ignore[arg-type]
    assert main(["repair", "--limit", "1", "--oracle", "none", "--without", "policy"]) == 2
    assert "no source of candidates 'policy'" in capsys.readouterr().err
