"""How long a repair goes on imagining: longer where real runs show that the repair is near."""

from collections.abc import Iterable, Sequence

from cwm_agent import defaults
from cwm_agent.agent.repair.details.repair_details import RunCandidate

Marks = Sequence[bool | None]


def most_effort(patience: int, original: Marks, runs: Iterable[RunCandidate]) -> float:
    """Effort after which nothing more is imagined; `original` says which tests the buggy program passes.

    A repair of several edits is found in steps, and the first of them show in a real run. Where none does, little of
    what is left to imagine will be believed, and real runs of the best candidates known find as much.
    """
    near = any(_is_near(each.evaluation.marks, original) for each in runs)
    return patience * (defaults.HOPEFUL_PATIENCE if near else defaults.MOST_PATIENCE)


def _is_near(marks: Marks, original: Marks) -> bool:
    """Whether a program passes more tests than the buggy one, by half of those that the buggy one fails."""
    before = sum(map(bool, original))
    return 2 * (sum(map(bool, marks)) - before) >= len(original) - before
