"""The choice among candidates that pass all tests: needless edits go, the natural patch wins, differences are shown."""

import pytest

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.episodes.episode import Episode
from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.repair.selection.failing_tests import failing_lines, refuse_flaky
from cwm_agent.agent.repair.selection.naturalness import PatchFeatures, features_of, has_odd_type, known_types
from cwm_agent.agent.repair.selection.result_differences import CallEnd, VariedCalls
from cwm_agent.agent.repair.selection.second_look import PLAUSIBLE, PassingProgram, SecondLook
from cwm_agent.agent.repair.selection.smaller_patches import smaller_patches
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from envs.domains.evaluation import Evaluator
from envs.domains.repair_core import RepairState
from envs.editing.edit import Edit, apply_patch
from envs.execution.sandbox.sandbox import Sandbox, SandboxLimits
from tasks import CallTest, CodeTest, FunctionTest, RepairTask
from tasks.comparison import Comparison

SOURCE = "def f(a, b):\n    c = a - b\n    return c\n"
PATCH = (
    Edit(2, 10, "-", "+", operator="arithmetic"),
    Edit(3, 11, "c", "c + 0", operator="grow"),
    Edit(3, 16, "", " + 0", operator="grow"),
)


def test_a_smaller_patch_lacks_one_edit_and_keeps_the_others_in_place() -> None:
    found = {state.source.splitlines()[1].strip() + "; " + state.source.splitlines()[2].strip(): state.patch
             for state in smaller_patches(SOURCE, PATCH)}  # fmt: skip
    assert set(found) == {"c = a - b; return c + 0 + 0", "c = a + b; return c + 0"}
    for patch in found.values():
        assert apply_patch(SOURCE, patch)


def test_an_edit_that_a_later_one_builds_on_stays() -> None:
    nested = (Edit(2, 8, "a - b", "a + b", operator="x"), Edit(2, 10, "+", "*", operator="y"))
    assert [state.patch for state in smaller_patches(SOURCE, nested)] == [nested[:1]]


def test_the_only_edit_of_a_patch_stays() -> None:
    assert list(smaller_patches(SOURCE, PATCH[:1])) == []


TESTS = (CallTest("15, 2", "17"), CallTest("1, 1", "2"))


@pytest.mark.parametrize(
    ("natural", "odd"),
    [
        pytest.param((PATCH[0],), (PATCH[0], PATCH[1]), id="fewer-edits"),
        pytest.param((PATCH[0],), (Edit(2, 10, "-", "+ 0 * a * b +", operator="arithmetic"),), id="smaller-edit"),
        pytest.param(
            (Edit(3, 4, "return c", "return 18", operator="x"),),
            (Edit(3, 4, "return c", "return 17", operator="x"),),
            id="test-constant",
        ),
    ],
)
def test_of_two_patches_the_natural_one_scores_higher(natural: tuple[Edit, ...], odd: tuple[Edit, ...]) -> None:
    one, other = features_of(SOURCE, natural, TESTS, None), features_of(SOURCE, odd, TESTS, None)
    assert one.score > other.score


def test_a_result_of_an_unexpected_type_lowers_the_score() -> None:
    assert PatchFeatures(0.0, 0.0, 1, 1).score > PatchFeatures(0.0, 0.0, 1, 1, odd_type=True).score
    known = known_types((CallTest("1", "True"), CallTest("2", "{1}")), ["False"])
    assert has_odd_type(["True", "[1]"], known)
    assert has_odd_type(["1"], known)
    assert not has_odd_type(["False", "{2}", "<function f>"], known)
    assert not has_odd_type(["1"], frozenset())


def test_the_shortest_input_on_which_both_return_shows_the_difference() -> None:
    task = RepairTask("t", SOURCE, "f", TESTS)
    calls = VariedCalls.of_task(task, seed=0)
    with Sandbox() as sandbox:
        sums = calls.ends("def f(a, b):\n    return a + b\n", sandbox, sandbox.limits)
        other = calls.ends("def f(a, b):\n    return a + b if b else a // b\n", sandbox, sandbox.limits)
        products = calls.ends("def f(a, b):\n    return a * b\n", sandbox, sandbox.limits)
    found = calls.difference(sums, products, ("patch",))
    assert found is not None
    assert found.other_patch == ("patch",)
    assert calls.difference(sums, sums) is None
    raised = calls.difference(sums, other)
    assert raised is not None
    assert "ZeroDivisionError" in raised.other_result


def test_results_are_compared_as_the_tests_compare_them() -> None:
    calls = VariedCalls("f", ("1",), Comparison("close", absolute=1e-6))
    assert calls.same(CallEnd("returned", "0.3"), CallEnd("returned", "0.30000000000000004"))
    assert not calls.same(CallEnd("returned", "0.3"), CallEnd("returned", "0.4"))
    assert calls.same(CallEnd("cpu", ""), CallEnd("returned", "1"))
    assert calls.same(CallEnd("raised", "KeyError"), CallEnd("raised", "IndexError"))


def test_a_test_that_never_ends_is_named_with_its_limit() -> None:
    task = RepairTask("t", "def f(n):\n    while n:\n        n += 1\n    return n\n", "f", (CallTest("1", "0"),))
    with Sandbox(limits=SandboxLimits(cpu_s=0.1)) as sandbox:
        evaluator = Evaluator(task, sandbox)
        refuse_flaky(task, evaluator)
        assert failing_lines(task, evaluator.original) == ("f(1) gave stopped at its cpu limit, expected 0",)


