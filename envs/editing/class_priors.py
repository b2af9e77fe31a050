"""How often an edit of each class repaired a program: learnt once, on tasks that no figure is reported for.

The numbers are data, in `learnt_priors.py`, with the command that learnt them. A class that was never seen to repair
anything keeps a small prior: unlikely is not impossible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from envs.editing.edit import Edit
from envs.editing.edit_classes import FAMILY_OF
from envs.editing.learnt_priors import RATES

UNSEEN = 1e-4
"""For classes without data."""
PROPOSED = "proposed"
"""The class of edits that a language model proposes."""
CONDITIONAL = "condition-edit"
"""The class of edits that are made under a condition."""
POLICY = "policy"
"""The class of edits that the agent's own policy proposes."""
ASSUMED = {
    PROPOSED: 0.05,
    POLICY: 0.002,
    CONDITIONAL: 0.01,
    "reset": 0.002,
    "grow-rounding": 0.001,
    "grow-argument": 0.001,
    "grow-call": 0.0004,
    "grow-part": 0.0004,
    "grow-operand": 0.0003,
    "grow-limit": 0.0003,
    "add-statement": 0.0003,
    "ask-also": 0.0003,
    "ask-before": 0.0002,
}
"""Supposed and not learnt: a proposal is worth several of the best edits by rule, a reset what `x = y` for `x += y`
is, an unlikely edit half of the worst, and an edit under one of a hundred conditions a hundredth of its chance."""


LIKELY = 5e-4
"""Edits of every day have this chance at least."""


def class_priors() -> Mapping[str, float]:
    """For each class of everyday edits the chance that one edit of it is a repair."""
    return RATES | {name: rate for name, rate in ASSUMED.items() if name in FAMILY_OF}


def prior_of(operator: str) -> float:
    """The chance that an edit of this class is a repair."""
    return ASSUMED.get(operator) or RATES.get(operator, UNSEEN)


def is_likely(patch: Iterable[Edit]) -> bool:
    """Whether all edits of a patch are of every day, or proposed."""
    return all(prior_of(edit.operator) >= LIKELY and edit.operator != CONDITIONAL for edit in patch)
