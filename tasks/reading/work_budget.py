"""A budget for reading one text: work that grows faster than the text is counted and ends in OverBudget.

Knows no format; folding and test suites each set their own limit.
"""

import ast
from dataclasses import dataclass

from tasks.errors import OverBudget


@dataclass(slots=True)
class WorkBudget:
    """Units that may still be spent; a unit is a node of a syntax tree, an item of a value or a character."""

    left: int
    what: str
    """What the budget is for, in the words of an error message."""

    def spend(self, units: int) -> None:
        """Take units; OverBudget if there are not enough."""
        if units > self.left:
            self.left = 0
            raise OverBudget(f"{self.what} is too large: it needs more work than the limit allows; write it shorter")
        self.left -= units


def tree_size(node: ast.AST) -> int:
    """Nodes of a tree and characters of the names and texts in it; a node that occurs twice counts twice."""
    return sum(1 + _text_length(part) for part in ast.walk(node))


def spend_on(node: ast.AST, budget: WorkBudget) -> None:
    """Spend the size of a tree, and stop counting where the budget ends, before the nodes beyond it are listed."""
    budget.spend(1 + _text_length(node))
    found = [node]
    while found:
        for child in ast.iter_child_nodes(found.pop()):
            budget.spend(1 + _text_length(child))
            found.append(child)


def _text_length(node: ast.AST) -> int:
    return sum(len(value) for value in vars(node).values() if isinstance(value, str | bytes))
