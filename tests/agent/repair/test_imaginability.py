"""What can be imagined is said: by test, with the reason and the line; and only what the model said is counted."""

from __future__ import annotations

from cwm_agent import solve_tasks
from cwm_agent.agent.repair.beliefs import Belief
from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.original_run import ImaginedOriginal, order_of
from cwm_agent.agent.repair.repair_kind import solve_repair
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from envs.domains.repair_core import RepairState
from tasks import CallTest, CodeTest, FunctionTest, RepairTask

SOURCE = """import threading

def add(a, b):
    return a - b

def locked(a, b):
    lock = threading.Lock()
    return 0 if lock.locked() else add(a, b)
"""
TESTS = (
    CallTest("1, 2", "3"),
    FunctionTest("total = add(2, 0)\nreturn add(total, 1)", "3"),
    CodeTest("assert add(3, 4) == 7"),
    FunctionTest("return locked(1, 1)", "2"),
)
EXACT = Settings(oracle="exact", ceiling=True, policy="none")


def test_reasons_are_grouped_and_name_their_tests() -> None:
    original = ImaginedOriginal((None,) * 4, ("", "line 2: a file", "", "line 2: a file"))
    assert original.lines == ("2 of 4 tests can be imagined", "tests 2, 4: line 2: a file")


def test_tests_that_cannot_be_imagined_are_left_out_of_the_order() -> None:
    original = ImaginedOriginal((None,) * 3, ("", "a file", ""))
    assert order_of((True, False, False), original, (5, 5, 5)) == (2, 0)


def test_an_episode_says_which_tests_can_be_imagined_and_why_the_others_cannot() -> None:
    with Workplace(EXACT) as workplace:
        episode = solve_repair(RepairTask("t", SOURCE, "add", TESTS), workplace)
    assert episode.solved
    assert episode.imagination[0] == "2 of 4 tests can be imagined"
    assert episode.imagination[1] == "test 3: a test that can only be run"
    assert episode.imagination[2].startswith("test 4: line ")
    assert episode.spent["imagined"] > 0


def test_nothing_is_imagined_where_no_failing_test_can_be() -> None:
    tests = (CodeTest("assert add(3, 4) == 7"), CallTest("1, 0", "1"))
    with Workplace(EXACT) as workplace:
        episode = solve_repair(RepairTask("t", SOURCE, "add", tests), workplace)
    assert episode.solved
    assert episode.spent["imagined"] == 0


def test_a_candidate_counts_as_imagined_only_where_a_rollout_came_to_a_verdict() -> None:
    state = RepairState(SOURCE)
    by_rule = Belief(True, value="unchanged: the run does not reach the edit")
    unknown = Belief(None, value="unsupported: a file", steps=3)
    assert not Candidate(state, (by_rule, unknown, None), 0.1).is_answered
    assert Candidate(state, (by_rule, Belief(False, steps=4)), 0.1).is_answered


def test_a_failing_test_that_passes_as_imagined_comes_behind_the_other_failing_ones() -> None:
    """It fails because of the tests run before it: nearly every candidate passes it alone."""
    original = ImaginedOriginal((True,) * 4, ("",) * 4, passing=frozenset({0, 2, 3}))
    assert order_of((False, False, True, True), original, (5, 9, 7, 3)) == (1, 0, 3, 2)


def test_a_repair_imagines_tests_that_bring_a_lambda() -> None:
    source = "def f(xs, fits):\n    return [x for x in xs if not fits(x)]\n"
    tests = (CallTest("[1, 3], lambda x: x < 2", "[1]"), CallTest("[4, 5, 6], lambda x: x % 2 == 0", "[4, 6]"))
    [episode] = solve_tasks([RepairTask("t", source, "f", tests)], Settings(policy="none"))
    assert episode.solved
    assert episode.spent["imagined"] > 0
