"""The seam between imagination and whatever imagines. Words:

    query       a frame, the question it raises, and the view in which it is asked
    answer      the line that runs next (where the view says one) and the effect of the present line
    malformed   what an oracle said instead of an answer: evidence, not an exception
    unanswerable  a query that cannot be asked in this view, or from this page: says nothing of the model
    prediction  answer, malformed or unanswerable, with its log-probability and what it cost

A model's mistake is a value. A backend's failure (a server gone, weights missing) is an OracleError that says what
to do next.

    OracleError
    ├── UnknownOracle    a name on the command line that stands for no oracle
    ├── BackendFailed    the backend could not be reached or broke
    └── OutOfBudget      the tokens or calls that were allowed are spent
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import Frame

View = Literal["local", "program", "history"]
VIEWS: tuple[View, ...] = get_args(View)


class OracleError(RuntimeError):
    """An oracle that cannot answer at all; the message says what to do next."""


class UnknownOracle(OracleError):
    """A name that stands for no oracle."""


class BackendFailed(OracleError):
    """The backend could not be reached or broke."""


class OutOfBudget(OracleError):
    """What was allowed is spent."""


@dataclass(frozen=True, slots=True)
class Query:
    """One thing to imagine."""

    program: Program
    frame: Frame
    question: Question | None
    """What the line does; None where only the next line is open (a branch)."""
    view: View
    lines: frozenset[int] | None = None
    """Lines the answer may name; None leaves it free. A view that says no line ignores this."""
    history: tuple[Frame, ...] = ()
    """All frames so far, the present one included; given to the history view only."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an oracle says of a query."""

    effect: Effect = Effect()  # noqa: RUF009  # frozen, so sharing one is safe
    line: int | None = None
    """The line that runs next in the same function; None where the view says none or the line raises."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """What an oracle said that is no answer."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Unanswerable:
    """Why a query could not even be asked; the rollout is censored there, not wrong."""

    reason: str


@dataclass(frozen=True, slots=True)
class Prediction:
    said: Answer | Malformed | Unanswerable
    logprob: float | None = None
    """Natural logarithm of the probability of the whole answer; None where the backend gives none."""
    tokens: int = 0
    """Tokens read and written for this prediction; 0 when it was remembered."""


class Oracle(Protocol):
    """All that imagination may know of a model.

    One that may answer the same query differently, because it draws afresh, has `deterministic = False`.
    """

    @property
    def name(self) -> str:
        """What stands in reports and memos: equal names mean equal answers to equal queries."""
        ...

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        """One prediction for each query, in order."""
        ...


def is_deterministic(oracle: Oracle) -> bool:
    """Whether equal queries get equal answers, so that they may be remembered: yes, unless the oracle says no."""
    return bool(getattr(oracle, "deterministic", True))
