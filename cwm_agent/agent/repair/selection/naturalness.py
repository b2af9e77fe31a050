"""Naturalness: which of several programs that pass all tests an author would rather have written.

    score =  0.5  x log-probability of the edits under the edit policy (0 without a policy)
           + 0.5  x log of the learnt rates of their classes
           - 1    for each edit beyond the first
           - 0.03 for each character that is removed or added; nothing for text that only changes its place
           - 4    if a result has a type that neither the tests expect nor the buggy program returned in a passing test
           - 3    if the patch contains a constant of a test that the program did not have, or one that fits the only
                  failing test
           - 3    if the patch adds code that no author writes, such as `x / 1` or a branch that is never reached

A program that was proposed as a whole counts by its class alone. The weights are set by hand; docs/repair.md says what
they were measured on. Runs nothing.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cwm_agent.agent.repair.edit_ranking import Policy
from cwm_agent.agent.repair.selection.copied_constants import FailingTest, has_copied_constant, has_fitted_constant
from cwm_agent.agent.repair.selection.pointless_code import adds_pointless_code
from envs.editing.class_priors import PROPOSED, prior_of
from envs.editing.edit import Edit
from tasks.errors import NotPlain
from tasks.result_text import read_result
from tasks.task import CallTest, Test

LIKELIHOOD, CLASS = 0.5, 0.5
FURTHER_EDIT, CHARACTER, ODD_TYPE, COPIED_CONSTANT, POINTLESS = 1.0, 0.03, 4.0, 3.0, 3.0
"""What a point of each feature counts; the module's docstring has the formula."""
_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class PatchFeatures:
    """What the score is made of."""

    logprob: float
    """Of all edits, under the policy."""
    class_rate: float
    """Logarithm of the product of the learnt rates of the edits' classes."""
    edits: int
    characters: int
    """Characters removed and added; those that only change their place are not counted."""
    odd_type: bool = False
    copied_constant: bool = False
    fitted_constant: bool = False
    pointless: bool = False
    """Whether the patch adds code that no author writes."""

    @property
    def score(self) -> float:
        """The naturalness; only differences between programs of one task mean anything."""
        return (
            LIKELIHOOD * self.logprob
            + CLASS * self.class_rate
            - FURTHER_EDIT * (self.edits - 1)
            - CHARACTER * self.characters
            - ODD_TYPE * self.odd_type
            - COPIED_CONSTANT * (self.copied_constant or self.fitted_constant)
            - POINTLESS * self.pointless
        )


def features_of(
    source: str,
    patch: Sequence[Edit],
    tests: Sequence[Test],
    policy: Policy | None,
    *,
    failing: Sequence[FailingTest] = (),
) -> PatchFeatures:
    """The features of a patch of a buggy program; its results and their types are not known yet."""
    logprob, text = 0.0, source
    for edit in patch:
        scored = None if policy is None or edit.operator == PROPOSED else policy.logprobs(text, [edit])
        logprob += scored[0] if scored else 0.0
        text = edit.apply(text)
    return PatchFeatures(
        logprob,
        sum(math.log(prior_of(edit.operator)) for edit in patch),
        len(patch),
        sum(map(_characters, patch)),
        copied_constant=has_copied_constant(source, text, tests),
        fitted_constant=has_fitted_constant(source, text, failing),
        pointless=adds_pointless_code(source, text),
    )


def _characters(edit: Edit) -> int:
    """Characters removed and added by an edit, without those that its two texts share at their ends.

    None where the same words stand in another order, as when two operands or two statements change places.
    """
    before, after = edit.before, edit.after
    moved = sorted(before) == sorted(after) and sorted(_WORD.findall(before)) == sorted(_WORD.findall(after))
    if edit.operator == PROPOSED or moved:
        return 0
    first = _common(before, after)
    last = min(_common(before[::-1], after[::-1]), min(len(before), len(after)) - first)
    return len(before) + len(after) - 2 * (first + last)


def _common(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return next((at for at, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


def known_types(tests: Sequence[Test], passing_results: Iterable[str]) -> frozenset[str]:
    """The types that results should have: those that tests expect, and those of results that pass."""
    calls = (test for test in tests if isinstance(test, CallTest))
    expected = (test.expected for test in calls if test.comparison.kind != "truth" and not test.comparison.reads_items)
    return frozenset(filter(None, map(_type_name, (*expected, *passing_results))))


def has_odd_type(results: Iterable[str], known: frozenset[str]) -> bool:
    """Whether a result has a type that is not known; nothing is odd where no type is known."""
    return bool(known) and any(name and name not in known for name in map(_type_name, results))


def _type_name(result: str) -> str:
    """The type of a result that is given as text; empty for one that is no plain value."""
    try:
        return type(read_result(result)).__name__
    except NotPlain:
        return ""
