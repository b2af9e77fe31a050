"""How long a repair goes on imagining: longer where a candidate seems to fix a test, longest where a real run does."""

from collections.abc import Iterable, Sequence

from cwm_agent import defaults
from cwm_agent.agent.repair.details.repair_details import RunCandidate

Marks = Sequence[bool | None]


def most_effort(patience: int, original: Marks, runs: Iterable[RunCandidate], *, fixes: bool) -> float:
    """Effort after which nothing more is imagined; `original` says which tests the buggy program passes.

    `fixes`: some candidate is believed to fix a test. A repair of several edits is found in steps, and the first of
    them show in a real run. Where none does, little of what is left to imagine will be believed, less still where
    nothing was believed to fix a test, and real runs of the best candidates known find as much.
    """
    if any(_is_near(each.evaluation.marks, original) for each in runs):
        return patience * defaults.HOPEFUL_PATIENCE
    return patience * (defaults.MOST_PATIENCE if fixes else defaults.HOPELESS_PATIENCE)


def _is_near(marks: Marks, original: Marks) -> bool:
    """Whether a program passes more tests than the buggy one, by half of those that the buggy one fails."""
    before = sum(map(bool, original))
    return 2 * (sum(map(bool, marks)) - before) >= len(original) - before
