"""The agent's loop: plan in imagination, act for real, verify, learn, plan again; the same for every domain.

    imagining = Imagining(domain, planner, settings)        a search, and the domain that answers it
    path = choose(imagining)                                imagine until a path is worth a real run
    run = domain.act(path, spending)                        carry it out; charged
    step = domain.learn(path, run)                          what is really there
    search.correct(path, step)                              the search goes on from the truth

Knows no program, no oracle and no task.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from random import Random
from typing import Any, Generic, TypeVar

from cwm_agent.agent.budget import Spending
from cwm_agent.agent.domain import (
    Chooses,
    Concludes,
    Conclusion,
    Correction,
    Describes,
    Domain,
    DomainError,
    Estimates,
    Finding,
    Proposes,
    Reconsiders,
    Streams,
    TellsProgress,
    checked_findings,
    expected,
)
from cwm_agent.agent.episodes.episode import Episode, RealRun
from cwm_agent.agent.episodes.episode_details import within_limit
from cwm_agent.agent.episodes.search_record import SearchRecord
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.worker_state import TaskWatch
from planners import BadOption, BadPlanner, Leaf, Limits, Plan, Planner, Refused, Search, Step

S = TypeVar("S")
A = TypeVar("A")

LEAVES = 4_096
"""Most leaves imagined at once; a planner may want fewer."""


class Imagining(Generic[S, A]):
    """The imagining half of the loop: one search at a time, and the domain that answers it."""

    def __init__(self, domain: Domain[S, A], planner: Planner, settings: Settings, spending: Spending) -> None:
        self.domain, self.settings, self.spending = domain, settings, spending
        # `isinstance` of a protocol looks at every name of it, and `advance` would ask thousands of times.
        self._streams = domain if isinstance(domain, Streams) else None
        self._proposes = domain if isinstance(domain, Proposes) else None
        self._tells_progress = domain if isinstance(domain, TellsProgress) else None
        self.rng = Random(settings.seed)
        self.root: Step[S] | None = None
        self.deadline = time.monotonic() + settings.budget.seconds
        self.open = True
        """Whether there is budget left to imagine."""
        self.record = SearchRecord()
        """The growth of the search under way."""
        self.watch: TaskWatch | None = None
        """Takes the progress of the task; None where no display shows it."""
        self._planner = planner
        self._search: Search[S, A] | None = None
        self._in_flight = 0
        self.on_progress: Callable[[str], None] = lambda note: None
        self._may_have_goal = False
        """Whether the search may know a plan to a goal: it was told one, or corrected, since it was last asked."""

    @property
    def search(self) -> Search[S, A]:
        """The search under way; begun when it is first used."""
        if self._search is None:
            self.restart()
        assert self._search is not None
        return self._search

    def restart(self, root: Step[S] | None = None, limits: Limits | None = None) -> None:
        """Begin a new search, for domains that plan anew from what they learnt; from another root if one is given."""
        assert self.root is not None
        self.root = root or self.root
        limits = limits or Limits(calls=None, depth=self.settings.budget.edits)
        search: object = self._planner.search(self.domain, self.root, limits, self.rng)
        if not isinstance(search, Search):
            raise BadPlanner(
                f"{type(self._planner).__name__}.search returned {search!r:.80}; expected a search with `leaves` and "
                "the methods ask, tell, release, correct and plan."
            )
        self._search, self._in_flight, self._may_have_goal = search, 0, False
        self.record.begin(self.root)

    def may_imagine(self) -> bool:
        """Whether settings and budget allow to imagine more."""
        budget, spent = self.settings.budget, self.spending
        return (
            self.settings.imagines
            and time.monotonic() < self.deadline
            and spent.tokens < budget.tokens
            and spent.steps < budget.steps
            and (not self.settings.charges_oracle or spent.real_executions < budget.executions)
        )

    def advance(self) -> bool:
        """Imagine a few more leaves, or the same ones further; False when nothing is left to imagine."""
        if self.watch is not None and self.watch.due():
            self.show()
        if self.open and not self.may_imagine():
            self.close()
            if self._streams is None:
                return False
        leaves = self._asked()
        proposed = self.open and self._proposes is not None and self._proposes.propose(len(leaves))
        self._in_flight += len(leaves)
        self._take(checked_findings(self.domain, self.domain.imagine(leaves)))
        if self._tells_progress is not None:
            left = max(0.0, self.deadline - time.monotonic())
            self.on_progress(f"{self._tells_progress.progress()}, at most {left:.0f} s left")
        busy = self._streams.busy() if self._streams is not None else self._in_flight > 0
        return bool(leaves or proposed or busy)

    def close(self) -> None:
        """Imagine nothing more: the budget is spent, or the domain knows that it would learn nothing."""
        if self.open and self._streams is not None:
            self._take(self._streams.close())
        self.open = False

    def _asked(self) -> list[Leaf[S, A]]:
        room = self._streams.room() if self._streams is not None else min(self.search.leaves, LEAVES)
        leaves: object = self.search.ask(room) if room else []
        if not isinstance(leaves, list):
            raise BadPlanner(f"{type(self.search).__name__}.ask returned {leaves!r:.80}; expected a list of leaves.")
        return leaves

    def _take(self, findings: Sequence[Finding[S, A]]) -> None:
        """Pass findings on in their order, neighbouring answers together."""
        answers: list[tuple[Leaf[S, A], Step[S] | Refused]] = []
        for found in findings:
            if isinstance(found, Correction):
                self._tell(answers)
                answers = []
                self.correct(found.path, found.step)
            else:
                answers.append(found)
        self._tell(answers)

    def _tell(self, answers: list[tuple[Leaf[S, A], Step[S] | Refused]]) -> None:
        self._in_flight -= len(answers)
        self._may_have_goal |= any(isinstance(step, Step) and step.end == "goal" for _, step in answers)
        if answers:
            self.search.tell(answers)
        for leaf, step in answers:
            self.record.tell(leaf.state, leaf.action, step)

    def correct(self, path: Sequence[A], step: Step[S]) -> None:
        """Write what is known of a path over what the search was told of it."""
        if self._search is not None:
            with suppress(BadOption):  # other actions led to the same state, and the search never met these
                self._search.correct(path, step)

    def plan(self, *, at_once: bool = False) -> Plan[S, A] | None:
        """Imagine until the search is over or the budget is spent; the plan to a goal, None where there is none.

        With `at_once` the first goal that is imagined ends the search: a better one may be missed, and much is saved.
        """
        while not (at_once and self._has_goal()) and self.advance():
            pass
        return self._goal()

    def _has_goal(self) -> bool:
        """Whether the search has a plan to a goal; its tree is read only where that may have changed."""
        self._may_have_goal = self._may_have_goal and self._goal() is not None
        return self._may_have_goal

    def _goal(self) -> Plan[S, A] | None:
        found = self.search.plan()
        return found if found.end == "goal" else found.best_goal

    def show(self) -> None:
        """Tell the watch how the task stands."""
        if self.watch is not None:
            known = self.domain.estimate() if isinstance(self.domain, Estimates) else (len(self.record.nodes), None)
            self.watch.show(*known, self.spending.executions, self.deadline - time.monotonic())

    def details(self) -> dict[str, Any]:
        """What the report shows of the task beyond its episode: the tree, and what the domain adds."""
        self.record.read(self._search)
        if isinstance(self.domain, Describes):
            return within_limit(expected(self.domain, "describe", self.domain.describe(self.record), dict))
        return within_limit({"tree": self.record.rows()})


def solve_task(
    task: str,
    domain: Domain[S, A],
    planner: Planner,
    settings: Settings,
    *,
    on_progress: Callable[[str], None] = lambda note: None,
    watch: TaskWatch | None = None,
) -> Episode:
    """Work on one open task within its budget; the episode says what was planned, run, learnt and spent."""
    began, spending = time.monotonic(), Spending()
    imagining = Imagining(domain, planner, settings, spending)
    imagining.on_progress, imagining.watch = on_progress, watch
    root = imagining.root = expected(domain, "start", domain.start(spending), Step)
    runs: list[RealRun] = []
    solved: Sequence[A] | None = () if root.end == "goal" else None
    last = imagining.deadline + settings.budget.seconds
    while solved is None and spending.executions < settings.budget.executions and time.monotonic() < last:
        path = _chosen(imagining)
        if path is None:
            break
        step = _act(imagining, path, runs)
        imagining.show()
        if step.end == "goal":
            solved = path
        else:
            imagining.correct(path, step)
    if solved and isinstance(domain, Reconsiders):
        solved = _reconsidered(imagining, domain, solved, runs)
    spending.seconds = time.monotonic() - began
    concluded = domain.conclude(solved) if isinstance(domain, Concludes) else Conclusion()
    return Episode(
        task=task,
        solved=solved is not None,
        right=concluded.right,
        patch=tuple(map(str, solved or ())),
        diff=concluded.text,
        settings=settings.described(),
        trusted=concluded.trusted,
        runs=tuple(runs),
        spent=asdict(spending),
        failing=concluded.failing,
        difference=dict(concluded.difference),
        evidence=dict(concluded.evidence),
        confidence=concluded.confidence,
        imagination=concluded.imagination,
        details=imagining.details(),
    )


def _chosen(imagining: Imagining[S, A]) -> Sequence[A] | None:
    """The path to carry out next, by the domain's own choice or by the plan of the search."""
    began = time.monotonic()
    if isinstance(imagining.domain, Chooses):
        path = imagining.domain.choose(imagining)
    else:
        found = imagining.plan(at_once=True)
        path = None if found is None else found.actions
    imagining.spending.imagining_seconds += time.monotonic() - began
    return path


