"""Priors of edit classes: the chance that one edit of a class repairs a program.

The rates were learnt on the `dev` tasks, for which no results are reported; they stand in `learnt_priors.py` with the
command that learnt them. A class that repaired nothing there keeps a small prior.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from envs.editing.edit import Edit
from envs.editing.edit_classes import FAMILY_OF
from envs.editing.learnt_priors import RATES

UNSEEN = 1e-4
"""Prior of classes without data."""
PROPOSED = "proposed"
"""The class of edits that a language model proposes."""
CONDITIONAL = "condition-edit"
"""The class of edits that apply under a condition."""
POLICY = "policy"
"""The class of edits that the agent's own policy proposes."""
ASSUMED = {
    PROPOSED: 0.05,
    POLICY: 0.002,
    CONDITIONAL: 0.01,
    "reset": 0.002,
    "accumulate": 0.002,
    "setdefault": 0.002,
    "regrouping": 0.002,
    "index-wrap": 0.0015,
    "keyword-name": 0.002,
    "insert-mirror": 0.002,
    "yield": 0.003,
    "mutable-default": 0.005,
    "none-test": 0.003,
    "one-of": 0.001,
    "negated-part": 0.001,
    "toggle": 0.003,
    "filter-add": 0.002,
    "copy-rows": 0.004,
    "copy-value": 0.002,
    "sorted-groups": 0.005,
    "tie-break": 0.003,
    "operand-move": 0.002,
    "choice-or-sum": 0.001,
    "shift-digits": 0.002,
    "insert-record": 0.005,
    "size-limit": 0.004,
    "use-parameter": 0.003,
    "attribute-same-name": 0.003,
    "attribute-for-variable": 0.001,
    "attribute-for-constant": 0.001,
    "unused-attribute": 0.004,
    "insert-own-result": 0.002,
    "variable-swap": 0.001,
    "variable-for-attribute": 0.0008,
    "with-attribute": 0.001,
    "owner": 0.002,
    "attribute-together": 0.002,
    "link": 0.001,
    "call-method": 0.003,
    "insert-stale": 0.004,
    "insert-attribute": 0.0006,
    "insert-first-value": 0.002,
    "super-call": 0.003,
    "grow-rounding": 0.001,
    "grow-argument": 0.001,
    "grow-call": 0.0004,
    "grow-part": 0.0004,
    "grow-operand": 0.0003,
    "grow-limit": 0.0003,
    "add-statement": 0.0003,
    "store-item": 0.0003,
    "statement-move": 0.0003,
    "ask-also": 0.0003,
    "ask-before": 0.0002,
    "early-return": 0.0002,
}
"""Priors that are assumed, not learnt.

A model's proposal counts as several edits of the best class, a reset or an item with a default as `unaugment`, an
unlikely edit as half of the worst likely one. An edit under one of a hundred conditions gets a hundredth of its chance.
Classes about attributes count as the classes about variables do; those with a sign of a fault (an attribute that is
never read or never updated, a mutable default, an overridden method that is not called) as the best classes.
"""


LIKELY = 5e-4
"""Least prior of a likely edit."""


def class_priors() -> Mapping[str, float]:
    """The prior of each class of likely edits."""
    return RATES | {name: rate for name, rate in ASSUMED.items() if name in FAMILY_OF}


def prior_of(operator: str) -> float:
    """The prior of an edit of this class."""
    return ASSUMED.get(operator) or RATES.get(operator, UNSEEN)


def is_likely(patch: Iterable[Edit]) -> bool:
    """Whether every edit of a patch is likely or proposed by a model."""
    return all(prior_of(edit.operator) >= LIKELY and edit.operator != CONDITIONAL for edit in patch)
