"""The seam between the agent and what it works on. Words:

- *domain*: one open task: what can be done, what is imagined of it, what really happens, what is learnt from that.
- *kind*: a kind of domain (repair, permutation, one's own): loads tasks from a path and opens one.
- *path*: actions from the start: edits of a program, commands of a plan, moves of a game.
- *finding*: a leaf of the search with its imagined step, or a correction of a path that was imagined before.

`loop.py` is the plan-act-verify-learn loop over any domain, and `check.py` tests a domain of one's own. A domain has
five methods; the other protocols of this file are optional abilities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar, runtime_checkable

from cwm_agent.agent.budget import Spending
from cwm_agent.agent.episodes.episode import Episode, RealRun
from planners import Leaf, Planner, Refused, Step

if TYPE_CHECKING:
    from cwm_agent.agent.episodes.search_record import SearchRecord
    from cwm_agent.agent.learning.true_steps import RealSteps
    from cwm_agent.agent.loop import Imagining
    from cwm_agent.agent.workplace import Workplace

S = TypeVar("S")
A = TypeVar("A")
K = TypeVar("K")
A_contra = TypeVar("A_contra", contravariant=True)


class DomainError(ValueError):
    """A domain that breaks its protocol; the message names the class, the method and what was expected."""


@dataclass(frozen=True, slots=True)
class Correction(Generic[S, A]):
    """A path that was answered before and is now imagined differently."""

    path: tuple[A, ...]
    step: Step[S]


Finding: TypeAlias = tuple[Leaf[S, A], Step[S] | Refused] | Correction[S, A]


@runtime_checkable
class Domain(Protocol[S, A]):
    """One open task."""

    def start(self, spending: Spending) -> Step[S]:
        """Return where the search starts; may run things for real, and then charges `spending`.

        Keep `spending` and update it as things are imagined; the loop reads it. An end "goal" means that nothing is to
        be done.
        """
        ...

    def actions(self, state: S) -> Sequence[A]:
        """Return what may be tried in `state`, always in the same order."""
        ...

    def imagine(self, new: Sequence[Leaf[S, A]]) -> Sequence[Finding[S, A]]:
        """Begin to imagine new leaves, and return those that are finished, earlier ones among them."""
        ...

    def act(self, path: Sequence[A], spending: Spending) -> RealRun:
        """Carry a path out for real, charge it, and return what was believed beside what really happened."""
        ...

    def learn(self, path: Sequence[A], real: RealRun) -> Step[S]:
        """Learn from a real run; return what is really at the end of the path ("goal" where it solved the task)."""
        ...


@runtime_checkable
class Streams(Protocol[S, A]):
    """A domain that imagines many leaves at the same time and finishes them in any order."""

    def room(self) -> int:
        """Return how many leaves the search may be asked for now."""
        ...

    def busy(self) -> bool:
        """Return whether anything is under way."""
        ...

    def close(self) -> Sequence[Finding[S, A]]:
        """Answer everything under way from what is known: the budget for imagination is spent.

        Leaves that are begun later are answered without imagining.
        """
        ...


@runtime_checkable
class Proposes(Protocol):
    """A domain with candidates that no planner asks for, such as combinations of earlier ones."""

    def propose(self, asked: int) -> bool:
        """Begin candidates of its own beside `asked` leaves; return whether there were any."""
        ...


@runtime_checkable
class Chooses(Protocol[S, A]):
    """A domain that decides itself which path to carry out, and when; the default is the plan of the search."""

    def choose(self, imagining: Imagining[S, A]) -> Sequence[A] | None:
        """Return the path to carry out next, imagining as long as that helps; None to give the task up."""
        ...


@runtime_checkable
class TellsProgress(Protocol):
    """A domain that says how far it is while it works."""

    def progress(self) -> str:
        """Return what was imagined so far and the best of it, in a few words; called often."""
        ...


@runtime_checkable
class Reconsiders(Protocol[S, A]):
    """A domain that compares a solution with others before the task ends."""

    def alternative(self, imagining: Imagining[S, A]) -> Sequence[A] | None:
        """Return another path to carry out for real; None when there is nothing more to compare."""
        ...

    def preferred(self, path: Sequence[A]) -> Sequence[A]:
        """Return the best of the solutions that were carried out; `path` is the first of them."""
        ...


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What is recorded at the end of a task beside the path."""

    text: str = ""
    """The result as text for a reader: a diff or a program."""
    right: bool | None = None
    """Whether a hidden check passes too; None where there is none."""
    trusted: tuple[bool | None, ...] = ()
    """Whether the oracle was right about each part of the first real run; None where it was not asked."""
    failing: tuple[str, ...] = ()
    """What was wrong at the start, one line each."""
    difference: Mapping[str, Any] = field(default_factory=dict)
    """Where another solution gives something else; empty where none is known, so that nothing is ambiguous."""
    evidence: Mapping[str, float] = field(default_factory=dict)
    """What the confidence is computed from."""
    confidence: float | None = None
    """Calibrated chance that the solution is right; None where it is not known."""
    imagination: tuple[str, ...] = ()
    """What of the task can be imagined, and why the rest cannot, as lines for a reader."""


