"""When a candidate is run: what must be believed of it, and how long the search waits for a better one."""

import math

import pytest

from cwm_agent.agent.repair.beliefs import Belief
from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.imagined_tests import BatchedTests
from cwm_agent.agent.repair.odds import Trust, chance_among
from cwm_agent.agent.repair.readiness import ENOUGH, SECOND_THOUGHTS, Readiness
from cwm_agent.agent.repair.repair_model import ImaginedRepair
from envs.domains.repair_core import RepairCore, RepairState
from tasks import CallTest

SOURCE = "def f(n):\n    return n + 1\n"
TESTS = (CallTest("1", "3"), CallTest("2", "4"), CallTest("0.1", "2.1"))


def world(wrong: int) -> ImaginedRepair:
    """Three failing tests; `wrong` of the comparisons of the last one with reality went wrong."""
    trusts = [Trust(), Trust(), Trust(3.0, 0.3 + wrong)]
    core = RepairCore(SOURCE, "f", TESTS, most_edits=1)
    imaginer = None  # nothing is imagined here: the candidates are given
    tests: BatchedTests[tuple[str, int]] = BatchedTests(imaginer)  # type: ignore[arg-type]
    marks = (False,) * 3
    return ImaginedRepair(
        core, tests, marks=marks, original_scores=(0.0,) * 3, trusts=trusts, order=(0, 1, 2), lengths=(3,) * 3
    )


def add(found: ImaginedRepair, name: str, *passes: bool, prior: float = 1e-4) -> Candidate:
    candidate = Candidate(RepairState(name, ()), tuple(map(Belief, passes)), prior)
    found.seen[name] = candidate
    if found.is_believed_solution(candidate):
        found.believed_solutions.append(candidate)
    return candidate


def ready(found: ImaginedRepair) -> Readiness:
    return Readiness(found, lambda candidates: max(candidates, key=found.odds, default=None))


def test_the_chance_is_the_share_of_all_odds_and_of_what_is_left() -> None:
    rivals = [(0.3, math.log(4.0)), (0.2, math.log(0.5))]
    assert chance_among(math.log(4.0), rivals) == pytest.approx(4.0 / (0.5 + 4.5))
    assert chance_among(math.log(4.0), [(1.5, math.log(4.0))]) == pytest.approx(1.0)


def test_a_likely_edit_that_is_believed_to_pass_is_run_at_once() -> None:
    found = world(0)
    readiness = ready(found)
    assert readiness.candidate() is None
    passing = add(found, "a", True, True, True)
    assert readiness.candidate() is passing


@pytest.mark.parametrize(("wrong", "is_run"), [(3, True), (0, False)])
def test_a_failure_that_is_hardly_believed_holds_a_candidate_up_for_second_thoughts_only(
    wrong: int, is_run: bool
) -> None:
    """The last test was often imagined wrong in the one case, and always right in the other."""
    found = world(wrong)
    readiness = ready(found)
    good = add(found, "good", True, True, False, prior=0.6)
    assert found.chance(good) >= ENOUGH
    for number in range(SECOND_THOUGHTS - 1):
        assert readiness.candidate() is None
        add(found, f"other {number}", False, False, False)
    assert readiness.candidate() is (good if is_run else None)


def test_candidates_are_weighed_once_for_each_of_the_second_thoughts() -> None:
    found = world(0)
    readiness = ready(found)
    for number in range(SECOND_THOUGHTS):
        add(found, f"other {number}", False, False, False)
    assert readiness.candidate() is None
    good = add(found, "good", True, True, False, prior=50.0)
    assert found.chance(good) >= ENOUGH
    assert readiness.candidate() is None, "the next time is after as many candidates again"
