"""When a candidate is run: at once where it is likely and believed to pass, else after further candidates."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.repair_model import ImaginedRepair
from envs.editing.class_priors import is_likely

SECOND_THOUGHTS = 96
"""Further candidates imagined before an unlikely edit is run: many unlikely edits pass the tests by accident."""
ENOUGH = 0.8
"""Chance from which a candidate is run although it is believed to fail tests that were imagined wrong before."""
DOUBTED = 0.8
"""Trust in a test below which a belief that it fails is doubted: one wrong belief about it leads there."""


@dataclass(slots=True)
class Readiness:
    """Decides after each round of imagining whether a candidate is run; made anew after each real run."""

    world: ImaginedRepair
    best: Callable[[Iterable[Candidate]], Candidate | None]
    """The best of some candidates that were not run yet."""
    _believed_since: int | None = None
    _weighed_at: int = 0

    def __post_init__(self) -> None:
        self._weighed_at = len(self.world.seen)

    def candidate(self) -> Candidate | None:
        """The candidate to run now; None while it is better to imagine more."""
        seen = len(self.world.seen)
        believed = self.best(self.world.believed_solutions)
        if believed is not None:
            self._believed_since = seen if self._believed_since is None else self._believed_since
            ready = is_likely(believed.state.patch) or seen - self._believed_since >= SECOND_THOUGHTS
            return believed if ready else None
        if seen - self._weighed_at < SECOND_THOUGHTS:
            return None
        self._weighed_at = seen
        best = self.best(self.world.seen.values())
        sure = best is not None and self._fails_doubted_only(best) and self.world.chance(best) >= ENOUGH
        return best if sure else None

    def _fails_doubted_only(self, candidate: Candidate) -> bool:
        pairs = zip(candidate.verdicts, self.world.trusts, strict=True)
        return all(trust.share < DOUBTED for passes, trust in pairs if passes is False)