WEAK = RepairTask(
    "weak",
    "def largest(items):\n    best = 0\n    for each in items:\n        if each < best:\n            best = each\n"
    "    return best\n",
    "largest",
    (CallTest("[1, 5, 3]", "5"), CallTest("[2]", "2")),
)


def _solved(task: RepairTask, **budget: int) -> Episode:
    settings = Settings(oracle="exact", ceiling=True, policy="none", budget=Budget(**budget))
    return Workplace(settings).solve(RepairKind(), task)


def test_weak_tests_make_a_task_ambiguous_and_the_episode_says_where() -> None:
    """`each > best` and `each >= best` agree everywhere; other candidates that pass do not."""
    episode = _solved(WEAK)
    assert episode.solved
    assert episode.spent["comparisons"] > 0
    assert episode.executions == 2
    assert episode.failing[0] == "largest([1, 5, 3]) gave 0, expected 5"
    if episode.ambiguous:
        assert episode.difference["result"] != episode.difference["other_result"]


def test_a_budget_of_no_comparisons_keeps_the_first_patch() -> None:
    episode = _solved(WEAK, comparisons=0)
    assert episode.solved
    assert episode.spent["comparisons"] == 0
    assert not episode.ambiguous


def test_comparisons_stay_within_their_budget() -> None:
    assert _solved(WEAK, comparisons=2).spent["comparisons"] <= 2
    assert _solved(WEAK, executions=3).real_executions <= 3


def test_a_program_that_compiles_to_the_same_code_is_run_once() -> None:
    """A patch of two edits of which one changes nothing: without the other it is the buggy program again."""
    with Sandbox() as sandbox:
        task = RepairTask("t", SOURCE, "f", TESTS)
        evaluator = Evaluator(task, sandbox)
        look = SecondLook(task, VariedCalls.of_task(task, 0), evaluator.original, None)
        patch = (PATCH[0], Edit(2, 8, "a + b", "(a + b)", operator="parentheses"))
        neutral = (Edit(3, 11, "c", "(c)", operator="parentheses"), PATCH[0])
        for each in (patch, neutral):
            source = apply_patch(SOURCE, each)
            look.notice(Candidate(RepairState(source, each), (None, None), 1.0), evaluator.run(source))
        assert look.next() is None


def test_text_that_only_changes_its_place_counts_no_characters() -> None:
    swap = features_of(SOURCE, [Edit(2, 8, "a - b", "b - a", operator="operand-swap")], TESTS, None)
    other = features_of(SOURCE, [Edit(2, 8, "a - b", "a + b", operator="operand-swap")], TESTS, None)
    space = features_of(SOURCE, [Edit(2, 4, "c = a - b", "c  = a - b", operator="operand-swap")], TESTS, None)
    assert (swap.characters, other.characters, space.characters) == (0, 2, 1)


def _passing(*programs: tuple[Edit, float]) -> SecondLook:
    """A second look at programs that pass, in this order, with scores that differ by the given log-probabilities."""
    task = RepairTask("t", SOURCE, "f", TESTS)
    with Sandbox() as sandbox:
        look = SecondLook(task, VariedCalls("f", ("1, 0", "2, 1")), Evaluator(task, sandbox).original, None)
    for edit, logprob in programs:
        candidate = Candidate(RepairState(edit.apply(SOURCE), (edit,)), (True, True), 1.0)
        ends = (CallEnd("returned", "1"), CallEnd("returned", repr(edit.after)))
        look.passing.append(PassingProgram(candidate, ("17", "2"), PatchFeatures(logprob, 0.0, 1, 0), ends))
    return look


PLUS, TIMES = (Edit(2, 10, "-", sign, operator="arithmetic") for sign in "+*")


@pytest.mark.parametrize(
    ("scores", "chosen", "rivals"),
    [
        pytest.param((-4.8, -4.0), PLUS, 1, id="nearly-equal-the-first-stays"),
        pytest.param((-6.0, -4.0), TIMES, 1, id="clearly-more-natural-wins"),
        pytest.param((-40.0, -4.0), TIMES, 1, id="the-first-is-always-shown"),
        pytest.param((-4.0, -40.0), PLUS, 0, id="an-odd-later-one-is-not"),
    ],
)
def test_of_programs_that_pass_the_natural_one_wins(scores: tuple[float, float], chosen: Edit, rivals: int) -> None:
    found = _passing((PLUS, scores[0]), (TIMES, scores[1])).selected()
    assert found.program.candidate.state.patch == (chosen,)
    assert found.rivals == rivals
    assert (found.difference is not None) == bool(rivals)
    assert 0.0 <= found.margin <= PLAUSIBLE


def test_a_failing_test_of_several_steps_is_named_by_what_it_looks_at() -> None:
    steps = FunctionTest("c = f(1, 1)\nreturn c + 1", "3")
    task = RepairTask("t", SOURCE, "f", (steps, CodeTest("assert f(2, 2) > 3")))
    with Sandbox() as sandbox:
        first, second = failing_lines(task, Evaluator(task, sandbox).original)
    assert first == "c + 1 gave 1, expected 3"
    assert second.startswith("assert f(2, 2) > 3: ")


def test_the_user_is_told_how_many_candidates_were_imagined_and_the_best_so_far() -> None:
    notes: list[str] = []
    workplace = Workplace(Settings(oracle="exact", ceiling=True, policy="none"))
    workplace.on_progress = notes.append
    assert workplace.solve(RepairKind(), WEAK).solved
    assert notes[-1].partition(" ")[0].isdigit()
    assert "candidates imagined, best so far passes" in notes[-1]
    assert "s left" in notes[-1]
