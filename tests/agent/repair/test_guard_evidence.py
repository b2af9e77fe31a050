"""Claims about added conditions: what the buggy program's real run says of them, without running anything."""

import pytest

from cwm_agent.agent.repair import original_run
from cwm_agent.agent.repair.condition_value import names_of, truth
from cwm_agent.agent.repair.edit_ranking import edit_priors
from cwm_agent.agent.repair.guard_evidence import AddedCondition, GuardEvidence, added_condition
from envs.domains.evaluation import Evaluator
from envs.editing.edit import Edit
from envs.execution.sandbox.sandbox import Sandbox
from tasks import CallTest, RepairTask

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


def inserted(condition: str, line: int = 4, body: str = "continue") -> Edit:
    return Edit(line, 0, "", f"        if {condition}:\n            {body}\n", operator="ask-before")


@pytest.fixture(scope="module")
def evidence():
    with Sandbox() as sandbox:
        marks = Evaluator(TASK, sandbox).original.marks
        return original_run.guard_evidence(TASK, original_run.real_traces(TASK, sandbox), marks)


@pytest.mark.parametrize(
    ("condition", "values", "expected"),
    [
        pytest.param("x is None", {"x": None}, True, id="none"),
        pytest.param("not x", {"x": []}, True, id="empty"),
        pytest.param("len(x) == n - 1", {"x": "ab", "n": 3}, True, id="length"),
        pytest.param("x in y and n > 2", {"x": 1, "y": [1], "n": 2}, False, id="and"),
        pytest.param("x < n", {"x": "a", "n": 1}, None, id="no order"),
        pytest.param("x > 1", {}, None, id="no such variable"),
        pytest.param("f(x)", {"x": 1, "f": 2}, None, id="a call"),
        pytest.param("x ** 9 ** 9 ** 9 > 1", {"x": 9}, None, id="a power"),
        pytest.param("x % n == 0", {"x": 4, "n": 0}, None, id="by zero"),
        pytest.param("x ==", {"x": 1}, None, id="no condition"),
    ],
)
def test_a_condition_is_true_false_or_unknown(condition, values, expected):
    assert truth(condition, values) is expected


def test_the_variables_of_a_condition_are_named_once():
    assert sorted(names_of("len(xs) > n and n in xs")) == ["n", "xs"]


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(inserted("x > 1"), AddedCondition(4, "x > 1", changes_if=True), id="a guard"),
        pytest.param(
            Edit(4, 8, "n += 1", "if x:\n            n += 1", operator="ask-before"),
            AddedCondition(4, "x", changes_if=False),
            id="under a condition",
        ),
        pytest.param(
            Edit(2, 7, "a", "a and b > 1", operator="ask-also"),
            AddedCondition(2, "b > 1", changes_if=False, beside="a"),
            id="and",
        ),
        pytest.param(
            Edit(2, 7, "a", "a or b", operator="ask-also"),
            AddedCondition(2, "b", changes_if=True, beside="a"),
            id="or",
        ),
        pytest.param(Edit(4, 12, "", "\n    if x:\n        return 1", operator="insert-guard"), None, id="behind"),
        pytest.param(Edit(4, 12, "<", "<=", operator="comparison-boundary"), None, id="no condition"),
    ],
)
def test_the_condition_of_an_edit_is_found(edit, expected):
    assert added_condition(edit) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        pytest.param("mine is None", "failing runs alone", id="what fails"),
        pytest.param("mine == 1", "failing and passing runs", id="both"),
        pytest.param("total < 0", "no failing run", id="never"),
        pytest.param("mine.upper()", None, id="unknown"),
    ],
)
def test_a_guard_is_judged_by_the_runs_that_it_changes(evidence: GuardEvidence, condition, expected):
    assert evidence.verdict(inserted(condition)) == expected


def test_a_line_that_no_run_reached_says_nothing(evidence: GuardEvidence):
    assert evidence.verdict(inserted("mine is None", line=40)) is None


def test_an_edit_whose_guard_tells_failing_runs_apart_is_likelier(evidence: GuardEvidence):
    edits = [inserted(each) for each in ("mine == 1", "total < 0", "other == 2", "mine is None")]
    factors = evidence.factors([*edits, *edits[:3], Edit(4, 8, "+=", "-=", operator="arithmetic")])
    assert max(factors) == factors[3] > 1 > factors[0] > factors[1]
    assert factors[-1] == 1
    assert sum(edit_priors(edits, {}, guards=evidence)) == pytest.approx(1)


def test_texts_that_look_like_references_are_not_read():
    source = "def f(s):\n    return s\n"
    task = RepairTask(id="t", source=source, entry="f", tests=(CallTest("'#1 a'", "''"),))
    with Sandbox() as sandbox:
        found = original_run.guard_evidence(task, original_run.real_traces(task, sandbox), (False,))
    assert found.states[2] == [(0, {})]
