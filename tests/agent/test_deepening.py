"""Going on from half a repair: which edits are made behind which candidates, going by what each showed alone."""

from cwm_agent.agent.repair.beliefs import Belief
from cwm_agent.agent.repair.extension import Extension
from cwm_agent.agent.repair.proposal import Proposal
from cwm_agent.agent.repair.repair_model import Candidate
from envs.domains.repair_core import RepairCore, RepairState
from envs.editing.edit import Edit
from tasks import CallTest

SOURCE = "def f(a, b):\n    x = a - 1\n    y = b - 1\n    z = x - y\n    return z\n"
TESTS = (CallTest("1, 1", "9"), CallTest("2, 1", "8"), CallTest("3, 1", "7"), CallTest("4, 1", "6"))
MARKS = (False, False, False, True)
FIRST = Edit(2, 10, "-", "+", "arithmetic")
SECOND = Edit(3, 10, "-", "+", "arithmetic")
THIRD = Edit(4, 10, "-", "+", "arithmetic")


def _deepening(most: int = 3) -> Extension:
    return Extension(RepairCore(SOURCE, "f", TESTS), MARKS, (0.0, 0.0, 0.0, 1.0), (0, 1, 2, 3), most)


def _candidate(edit: Edit, verdicts: str, prior: float = 0.01, close: float = 0.0) -> Candidate:
    beliefs = tuple(None if mark == "?" else Belief(mark == "P", value=mark, close=close, steps=5) for mark in verdicts)
    return Candidate(RepairState(edit.apply(SOURCE), (edit,)), beliefs, prior)


def _edits(proposals: list[Proposal]) -> list[frozenset[Edit]]:
    return [frozenset(each.edits) for each in proposals]


def test_the_edit_that_alone_mends_what_a_half_repair_still_fails_is_made_behind_it_first() -> None:
    deepening = _deepening()
    for candidate in (_candidate(FIRST, "PFFP"), _candidate(THIRD, "FFFP"), _candidate(SECOND, "FPFP")):
        deepening.notice(candidate)
    found = deepening.next(8)
    assert _edits(found)[0] == {FIRST, SECOND}
    assert {FIRST, THIRD} in _edits(found)[1:]  # it showed nothing, perhaps since the other fault hid it


def test_what_comes_next_is_imagined_first_on_a_test_that_the_half_repair_fails() -> None:
    deepening = _deepening()
    deepening.notice(_candidate(FIRST, "PFFP"))
    deepening.notice(_candidate(SECOND, "FFPP"))
    deepening.notice(_candidate(THIRD, "FFFP"))
    assert {frozenset(each.edits): each.first for each in deepening.next(8)} == {
        frozenset({FIRST, SECOND}): (2,),
        frozenset({FIRST, THIRD}): (1,),
        frozenset({SECOND, THIRD}): (0,),
    }


def test_a_wrong_result_that_comes_closer_is_gone_on_from_and_one_that_changes_nothing_is_not() -> None:
    deepening = _deepening()
    deepening.notice(_candidate(SECOND, "FFFP"))
    assert not deepening
    assert deepening.next(8) == []
    deepening.notice(_candidate(FIRST, "FFFP", close=0.5))
    assert _edits(deepening.next(8)) == [{FIRST, SECOND}]


def test_edits_that_nobody_imagined_alone_are_made_behind_a_half_repair_too() -> None:
    deepening = _deepening()
    deepening.expect([(SECOND, 0.01)])
    deepening.notice(_candidate(FIRST, "PFFP"))
    assert _edits(deepening.next(8)) == [{FIRST, SECOND}]


def test_a_pair_that_mends_more_is_gone_on_from_unless_a_patch_may_have_no_third_edit() -> None:
    for most, expected in ((3, [{FIRST, SECOND, THIRD}]), (2, [])):
        deepening = _deepening(most)
        deepening.notice(_candidate(FIRST, "PFFP"))
        deepening.notice(_candidate(SECOND, "FFFP"))
        [pair] = deepening.next(8)
        assert pair.state is not None
        state = deepening.core.transition(pair.state, pair.edit)
        deepening.made[state.source] = pair.edits
        beliefs = _candidate(FIRST, "PPFP").beliefs
        deepening.notice(_candidate(THIRD, "FFFP"))
        deepening.next(8)
        deepening.notice(Candidate(state, beliefs, pair.prior))
        assert [each for each in _edits(deepening.next(8)) if len(each) == 3] == expected


def test_no_pair_is_proposed_twice() -> None:
    deepening = _deepening()
    for candidate in (_candidate(FIRST, "PFFP"), _candidate(SECOND, "FPFP"), _candidate(THIRD, "FFPP")):
        deepening.notice(candidate)
    found = _edits(deepening.next(50))
    assert len(found) == len(set(found)) == 3
    deepening.notice(_candidate(FIRST, "PFFP"))
    assert deepening.next(50) == []
