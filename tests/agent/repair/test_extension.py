"""Extension of candidates that fix some failing tests: which edit is added to which candidate, and when."""

from cwm_agent.agent.repair.beliefs import Belief
from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.proposals.extension import Extension
from cwm_agent.agent.repair.proposals.proposal import Proposal
from envs.domains.repair_core import RepairCore, RepairState
from envs.editing.edit import Edit
from tasks import CallTest

SOURCE = "def f(a, b):\n    x = a - 1\n    y = b - 1\n    z = x - y\n    return z\n"
TESTS = (CallTest("1, 1", "9"), CallTest("2, 1", "8"), CallTest("3, 1", "7"), CallTest("4, 1", "6"))
MARKS = (False, False, False, True)
FIRST = Edit(2, 10, "-", "+", operator="arithmetic")
SECOND = Edit(3, 10, "-", "+", operator="arithmetic")
THIRD = Edit(4, 10, "-", "+", operator="arithmetic")


def _extension(most_edits: int = 3) -> Extension:
    core = RepairCore(SOURCE, "f", TESTS)
    scores, order = (0.0, 0.0, 0.0, 1.0), (0, 1, 2, 3)
    return Extension(core, marks=MARKS, original_scores=scores, order=order, most_edits=most_edits)


def _candidate(edit: Edit, verdicts: str, prior: float = 0.01, close: float = 0.0) -> Candidate:
    beliefs = tuple(None if mark == "?" else Belief(mark == "P", value=mark, close=close, steps=5) for mark in verdicts)
    return Candidate(RepairState(edit.apply(SOURCE), (edit,)), beliefs, prior)


def _edits(proposals: list[Proposal]) -> list[frozenset[Edit]]:
    return [frozenset(each.edits) for each in proposals]


def test_an_edit_that_alone_fixes_a_test_that_the_candidate_fails_is_added_first() -> None:
    extension = _extension()
    for candidate in (_candidate(FIRST, "PFFP"), _candidate(THIRD, "FFFP"), _candidate(SECOND, "FPFP")):
        extension.notice(candidate)
    found = extension.next(8)
    assert _edits(found)[0] == {FIRST, SECOND}
    assert {FIRST, THIRD} in _edits(found)[1:]  # without effect alone, perhaps because the other fault hid it


def test_an_extended_candidate_is_imagined_first_on_a_test_that_its_base_fails() -> None:
    extension = _extension()
    extension.notice(_candidate(FIRST, "PFFP"))
    extension.notice(_candidate(SECOND, "FFPP"))
    extension.notice(_candidate(THIRD, "FFFP"))
    assert {frozenset(each.edits): each.first_tests for each in extension.next(8)} == {
        frozenset({FIRST, SECOND}): (2,),
        frozenset({FIRST, THIRD}): (1,),
        frozenset({SECOND, THIRD}): (0,),
    }


def test_a_candidate_with_a_closer_wrong_result_is_extended_and_one_without_effect_is_not() -> None:
    extension = _extension()
    extension.notice(_candidate(SECOND, "FFFP"))
    assert not extension
    assert extension.next(8) == []
    extension.notice(_candidate(FIRST, "FFFP", close=0.5))
    assert _edits(extension.next(8)) == [{FIRST, SECOND}]


def test_edits_that_were_not_imagined_alone_are_added_too() -> None:
    extension = _extension()
    extension.add_unknown([(SECOND, 0.01)])
    extension.notice(_candidate(FIRST, "PFFP"))
    assert _edits(extension.next(8)) == [{FIRST, SECOND}]


def test_a_pair_that_fixes_more_tests_is_extended_unless_the_patch_is_full() -> None:
    for most_edits, expected in ((3, [{FIRST, SECOND, THIRD}]), (2, [])):
        extension = _extension(most_edits)
        extension.notice(_candidate(FIRST, "PFFP"))
        extension.notice(_candidate(SECOND, "FFFP"))
        [pair] = extension.next(8)
        assert pair.state is not None
        state = extension.core.transition(pair.state, pair.edit)
        extension.joined_edits[state.source] = pair.edits
        beliefs = _candidate(FIRST, "PPFP").beliefs
        extension.notice(_candidate(THIRD, "FFFP"))
        extension.next(8)
        extension.notice(Candidate(state, beliefs, pair.prior))
        assert [each for each in _edits(extension.next(8)) if len(each) == 3] == expected


def test_no_pair_is_proposed_twice() -> None:
    extension = _extension()
    for candidate in (_candidate(FIRST, "PFFP"), _candidate(SECOND, "FPFP"), _candidate(THIRD, "FFPP")):
        extension.notice(candidate)
    found = _edits(extension.next(50))
    assert len(found) == len(set(found)) == 3
    extension.notice(_candidate(FIRST, "PFFP"))
    assert extension.next(50) == []
