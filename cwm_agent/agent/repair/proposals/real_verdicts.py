"""Candidates after their real run: real verdicts stand where beliefs would, for a search that imagines nothing.

The sources of further candidates (combination, extension, conditions) read beliefs. Without imagination they read the
real verdicts of the candidates that were run, and nothing about the others. Knows no search and no oracle.
"""

from collections.abc import Sequence
from dataclasses import replace

from cwm_agent.agent.repair.beliefs import Belief
from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.odds import FIXED_BY_WRONG
from cwm_agent.agent.repair.partial_credit import closeness
from envs.domains.evaluation import Evaluation
from tasks import CodeTest
from tasks.task import Test


def really_judged(
    candidate: Candidate,
    evaluation: Evaluation,
    tests: Sequence[Test],
    original: Sequence[bool | None],
    *,
    most: int,
) -> Candidate:
    """A candidate with its real verdicts as beliefs.

    Its prior grows by the odds of each failing test that it really fixes (`original` are the buggy program's marks):
    candidates made from it are then run before edits without evidence. Of a patch of several edits only tests
    beyond the `most` that any candidate fixed so far count: the prior of its parts holds the others.
    """
    results = zip(tests, evaluation.marks, evaluation.values, strict=True)
    beliefs = tuple(_belief(test, mark, value) for test, mark, value in results)
    counted = fixed_tests(evaluation.marks, original) - (most if len(candidate.state.patch) > 1 else 0)
    return replace(candidate, beliefs=beliefs, prior=candidate.prior / FIXED_BY_WRONG ** max(0, counted))


def fixed_tests(marks: Sequence[bool | None], original: Sequence[bool | None]) -> int:
    """How many tests pass that the buggy program fails."""
    return sum(mark is True and not before for mark, before in zip(marks, original, strict=True))


def _belief(test: Test, mark: bool | None, value: str) -> Belief:
    """One real verdict as a belief without doubt; a run counts as one step, so that the edit counts as reached."""
    close = 0.0 if isinstance(test, CodeTest) else closeness(test.expected, value)
    return Belief(mark, value=value, close=1.0 if mark else close, steps=1)
