"""Candidates imagined side by side: tests end one by one, and each belief equals the one imagined alone."""

from dataclasses import replace
from random import Random

import pytest

from cwm_agent.agent.repair import repair_model
from cwm_agent.agent.repair.beliefs import RolloutImaginer
from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.imagined_tests import BatchedTests, StreamedTests
from cwm_agent.agent.repair.odds import Trust
from cwm_agent.agent.repair.repair_model import FIXING_WORTH, ImaginedRepair
from cwm_agent.agent.repair.selection.likely_rivals import LEAST_RANKS, MOST_RANKS, MOST_STEPS, likely_rivals
from cwm_agent.agent.repair.selection.patch_choice import further_effort
from cwm_agent.oracles.backends.exact import ExactOracle
from envs.domains.repair_core import RepairCore, RepairState
from envs.editing.class_priors import CONDITIONAL
from envs.editing.edit import Edit
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.reality import Reality
from planners import Refused, Step
from tasks import CallTest

COUNT = "def f(n):\n    s = 0\n    while n > 0:\n        n = n - 1\n        s = s + 2\n    return s\n"
TESTS = [CallTest("1", "2"), CallTest("30", "60"), CallTest("2", "5"), CallTest("no", "1")]


def imaginer() -> RolloutImaginer:
    return RolloutImaginer(ExactOracle(Reality(Sandbox())))


def test_short_tests_end_before_long_ones() -> None:
    streamed: StreamedTests[int] = StreamedTests(imaginer())
    for number, test in enumerate(TESTS):
        streamed.begin(number, COUNT, "f", test)
    found: list[int] = []
    while len(found) < len(TESTS):
        found += [number for number, _ in streamed.advance()]
    assert found[-1] == 1


def test_streamed_and_batched_tests_give_equal_beliefs() -> None:
    shared = imaginer()
    streamed: StreamedTests[int] = StreamedTests(shared)
    batched: BatchedTests[int] = BatchedTests(shared)
    for each in (streamed, batched):
        for number, test in enumerate(TESTS):
            each.begin(number, COUNT, "f", test)
    found = dict(batched.advance())
    beliefs: dict[int, object] = {}
    while len(beliefs) < len(TESTS):
        beliefs |= dict(streamed.advance())
    assert beliefs == found


def world(tests: tuple[CallTest, ...], marks: tuple[bool, ...], *, width: int | None = None) -> ImaginedRepair:
    core = RepairCore(COUNT, "f", tests, most_edits=2)
    size = len(tests)
    return ImaginedRepair(
        core,
        StreamedTests(imaginer(), width),
        marks=marks,
        original_scores=tuple(map(float, marks)),
        trusts=[Trust() for _ in tests],
        order=tuple(range(size)),
        lengths=(20,) * size,
    )


def test_a_candidate_that_fixes_no_test_is_dropped() -> None:
    """`s = s + 3` is right; after an edit with a wrong result the second test is not imagined."""
    tests = (CallTest("3", "9"), CallTest("0", "0"))
    imagined = world(tests, (False, True))
    state = imagined.core.initial()
    edits = {edit.after: edit for edit in imagined.core.actions(state) if edit.line == 5}
    right, wrong = imagined.step([(state, edits["3"]), (state, edits["1"])], Random(0))
    assert isinstance(right, Step)
    assert isinstance(wrong, Step)
    good, bad = imagined.seen[right.state.source], imagined.seen[wrong.state.source]
    assert imagined.is_believed_solution(good)
    assert [belief and belief.passes for belief in bad.beliefs] == [False, None]
    assert wrong.end == "failure"


@pytest.mark.parametrize(
    ("worth", "first"), [pytest.param(FIXING_WORTH, ["3"], id="first"), pytest.param(0, ["1", "0", "3"], id="last")]
)
def test_further_tests_of_a_candidate_that_fixes_one_come_before_those_of_others(
    monkeypatch: pytest.MonkeyPatch, worth: int, first: list[str]
) -> None:
    """One test advances at a time; `s = s + 3` fixes the failing test, and its other test is the longest of all."""
    monkeypatch.setattr(repair_model, "FIXING_WORTH", worth)
    imagined = world((CallTest("3", "9"), CallTest("30", "90")), (False, True), width=1)
    state = imagined.core.initial()
    edits = {edit.after: edit for edit in imagined.core.actions(state) if edit.line == 5}
    children = {after: imagined.begin(state, edits[after]) for after in ("3", "1", "0")}
    right = children["3"]
    assert isinstance(right, RepairState)
    while right.source not in imagined.seen:
        imagined.advance()
    names = {child.source: after for after, child in children.items() if isinstance(child, RepairState)}
    assert [names[source] for source in imagined.seen] == first


