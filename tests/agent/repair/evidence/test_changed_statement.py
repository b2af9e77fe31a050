"""Claims about the statement that an edit adds or deletes, and the line whose states tell what it does."""

import pytest

from cwm_agent.agent.repair.evidence.changed_statement import ChangedStatement, changed_statement
from envs.editing.edit import Edit

LINES = """\
def f(xs):
    n = 0
    for x in xs:
        n += x
        if n:
            n += 1
    return n
""".splitlines()


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(
            Edit(4, 0, "", "        n = 1\n", operator="add-statement"),
            ChangedStatement(4, "n = 1", behind=False),
            id="before a line",
        ),
        pytest.param(
            Edit(7, 0, "", "            n = 1\n", operator="add-statement"),
            ChangedStatement(6, "n = 1", behind=True),
            id="at the end of the block before",
        ),
        pytest.param(
            Edit(4, 14, "", "\n        n = 1", operator="insert-update"),
            ChangedStatement(4, "n = 1", behind=True),
            id="behind a line",
        ),
        pytest.param(
            Edit(6, 18, "", "\n    n = 1", operator="insert-update"),
            ChangedStatement(7, "n = 1", behind=False),
            id="behind a loop",
        ),
        pytest.param(
            Edit(6, 18, "", "\n        n = 1", operator="insert-update"), None, id="at the end of a loop behind a block"
        ),
        pytest.param(
            Edit(4, 0, "", "        if x:\n            break\n", operator="insert-if"),
            ChangedStatement(4, "if x:\n    break", behind=False),
            id="under a condition",
        ),
        pytest.param(
            Edit(4, 0, "        n += x\n", "", operator="statement-delete"),
            ChangedStatement(4, "n += x", behind=False, deleted=True),
            id="deleted",
        ),
        pytest.param(
            Edit(4, 0, "        n += x\n", "        pass\n", operator="statement-delete"),
            ChangedStatement(4, "n += x", behind=False, deleted=True),
            id="nothing in its place",
        ),
        pytest.param(
            Edit(2, 0, "    n = 0\n    for x in xs:\n", "", operator="statement-delete-two"), None, id="no statement"
        ),
        pytest.param(Edit(4, 13, "x", "n", operator="variable"), None, id="within a line"),
        pytest.param(Edit(4, 13, "x", "", operator="variable"), None, id="a word deleted"),
    ],
)
def test_the_statement_of_an_edit_is_found(edit: Edit, expected: ChangedStatement | None) -> None:
    assert changed_statement(edit, LINES) == expected


def test_nothing_is_told_of_a_statement_behind_an_exit() -> None:
    lines = ["def f(xs):", "    for x in xs:", "        continue", "    return xs"]
    for line, text in ((3, "\n        xs = []"), (4, "\n    xs = []")):
        assert changed_statement(Edit(line, len(lines[line - 1]), "", text, operator="insert-update"), lines) is None
