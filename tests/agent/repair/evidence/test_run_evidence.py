"""Claims about edits judged by the buggy program's real run, before anything is imagined."""

import pytest

from cwm_agent.agent.repair import original_run
from cwm_agent.agent.repair.edit_ranking import LATER_POWER, EditPriors, edit_priors
from cwm_agent.agent.repair.evidence.run_evidence import ChangedTests, RunEvidence
from cwm_agent.agent.repair.evidence.run_state import RunState
from envs.domains.evaluation import Evaluator
from envs.domains.repair_core import RepairCore
from envs.editing.edit import Edit
from envs.execution.sandbox.sandbox import Sandbox
from tasks import CallTest, FunctionTest, RepairTask

GOALS = """\
def goals(games):
    total = 0
    for mine, other in games:
        total += mine
    return total
"""
TASK = RepairTask(
    id="goals",
    source=GOALS,
    entry="goals",
    tests=(
        CallTest("[(1, 2), (3, 0)]", "4"),
        CallTest("[(1, 2), (None, None), (2, 2)]", "3"),
        CallTest("[]", "0"),
    ),
)
COUNTED = """\
def positive(numbers, least):
    found = i = 0
    while i < len(numbers):
        if numbers[i] > least:
            found += 1
        i += 1
    return found
"""
COUNTING = RepairTask(
    id="positive",
    source=COUNTED,
    entry="positive",
    tests=(
        CallTest("[1, 2], 0", "2"),
        CallTest("[3, 0], 0", "2"),
        CallTest("[5, 7, 5], 5", "3"),
        CallTest("[], 1", "0"),
    ),
)


def evidence_of(task: RepairTask) -> RunEvidence:
    with Sandbox() as sandbox:
        marks = Evaluator(task, sandbox).original.marks
        return original_run.run_evidence(task, original_run.real_traces(task, sandbox), marks)


@pytest.fixture(scope="module")
def goals() -> RunEvidence:
    return evidence_of(TASK)


@pytest.fixture(scope="module")
def counting() -> RunEvidence:
    return evidence_of(COUNTING)


def inserted(condition: str, line: int = 4, body: str = "continue") -> Edit:
    return Edit(line, 0, "", f"        if {condition}:\n            {body}\n", operator="ask-before")


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        pytest.param("mine is None", ("all", "none"), id="what fails"),
        pytest.param("mine == 1", ("all", "some"), id="both"),
        pytest.param("total < 0", ("none", "none"), id="never"),
        pytest.param("mine == 3", ("none", "some"), id="what passes"),
    ],
)
def test_a_guard_is_judged_by_the_tests_that_it_changes(goals: RunEvidence, condition: str, expected: tuple[str, str]):
    assert goals.verdict(inserted(condition)) == ChangedTests("condition", *expected)


@pytest.mark.parametrize("edit", [inserted("f(mine)"), inserted("mine is None", line=40), Edit(4, 8, "", "x", "o")])
def test_what_cannot_be_told_is_unknown(goals: RunEvidence, edit: Edit) -> None:
    assert goals.verdict(edit) is None


def test_a_sum_of_hundreds_of_terms_is_unknown() -> None:
    source = f"def f(a):\n    return {' + '.join('a' for _ in range(700))}\n"
    evidence = RunEvidence(source.splitlines(), {0: False}, {2: {0: [RunState({"a": "1"}, {})]}})
    assert evidence.verdict(Edit(2, 11, "a", "b", "variable")) is None


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(Edit(4, 22, ">", ">=", "o"), ("all", "none"), id="the boundary that fails"),
        pytest.param(Edit(4, 22, ">", "<", "o"), ("all", "some"), id="all that reach it"),
        pytest.param(Edit(4, 11, "numbers[i]", "numbers[-1]", "o"), ("all", "none"), id="an item"),
        pytest.param(Edit(3, 10, "i <", "i + 0 <", "o"), ("none", "none"), id="nothing"),
        pytest.param(Edit(3, 12, "<", "<=", "o"), ("all", "all"), id="one more round, in every round's state"),
        pytest.param(Edit(6, 8, "i += 1", "i -= 1", "o"), ("all", "some"), id="an operator"),
        pytest.param(Edit(2, 16, "0", "1", "o"), ("all", "all"), id="a constant"),
    ],
)
def test_an_edit_of_an_expression_is_judged_by_its_values(counting, edit, expected):
    assert counting.verdict(edit) == ChangedTests("expression", *expected)


def test_edits_that_change_what_fails_alone_are_likelier_than_those_that_change_everything(counting: RunEvidence):
    edits = [Edit(4, 22, ">", after, "o") for after in (">=", "<", "!=", "<=")]
    factors = counting.factors(
        [*edits, Edit(3, 10, "i <", "i + 0 <", "o"), Edit(7, 4, "return found", "return f()", "o")]
    )
    assert factors[0] == max(factors) > 1 > factors[1]
    assert factors[-1] == 1
    assert sum(edit_priors(edits, {}, factors=factors[:4])) == pytest.approx(1)