def test_later_failing_tests_wait_until_other_candidates_were_judged_by_their_first() -> None:
    """`s = s + 1` fails the first test: its second is imagined after the first test of `s = s + 0`."""
    imagined = world((CallTest("3", "9"), CallTest("1", "3")), (False, False), width=1)
    state = imagined.core.initial()
    edits = {edit.after: edit for edit in imagined.core.actions(state) if edit.line == 5}
    for after in ("1", "0"):
        imagined.begin(state, edits[after])
    while imagined.judged < 2:
        imagined.advance()
        assert not imagined.seen
    assert all(list(pending.beliefs) == [0] for pending in imagined.under_way.values())
    while imagined.under_way:
        imagined.advance()
    assert [each.verdicts for each in imagined.seen.values()] == [[False, False]] * 2


def test_an_edit_that_no_failing_test_reaches_is_no_candidate() -> None:
    """Only the passing test runs the loop; an edit there cannot change the failing one."""
    imagined = world((CallTest("0", "1"), CallTest("3", "6")), (False, True))
    imagined.covered = (frozenset({2, 3}), frozenset({2, 3, 4, 5, 6}))
    state = imagined.core.initial()
    edits = {edit.line: edit for edit in imagined.core.actions(state)}
    assert isinstance(imagined.begin(state, edits[5]), Refused)
    assert isinstance(imagined.begin(state, edits[2]), RepairState)
    assert len(imagined.under_way) == 1


def test_an_edit_outside_the_lines_that_tests_run_may_affect_every_test() -> None:
    """Line 2 stands for a constant of the module, whose neighbour only the passing test runs."""
    imagined = world((CallTest("0", "1"), CallTest("3", "6")), (False, True))
    imagined.covered = (frozenset({5, 6}), frozenset({3, 5, 6}))
    state = imagined.core.initial()
    edits = {edit.line: edit for edit in imagined.core.actions(state)}
    assert isinstance(imagined.begin(state, edits[2]), RepairState)


def test_candidates_made_from_a_program_are_imagined_on_the_tests_that_it_really_fails() -> None:
    tests = (CallTest("3", "9"), CallTest("0", "0"))
    imagined = world(tests, (False, True))
    state = imagined.core.initial()
    edit = next(edit for edit in imagined.core.actions(state) if edit.line == 5 and edit.after == "3")
    child = imagined.begin(state, edit)
    while imagined.under_way:
        imagined.advance()
    imagined.learn(child, (True, False))  # type: ignore[arg-type]  # it is a program
    assert imagined._cheap_failing_tests(imagined.base(child)) == [1]  # type: ignore[arg-type]


def test_edits_that_lead_back_have_as_many_priors_as_actions() -> None:
    """Reached by edits, the buggy program also offers edits that make no program: its list of actions is longer."""
    imagined = world((CallTest("3", "9"),), (False,))
    state = imagined.core.initial()
    back = RepairState(state.source, (imagined.core.actions(state)[0],))
    for each in (state, back, state):
        assert len(imagined.prior(each) or ()) == len(imagined.actions(each))
    assert len(imagined.actions(back)) > len(imagined.actions(state))


def test_likely_edits_that_pass_are_found_beside_the_search_within_their_bounds() -> None:
    """One failing test: the likeliest edits are all imagined; a long run allows fewer, and seen ones are left out."""
    tests = (CallTest("3", "9"), CallTest("0", "0"))
    imagined = world(tests, (False, True))
    found = likely_rivals(imagined, imaginer())
    assert found
    assert all(imagined.is_believed_solution(each) for each in found)
    assert LEAST_RANKS < len(imagined.seen) <= MOST_RANKS
    assert likely_rivals(imagined, imaginer()) == []
    long = world(tests, (False, True))
    long.lengths = (MOST_STEPS // 3, 20)
    likely_rivals(long, imaginer())
    assert len(long.seen) == 3
    assert likely_rivals(world(tests, (True, True)), imaginer()) == []


def test_rivals_of_a_patch_of_two_edits_take_the_place_of_its_last_one() -> None:
    """`s = 1` and `s + 2` are one edit each away from the repair of two edits that passes, `s = 1` and `s + 3`."""
    imagined = world((CallTest("3", "10"), CallTest("0", "1")), (False, False))
    initial = imagined.core.initial()
    start = next(edit for edit in imagined.core.actions(initial) if edit.line == 2 and edit.after == "1")
    before = imagined.core.transition(initial, start)
    last = next(edit for edit in imagined.actions(before) if edit.line == 5 and edit.after == "3")
    passing = Candidate(imagined.core.transition(before, last), (None, None), 0.1)
    found = likely_rivals(imagined, imaginer(), [passing])
    assert found
    assert all(each.state.patch[0] == start and len(each.state.patch) == 2 for each in found)


def test_one_likely_edit_that_passes_ends_the_search_and_others_do_not() -> None:
    initial = world((CallTest("3", "9"),), (False,)).core.initial()
    likely = Edit(5, 16, "2", "3", "constant-step")
    unlikely = replace(likely, operator=CONDITIONAL)
    one, odd = (Candidate(replace(initial, patch=(edit,)), (), 0.1) for edit in (likely, unlikely))
    assert further_effort(1_000, [one]) == 0
    assert further_effort(1_000, [one, odd]) == further_effort(1_000, [odd]) == 192
