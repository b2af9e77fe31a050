"""What a solve may spend, and what it spent: two records; domains charge what they run, the loop enforces limits."""

from dataclasses import dataclass


class BadBudget(ValueError):
    """A budget with which no task can be solved; the message says what to give."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one solve; running out ends it with the best found so far."""

    executions: int = 50
    """Real executions: different programs run on the visible tests, the buggy one included."""
    tokens: int = 1_000_000
    """Of the oracle. The same tokens are the same work on any machine, so a run can be repeated."""
    steps: int = 16_000_000
    """Imagined, over all candidates."""
    seconds: float = 180.0
    """A backstop for planning and imagining. After them, what was imagined is run for as long again at most; a real
    execution that was begun is finished."""
    edits: int = 3
    """Longest patch."""
    comparisons: int = 12
    """Real executions after the first candidate that passes, to compare it with others; 0 keeps that candidate."""

    def __post_init__(self) -> None:
        if self.executions < 1:
            raise BadBudget(f"A budget of {self.executions} real executions cannot even run the buggy program.")
        if not self.seconds > 0 or self.edits < 1 or min(self.tokens, self.steps, self.comparisons) < 0:
            raise BadBudget(
                "A budget needs seconds above 0, at least one edit, and no negative tokens, steps or comparisons, "
                f"got {self}."
            )


@dataclass(slots=True)
class Spending:
    """What one solve has spent so far."""

    executions: int = 0
    """Charged real executions until the tests pass, the buggy program's included."""
    comparisons: int = 0
    """Charged real executions after that: smaller patches, other candidates, inputs that no test has."""
    looks: int = 0
    """Programs that an oracle ran for real; charged unless it is the ceiling of an experiment."""
    tokens: int = 0
    queries: int = 0
    remembered: int = 0
    """Queries answered from what the oracle had said before."""
    steps: int = 0
    imagined: int = 0
    """Programs about which the model said something: a rollout of one of their tests came to a verdict."""
    proposals: int = 0
    """Edits that a language model proposed."""
    proposal_tokens: int = 0
    """What that took; not the oracle's."""
    real_seconds: float = 0.0
    imagining_seconds: float = 0.0
    seconds: float = 0.0

    @property
    def real_executions(self) -> int:
        """All charged real executions."""
        return self.executions + self.comparisons