def test_once_the_program_was_edited_the_real_run_says_less(counting: RunEvidence) -> None:
    core = RepairCore.of_task(COUNTING)
    priors, plain = EditPriors(core, {}, evidence=counting), EditPriors(core, {})
    start = core.initial()
    first = next(edit for edit in core.actions(start) if edit.line == 7)
    later = core.transition(start, first)

    def gain(state, edit):
        return priors.of(state)[str(edit)] / plain.of(state)[str(edit)]

    right, wrong = (
        Edit(4, 22, ">", after, "comparison-boundary" if "=" in after else "comparison") for after in (">=", "<")
    )
    assert str(right) in plain.of(start)
    assert str(wrong) in plain.of(start)
    first_odds, later_odds = (gain(state, right) / gain(state, wrong) for state in (start, later))
    assert later_odds == pytest.approx(first_odds**LATER_POWER)


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(
            Edit(4, 0, "", "        total = 0\n", operator="add-statement"), ("all", "some"), id="from the second round"
        ),
        pytest.param(
            Edit(4, 21, "", "\n        total += 0", operator="insert-update"), ("none", "none"), id="behind, no change"
        ),
        pytest.param(
            Edit(4, 0, "        total += mine\n", "        pass\n", operator="statement-delete"),
            ("all", "some"),
            id="deleted",
        ),
        pytest.param(
            Edit(3, 0, "", "    total = 0\n", operator="add-statement"), ("none", "none"), id="the same value"
        ),
    ],
)
def test_a_statement_is_judged_by_what_it_changes(goals: RunEvidence, edit: Edit, expected: tuple[str, str]) -> None:
    assert goals.verdict(edit) == ChangedTests("statement", *expected)


def test_an_edit_by_which_a_test_sees_an_error_is_told_apart(counting: RunEvidence) -> None:
    error = Edit(4, 19, "i", "i + 9", operator="one-off")
    assert counting.verdict(error) == ChangedTests("expression", "all", "some", raises=True)
    other = Edit(4, 22, ">", ">=", operator="comparison")
    assert counting.verdict(other) == ChangedTests("expression", "all", "none", raises=False)


def test_an_error_that_the_program_handles_is_a_value_like_others() -> None:
    source = "def f(x):\n    try:\n        return 1 // x\n    except ZeroDivisionError:\n        return 0\n"
    task = RepairTask("handled", source, "f", (CallTest("1", "0"), CallTest("0", "0")))
    edit = Edit(3, 20, "x", "(x - 1)", operator="one-off")
    assert evidence_of(task).verdict(edit) == ChangedTests("expression", "all", "all", raises=False)


def test_an_edit_that_ends_or_replaces_an_error_brings_none() -> None:
    source = "def f(xs):\n    xs.pop(xs[0])\n    return xs\n"
    evidence = evidence_of(RepairTask("error", source, "f", (CallTest("[1]", "[1]"),)))
    deleted = Edit(2, 0, "    xs.pop(9)\n", "", operator="statement-delete")
    assert evidence.verdict(deleted) == ChangedTests("statement", "all", "none", raises=False)
    reading = evidence_of(RepairTask("read", "def f(xs):\n    return xs[9]\n", "f", (CallTest("[1]", "1"),)))
    other = Edit(2, 14, "9", "'a'", operator="constant")
    assert reading.verdict(other) == ChangedTests("expression", "all", "none", raises=False)


NESTED = """\
def rounds(n):
    total = 0
    while n:
        left = n
        while left:
            total += 1
            left -= 1
        n -= 1
    return total
"""


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(Edit(3, 0, "", "    total = 0\n", operator="add-statement"), "none", id="the first round"),
        pytest.param(Edit(5, 0, "", "        left = n\n", operator="add-statement"), "none", id="a loop in a loop"),
        pytest.param(Edit(5, 0, "", "        total = 0\n", operator="add-statement"), "all", id="each start of it"),
        pytest.param(
            Edit(3, 0, "", "    if total:\n        return 0\n", operator="ask-before"), "none", id="a condition"
        ),
        pytest.param(Edit(3, 10, "n", "n > 1", operator="constant"), "all", id="the test of the loop, in each round"),
    ],
)
def test_what_stands_before_a_while_runs_before_its_first_round(edit: Edit, expected: str) -> None:
    found = evidence_of(RepairTask("rounds", NESTED, "rounds", (CallTest("3", "7"), CallTest("2", "4")))).verdict(edit)
    assert found is not None
    assert found.failing == expected


def test_an_error_that_a_test_expects_is_a_value_like_others() -> None:
    source = "def mean(xs):\n    return sum(xs) * len(xs)\n"
    expecting = "try:\n    mean([])\nexcept ZeroDivisionError:\n    return 1\nreturn 0"
    task = RepairTask("mean", source, "mean", (FunctionTest("return mean([2, 4])", "3"), FunctionTest(expecting, "1")))
    edit = Edit(2, 19, "*", "/", operator="arithmetic")
    assert evidence_of(task).verdict(edit) == ChangedTests("expression", "all", "none", raises=False)
    several = RepairTask("mean", source, "mean", (CallTest("[2, 4]", "3"), CallTest("[]", "0")))
    assert evidence_of(several).verdict(edit) == ChangedTests("expression", "all", "all", raises=True)