@runtime_checkable
class Concludes(Protocol[A_contra]):
    """A domain with more to say of a solution than its actions."""

    def conclude(self, path: Sequence[A_contra] | None) -> Conclusion:
        """Return what is recorded of a solution, or of a task that stayed open (None)."""
        ...


@runtime_checkable
class Estimates(Protocol):
    """A domain that knows how good its best candidate is, for displays of a run."""

    def estimate(self) -> tuple[int, float | None]:
        """Return the number of candidates imagined, and the logarithm of the best odds (None where unknown)."""
        ...


@runtime_checkable
class Describes(Protocol):
    """A domain whose episodes hold more for the report than the tree of the search."""

    def describe(self, record: SearchRecord) -> dict[str, Any]:
        """Return JSON data about the task at its end; `record` is the search as it grew (`docs/episodes.md`)."""
        ...


@runtime_checkable
class ShowsRealSteps(Protocol):
    """A domain whose real runs are recorded step by step, so that an oracle can learn from them (`--learn online`)."""

    def real_steps(self) -> RealSteps:
        """Return the real runs of the task so far, and the oracle that imagined it."""
        ...


def expected(domain: object, method: str, value: object, kind: type[K]) -> K:
    """Return what a method of a domain returned; DomainError where it is of another kind."""
    if not isinstance(value, kind):
        raise DomainError(f"{type(domain).__name__}.{method} returned {value!r:.80}; expected a {kind.__name__}.")
    return value


def checked_findings(domain: Domain[S, A], findings: object) -> Sequence[Finding[S, A]]:
    """Return what `imagine` returned; DomainError where no search could take it."""
    name = f"{type(domain).__name__}.imagine"
    if not isinstance(findings, list | tuple):
        raise DomainError(f"{name} returned {findings!r:.80}; expected a list of (leaf, Step) pairs.")
    for found in findings:
        pair = isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], Step | Refused)
        if not pair and not isinstance(found, Correction):
            raise DomainError(f"{name} returned a list with {found!r:.80}; expected (leaf, Step) pairs.")
    return findings


class Task(Protocol):
    """A task of any kind; its `id` names its episode."""

    @property
    def id(self) -> str: ...


@runtime_checkable
class DomainKind(Protocol):
    """What `solve --domain` names."""

    @property
    def name(self) -> str: ...

    def load(self, path: str) -> Sequence[Any]:
        """Return the tasks at a path."""
        ...

    def open(self, task: Any, workplace: Workplace) -> Domain[Any, Any]:
        """Open one task; `workplace` has the settings and, opened when first used, sandbox, oracle and policy."""
        ...


@runtime_checkable
class Prepares(Protocol):
    """A kind with more to open than the oracle before the first task."""

    def prepare(self, workplace: Workplace) -> None:
        """Open what every task needs, so that what cannot be opened is refused before work begins."""
        ...


@runtime_checkable
class ChoosesPlanner(Protocol):
    """A kind whose planners need settings of their own."""

    def planner(self, name: str) -> Planner | None:
        """Return the planner of that name with the settings that suit this kind; None for the usual ones."""
        ...


@runtime_checkable
class Summarises(Protocol):
    """A kind that adds figures of its own to the summary of a run."""

    def summarise(self, tasks: Sequence[Any], episodes: Sequence[Episode]) -> Mapping[str, Any]:
        """Return further entries of `summary.json`."""
        ...


def checked_tasks(kind: DomainKind, path: str) -> Sequence[Any]:
    """Return the tasks that a kind loads; DomainError where they are no list of tasks with different ids."""
    name, tasks = type(kind).__name__, kind.load(path)
    if not isinstance(tasks, Sequence):
        raise DomainError(f"{name}.load({path!r}) returned {tasks!r:.80}; expected a list of tasks.")
    ids = [getattr(task, "id", None) for task in tasks]
    if not all(isinstance(each, str) and each for each in ids) or len(set(ids)) != len(ids):
        raise DomainError(f"{name}.load({path!r}) gave tasks with ids {ids!r:.120}; expected different texts.")
    return tasks


def opened(kind: DomainKind, task: Any, workplace: Workplace) -> Domain[Any, Any]:
    """Return the domain that a kind opens; DomainError where it lacks one of the five methods."""
    domain: object = kind.open(task, workplace)
    if not isinstance(domain, Domain):
        wanted = ("start", "actions", "imagine", "act", "learn")
        missing = [each for each in wanted if not callable(getattr(domain, each, None))]
        raise DomainError(
            f"{type(kind).__name__}.open returned {type(domain).__name__}, which lacks {', '.join(missing)}; "
            f"expected a domain with the methods {', '.join(wanted)}."
        )
    return domain
