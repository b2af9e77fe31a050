"""Claims about the condition that an edit adds, as read from the edit's text."""

import pytest

from cwm_agent.agent.repair.evidence.added_condition import AddedCondition, added_condition
from envs.editing.edit import Edit

LINES = """\
def f(xs):
    for x in xs:
        n += 1
        if n:
            n += 1
    return n
""".splitlines()


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(
            Edit(3, 0, "", "        if x > 1:\n            continue\n", operator="ask-before"),
            AddedCondition(3, "x > 1", changes_if=True),
            id="a guard",
        ),
        pytest.param(
            Edit(3, 8, "n += 1", "if x:\n            n += 1", operator="ask-before"),
            AddedCondition(3, "x", changes_if=False),
            id="under a condition",
        ),
        pytest.param(
            Edit(3, 14, "", "\n        if x:\n            return 1", operator="insert-guard"),
            AddedCondition(4, "x", changes_if=True),
            id="behind",
        ),
        pytest.param(
            Edit(5, 18, "", "\n    if x:\n        return 1", operator="insert-guard"),
            AddedCondition(6, "x", changes_if=True),
            id="behind a block",
        ),
        pytest.param(
            Edit(5, 18, "", "\n        if x:\n            n = 1", operator="insert-guard"), None, id="at its end"
        ),
        pytest.param(
            Edit(6, 12, "", "\n    if x:\n        return 1", operator="insert-guard"), None, id="no line follows"
        ),
        pytest.param(Edit(4, 11, "n", "n > 1", operator="comparison-boundary"), None, id="no condition"),
    ],
)
def test_the_condition_of_an_edit_is_found(edit: Edit, expected: AddedCondition | None) -> None:
    assert added_condition(edit, LINES) == expected
