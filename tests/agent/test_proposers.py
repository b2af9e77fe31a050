"""What is tried beside the tree search: edits joined, conditions for what is half right, unlikely edits."""

from collections.abc import Sequence

import pytest

from cwm_agent.agent.repair.beliefs import Belief
from cwm_agent.agent.repair.combination import Combination
from cwm_agent.agent.repair.repair_domain import RepairKind
from cwm_agent.agent.repair.repair_model import Candidate
from cwm_agent.agent.repair.unlikely_edits import UnlikelyEdits, half_right
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from envs.domains.repair_core import RepairCore
from envs.editing.edit import Edit
from tasks import CallTest, RepairTask

SOURCE = "def f(a, b):\n    a = a + 1\n    b = b + 1\n    return a, b\n"
CORE = RepairCore(SOURCE, "f", ())
FIRST, SECOND = Edit(2, 12, "1", "2", "constant-step"), Edit(3, 12, "1", "3", "constant-step")
MARKS = (True, False, False)


def candidate(edit: Edit, passes: Sequence[bool | None], prior: float = 0.1) -> Candidate:
    state = CORE.transition(CORE.initial(), edit)
    return Candidate(state, tuple(None if each is None else Belief(each) for each in passes), prior)


def test_edits_that_mend_different_tests_are_made_together() -> None:
    joining = Combination(CORE, MARKS, most=2)
    joining.notice(candidate(FIRST, (True, True, False)))
    assert joining.next(8) == []
    assert joining.unexplained() == {2}
    joining.notice(candidate(SECOND, (True, False, True), prior=0.2))
    [found] = joining.next(8)
    assert found.state is not None
    assert found.edit.apply(found.state.source) == SOURCE.replace("a + 1", "a + 2").replace("b + 1", "b + 3")
    assert found.prior == pytest.approx(0.02)
    assert joining.next(8) == []
    assert joining.unexplained() == frozenset()


def test_edits_of_one_place_are_not_joined() -> None:
    joining = Combination(CORE, MARKS, most=2)
    joining.notice(candidate(FIRST, (True, True, False)))
    joining.notice(candidate(Edit(2, 8, "a + 1", "b", "graft"), (True, False, True)))
    assert joining.next(8) == []


def test_an_edit_that_breaks_something_or_leaves_it_unknown_is_not_joined() -> None:
    joining = Combination(CORE, MARKS, most=2)
    joining.notice(candidate(FIRST, (False, True, False)))
    joining.notice(candidate(SECOND, (None, False, True)))
    assert joining.unexplained() == {1, 2}


def test_half_right_is_what_mends_something_and_breaks_something() -> None:
    def worth(*passes: bool | None) -> float | None:
        return half_right(candidate(FIRST, passes).beliefs, MARKS)

    assert worth(False, True, True) == pytest.approx(0.0)
    assert worth(True, True, True) is None
    assert worth(False, False, None) is None


def test_conditions_of_what_is_half_right_come_with_unlikely_edits() -> None:
    marks = (True, True, False)
    widening = UnlikelyEdits(CORE, marks, {})
    half = candidate(FIRST, (True, False, True))
    widening.notice(half)
    found = widening.next(10, wanted=(2,))
    conditional = [each for each in found if each.edit.operator == "condition-edit"]
    assert conditional
    assert len(conditional) < len(found)
    assert {each.first for each in found} == {(2,)}


def test_in_the_end_nothing_is_left_to_propose() -> None:
    widening = UnlikelyEdits(CORE, MARKS, {})
    while widening.next(500):
        pass
    assert widening.next(1) == []


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
def test_with_a_true_oracle_what_no_single_likely_edit_mends_is_repaired(
    source: str, tests: list[tuple[str, str]]
) -> None:
    task = RepairTask("small", source, source[4 : source.index("(")], tuple(CallTest(*each) for each in tests))
    settings = Settings(oracle="exact", ceiling=True)
    episode = Workplace(settings).solve(RepairKind(), task)
    assert (episode.problem, episode.solved) == ("", True)
    assert episode.executions <= 5
