"""The protocol between imagination and the models that answer it. Words:

    query         a frame, the question it raises, and the view in which the oracle sees it
    answer        the line that runs next (where the view names one) and the effect of the present line
    malformed     the text of an oracle that is no answer: evidence, not an exception
    unanswerable  a query that this view or this frame cannot express: no evidence about the model
    prediction    answer, malformed or unanswerable, with its log-probability and its cost
    capability    an optional ability of an oracle: a class with one member, which the oracle declares by having it

A model's mistake is a value. A backend's failure (a server that is down, missing weights) is an OracleError that says
what to do next.

    OracleError
    ├── UnknownOracle    a name on the command line that no oracle has
    ├── BackendFailed    the backend could not be reached or broke
    └── OutOfBudget      the tokens or calls that were allowed are spent
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, get_args, runtime_checkable

from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import Frame
from envs.execution.step_cache.step_cache import StepCache

if TYPE_CHECKING:
    from cwm_agent.engine.network import Network
    from cwm_agent.engine.weights import TrainedModel

MarkovView = Literal["local", "program"]
"""Views that show one frame: an `Oracle` answers in these."""
MARKOV_VIEWS: tuple[MarkovView, ...] = get_args(MarkovView)
View = Literal["local", "program", "history"]
"""All views; a `HistoryOracle` (`history_protocol.py`) answers in the history view."""
VIEWS: tuple[View, ...] = get_args(View)
K = TypeVar("K", bound=Hashable)


class OracleError(RuntimeError):
    """An oracle that cannot answer at all; the message says what to do next."""


class UnknownOracle(OracleError):
    """A name that no oracle has."""


class BackendFailed(OracleError):
    """The backend could not be reached or broke."""


class OutOfBudget(OracleError):
    """The allowed tokens, calls or queries are spent."""


@dataclass(frozen=True, slots=True)
class Query:
    """One step to imagine."""

    program: Program
    frame: Frame
    question: Question | None
    """What the line does; None where only the next line is open (a branch)."""
    view: MarkovView
    lines: frozenset[int] | None = None
    """Lines the answer may name; None allows all. A view without a next line ignores this."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An oracle's answer to a query."""

    effect: Effect = Effect()  # noqa: RUF009  # frozen, so sharing one is safe
    line: int | None = None
    """The line that runs next in the same function; None if the view names none or the line raises."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """Text of an oracle that is no answer, and why."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Unanswerable:
    """The reason why the oracle could not be asked; the rollout is censored there, not wrong."""

    reason: str


@dataclass(frozen=True, slots=True)
class Prediction:
    """What an oracle returns for one query."""

    said: Answer | Malformed | Unanswerable
    logprob: float | None = None
    """Natural logarithm of the probability of the whole answer; None where the backend gives none."""
    tokens: int = 0
    """Tokens read and written for this prediction; 0 for one from a cache."""


class Oracle(Protocol):
    """All that every oracle has: a name, and predictions for a batch of queries. This is a complete oracle.

    The capabilities below are optional. An oracle declares one by having its member; each caller asks for the
    capability by its class, as in `isinstance(oracle, StreamsAnswers)`, and works without it where it is absent.
    """

    @property
    def name(self) -> str:
        """The name in reports and caches: equal names mean equal answers to equal queries."""
        ...

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        """One prediction for each query, in order."""
        ...


@runtime_checkable
class AnswerStream(Protocol[K]):
    """Queries under way: a query may be added at any time, and its prediction comes as soon as it is ready."""

    def __len__(self) -> int:
        """The number of queries without a prediction so far."""
        ...

    def ask(self, key: K, query: Query) -> None:
        """Add one query; its prediction comes back under `key`."""
        ...

    def advance(self) -> list[tuple[K, Prediction]]:
        """Predictions that are ready; at least one if any query is under way."""
        ...


@runtime_checkable
class DeclaresDeterminism(Protocol):
    """Capability: declares whether equal queries get equal answers. An oracle without it is deterministic."""

    @property
    def deterministic(self) -> bool:
        """False for an oracle that samples its answers; they are then never cached."""
        ...


@runtime_checkable
class StreamsAnswers(Protocol):
    """Capability: answers each query as soon as it is ready, not a batch at a time."""

    def stream(self) -> AnswerStream[Any]:
        """A new stream without queries."""
        ...


@runtime_checkable
class CachesAnswers(Protocol):
    """Capability: answers known queries from a cache, without a batch."""

    def cached(self, queries: Sequence[Query]) -> list[Prediction] | None:
        """The cached predictions of all queries, in order; None unless every one of them is cached."""
        ...


@runtime_checkable
class CachesSteps(Protocol):
    """Capability: keeps answers as compiled steps, which a rollout takes without a query."""

    @property
    def step_cache(self) -> StepCache | None:
        """The compiled steps; None where answers must not be cached."""
        ...


@runtime_checkable
class Forgets(Protocol):
    """Capability: can drop what it keeps between queries, so that results do not depend on earlier work."""

    def forget(self) -> None:
        """Return to the state after loading. Answers stay the same; the order in which a stream gives them may not."""
        ...


@runtime_checkable
class ScoresAnswers(Protocol):
    """Capability: gives the probability of any answer to a query, and so a distribution over what a line draws."""

    def scores(self, query: Query, effects: Sequence[Effect]) -> list[float] | Unanswerable:
        """The log-probability of each effect as the whole answer; Unanswerable where the query cannot be asked."""
        ...


@runtime_checkable
class ChangesWeights(Protocol):
    """Capability: answers with a network whose weights can be changed, so that it can learn between tasks."""

    def trained_model(self) -> "TrainedModel":
        """The model as it was trained, in a copy of its own."""
        ...

    def use_weights(self, network: "Network", fingerprint: str) -> None:
        """Answer with other weights of the same shape from now on; the oracle's name changes with them."""
        ...


@runtime_checkable
class SetsWidth(Protocol):
    """Capability: says how many rollouts of a search are best imagined at once; `USUAL_WIDTH` where it is absent."""

    @property
    def search_width(self) -> int:
        """More fill the processor better and delay the likeliest candidates, which come first."""
        ...


CAPABILITIES: tuple[type, ...] = (
    DeclaresDeterminism,
    StreamsAnswers,
    CachesAnswers,
    CachesSteps,
    Forgets,
    ScoresAnswers,
    ChangesWeights,
    SetsWidth,
)
USUAL_WIDTH = 16
"""Rollouts of a search at once; measured where a pass takes long whatever its tokens (docs/repair.md)."""


def capabilities(oracle: Oracle) -> tuple[type, ...]:
    """The capabilities that an oracle declares."""
    return tuple(each for each in CAPABILITIES if isinstance(oracle, each))


def is_deterministic(oracle: Oracle) -> bool:
    """Whether equal queries get equal answers, so that these may be cached; True unless the oracle declares False."""
    return oracle.deterministic if isinstance(oracle, DeclaresDeterminism) else True


def width_of(oracle: object) -> int:
    """How many rollouts of a search are imagined at once with an oracle."""
    return oracle.search_width if isinstance(oracle, SetsWidth) else USUAL_WIDTH
