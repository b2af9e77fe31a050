"""Proposals beside the planner's search: joined edits, edits under conditions, unlikely edits."""

from collections.abc import Sequence

import pytest

from cwm_agent.agent.repair.beliefs import Belief
from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.proposals.combination import Combination
from cwm_agent.agent.repair.proposals.unlikely_edits import UnlikelyEdits, net_gain
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from envs.domains.repair_core import RepairCore
from envs.editing.edit import Edit
from tasks import CallTest, RepairTask

SOURCE = "def f(a, b):\n    a = a + 1\n    b = b + 1\n    return a, b\n"
CORE = RepairCore(SOURCE, "f", ())
FIRST, SECOND = Edit(2, 12, "1", "2", operator="constant-step"), Edit(3, 12, "1", "3", operator="constant-step")
MARKS = (True, False, False)


def candidate(edit: Edit, passes: Sequence[bool | None], prior: float = 0.1) -> Candidate:
    state = CORE.transition(CORE.initial(), edit)
    return Candidate(state, tuple(None if each is None else Belief(each) for each in passes), prior)


def test_edits_that_fix_different_tests_are_joined() -> None:
    combination = Combination(CORE, MARKS, most_edits=2)
    combination.notice(candidate(FIRST, (True, True, False)))
    assert combination.next(8) == []
    assert combination.unfixed_tests() == {2}
    combination.notice(candidate(SECOND, (True, False, True), prior=0.2))
    [found] = combination.next(8)
    assert found.state is not None
    assert found.edit.apply(found.state.source) == SOURCE.replace("a + 1", "a + 2").replace("b + 1", "b + 3")
    assert found.prior == pytest.approx(0.02)
    assert combination.next(8) == []
    assert combination.unfixed_tests() == frozenset()


def test_edits_that_overlap_are_not_joined() -> None:
    combination = Combination(CORE, MARKS, most_edits=2)
    combination.notice(candidate(FIRST, (True, True, False)))
    combination.notice(candidate(Edit(2, 8, "a + 1", "b", operator="graft"), (True, False, True)))
    assert combination.next(8) == []


def test_an_edit_that_breaks_a_test_or_leaves_it_unknown_is_not_joined() -> None:
    combination = Combination(CORE, MARKS, most_edits=2)
    combination.notice(candidate(FIRST, (False, True, False)))
    combination.notice(candidate(SECOND, (None, False, True)))
    assert combination.unfixed_tests() == {1, 2}


def test_only_a_candidate_that_fixes_a_test_and_breaks_another_has_a_net_gain() -> None:
    assert net_gain((False, True, True), MARKS) == pytest.approx(0.0)
    assert net_gain((True, True, True), MARKS) is None
    assert net_gain((False, False, None), MARKS) is None


def test_a_partly_right_edit_is_proposed_under_conditions_beside_unlikely_edits() -> None:
    marks = (True, True, False)
    unlikely = UnlikelyEdits(CORE, marks, {})
    unlikely.notice(candidate(FIRST, (True, False, True)))
    found = unlikely.next(10, first_tests=(2,))
    conditional = [each for each in found if each.edit.operator == "condition-edit"]
    assert conditional
    assert len(conditional) < len(found)
    assert {each.first_tests for each in found} == {(2,)}


def test_proposals_come_to_an_end() -> None:
    unlikely = UnlikelyEdits(CORE, MARKS, {})
    while unlikely.next(500):
        pass
    assert unlikely.next(1) == []


@pytest.mark.parametrize(
    ("source", "tests"),
    [
        pytest.param(
            "def hours(minutes):\n    return minutes // 60\n",
            [("0", "0"), ("60", "1"), ("61", "2"), ("119", "2"), ("120", "2")],
            id="an unlikely edit",
        ),
        pytest.param(
            "def pad(text):\n    part = text\n    if part == '':\n        part = '00'\n    return part\n",
            [("'12'", "'12'"), ("'5'", "'50'"), ("''", "'00'"), ("'7'", "'70'")],
            id="a line under a condition",
        ),
        pytest.param(
            "def both(a, b):\n    if a > 0:\n        a = a + 2\n    if b > 0:\n        b = b + 2\n    return [a, b]\n",
            [("1, 0", "[4, 0]"), ("0, 1", "[0, 4]"), ("2, 2", "[5, 5]"), ("0, 0", "[0, 0]")],
            id="two places",
        ),
    ],
)
def test_the_exact_oracle_repairs_programs_that_no_single_likely_edit_fixes(
    source: str, tests: list[tuple[str, str]]
) -> None:
    task = RepairTask("small", source, source[4 : source.index("(")], tuple(CallTest(*each) for each in tests))
    settings = Settings(oracle="exact", ceiling=True)
    episode = Workplace(settings).solve(RepairKind(), task)
    assert (episode.problem, episode.solved) == ("", True)
    assert episode.executions <= 5
