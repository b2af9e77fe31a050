"""Tests imagined as others end: nobody waits for the longest, and every belief is what it would be alone."""

from random import Random

from cwm_agent.agent.repair.beliefs import RolloutImaginer
from cwm_agent.agent.repair.imagined_tests import BatchedTests, StreamedTests
from cwm_agent.agent.repair.odds import Trust
from cwm_agent.agent.repair.repair_model import ImaginedRepair
from cwm_agent.oracles.backends.exact import ExactOracle
from envs.domains.repair_core import RepairCore, RepairState
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.reality import Reality
from planners import Step
from tasks import CallTest

COUNT = "def f(n):\n    s = 0\n    while n > 0:\n        n = n - 1\n        s = s + 2\n    return s\n"
TESTS = [CallTest("1", "2"), CallTest("30", "60"), CallTest("2", "5"), CallTest("no", "1")]


def dreamer() -> RolloutImaginer:
    return RolloutImaginer(ExactOracle(Reality(Sandbox())))


def test_short_tests_are_believed_while_long_ones_are_imagined() -> None:
    flowing: StreamedTests[int] = StreamedTests(dreamer())
    for number, test in enumerate(TESTS):
        flowing.begin(number, COUNT, "f", test)
    found: list[int] = []
    while len(found) < len(TESTS):
        found += [number for number, _ in flowing.advance()]
    assert found[-1] == 1


def test_flowing_and_together_believe_the_same() -> None:
    dreams = dreamer()
    flowing: StreamedTests[int] = StreamedTests(dreams)
    together: BatchedTests[int] = BatchedTests(dreams)
    for each in (flowing, together):
        for number, test in enumerate(TESTS):
            each.begin(number, COUNT, "f", test)
    found = dict(together.advance())
    beliefs: dict[int, object] = {}
    while len(beliefs) < len(TESTS):
        beliefs |= dict(flowing.advance())
    assert beliefs == found


def world(tests: tuple[CallTest, ...], marks: tuple[bool, ...]) -> ImaginedRepair:
    core = RepairCore(COUNT, "f", tests, most_edits=2)
    size = len(tests)
    before = tuple(map(float, marks))
    return ImaginedRepair(
        core, StreamedTests(dreamer()), marks, before, [Trust() for _ in tests], tuple(range(size)), (20,) * size
    )


def test_a_candidate_that_mends_nothing_is_not_looked_at_further() -> None:
    """Here `s = s + 3` is wanted; an edit that leaves the result wrong leaves the second test unasked."""
    tests = (CallTest("3", "9"), CallTest("0", "0"))
    imagined = world(tests, (False, True))
    state = imagined.core.initial()
    edits = {edit.after: edit for edit in imagined.core.actions(state) if edit.line == 5}
    right, wrong = imagined.step([(state, edits["3"]), (state, edits["1"])], Random(0))
    assert isinstance(right, Step)
    assert isinstance(wrong, Step)
    good, bad = imagined.seen[right.state.source], imagined.seen[wrong.state.source]
    assert imagined.hopeful(good)
    assert [belief and belief.passes for belief in bad.beliefs] == [False, None]
    assert wrong.end == "failure"


def test_what_is_known_of_a_candidate_says_what_its_children_must_mend() -> None:
    tests = (CallTest("3", "9"), CallTest("0", "0"))
    imagined = world(tests, (False, True))
    state = imagined.core.initial()
    edit = next(edit for edit in imagined.core.actions(state) if edit.line == 5 and edit.after == "3")
    child = imagined.begin(state, edit)
    while imagined.under_way:
        imagined.advance()
    imagined.learn(child, (True, False))  # type: ignore[arg-type]  # it is a program
    assert imagined._first(imagined._base(child), {}) == [1]  # type: ignore[arg-type]


def test_edits_that_lead_back_have_as_many_priors_as_actions() -> None:
    """The buggy program with edits behind it offers those too that make no program: another list than at first."""
    imagined = world((CallTest("3", "9"),), (False,))
    state = imagined.core.initial()
    back = RepairState(state.source, (imagined.core.actions(state)[0],))
    for each in (state, back, state):
        assert len(imagined.prior(each) or ()) == len(imagined.actions(each))
    assert len(imagined.actions(back)) > len(imagined.actions(state))