def _reconsidered(
    imagining: Imagining[S, A], domain: Reconsiders[S, A], first: Sequence[A], runs: list[RealRun]
) -> Sequence[A]:
    """The best of the solutions that the budget for comparisons allows to carry out."""
    spending, budget = imagining.spending, imagining.settings.budget
    while spending.comparisons < budget.comparisons and spending.real_executions < budget.executions:
        began = time.monotonic()
        path = domain.alternative(imagining)
        spending.imagining_seconds += time.monotonic() - began
        if path is None:
            break
        _act(imagining, path, runs)
    return domain.preferred(first) if budget.comparisons else first


def _act(imagining: Imagining[S, A], path: Sequence[A], runs: list[RealRun]) -> Step[S]:
    """Carry a path out, keep the record, and return what is really at its end."""
    domain, spending = imagining.domain, imagining.spending
    began, before = time.monotonic(), spending.real_executions
    run = expected(domain, "act", domain.act(path, spending), RealRun)
    spending.real_seconds += time.monotonic() - began
    runs.append(run)
    if spending.real_executions <= before:
        raise DomainError(
            f"{type(domain).__name__}.act charged nothing; expected it to add at least 1 to spending.executions, "
            "or the task would never end."
        )
    return expected(domain, "learn", domain.learn(path, run), Step)
