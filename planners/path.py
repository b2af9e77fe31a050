"""Imagined paths as linked values, and the book that keeps the best; shared by planners without a tree.

A path is an end when nothing can follow it: an end of the world, the depth limit, or no action that is not
refused. The best plan is the path with the highest imagined return among the ends and those whose value the
model knows; of equals a terminal one, then the shortest, then the first. Where none of them was met, it is
the deepest path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Generic, TypeVar

from planners.errors import BadModel, ModelFailed
from planners.limits import Limits, Meter, actions_of
from planners.model import Model, Refused, Step, root_step
from planners.plan import Plan

S = TypeVar("S")
A = TypeVar("A")


@dataclass(frozen=True, slots=True, eq=False)
class Path(Generic[S, A]):
    """One imagined path from the start."""

    state: S
    action: A | None = None
    before: Path[S, A] | None = None
    depth: int = 0
    gain: float = 0.0
    """Discounted rewards so far."""
    weight: float = 1.0
    """Discount that the next reward will have."""
    estimate: float = 0.0
    """Value of the state; where unknown, that of the state before."""
    known: bool = False
    terminal: bool = False
    prior: tuple[float, ...] | None = None

    @property
    def score(self) -> float:
        """Imagined return of the whole path."""
        return self.gain + self.weight * self.estimate

    def after(self, action: A, step: Step[S], discount: float) -> Path[S, A]:
        """Return the path that is one step longer."""
        believed = 0.0 if step.terminal else self.estimate
        return Path(
            state=step.state,
            action=action,
            before=self,
            depth=self.depth + 1,
            gain=self.gain + self.weight * step.reward,
            weight=self.weight * discount,
            estimate=believed if step.value is None else step.value,
            known=step.terminal or step.value is not None,
            terminal=step.terminal,
            prior=step.prior,
        )


def start_path(state: S | Step[S]) -> Path[S, A]:
    """Return the path of no steps."""
    step = root_step(state)
    known = step.value is not None or step.terminal
    return Path(step.state, estimate=step.value or 0.0, known=known, terminal=step.terminal, prior=step.prior)


class Book(Generic[S, A]):
    """Keeps the best path seen, and everything that a planner needs to lengthen paths."""

    def __init__(self, model: Model[S, A], start: Path[S, A], limits: Limits, rng: Random, discount: float) -> None:
        self.model, self.limits, self.rng, self.discount = model, limits, rng, discount
        self.meter: Meter[S, A] = Meter(limits)
        self.best: Path[S, A] | None = None
        self.best_terminal: Path[S, A] | None = None
        self.deepest = start
        self.cut = False
        """Whether a limit stood in the way."""
        self.see(start)

    def see(self, path: Path[S, A]) -> None:
        """Remember a path when it is the best so far."""
        if path.terminal and (self.best_terminal is None or _rank(path) > _rank(self.best_terminal)):
            self.best_terminal = path
        if path.known or path.depth >= self.limits.depth:
            self.end(path)
        if (path.depth, path.score) > (self.deepest.depth, self.deepest.score):
            self.deepest = path

    def end(self, path: Path[S, A]) -> None:
        """Let a path compete for the plan."""
        if self.best is None or _rank(path) > _rank(self.best):
            self.best = path

    def grow(self, paths: Sequence[Path[S, A]]) -> list[Path[S, A]]:
        """Return all paths one step longer, in one batch, cut to the limits; dead ends are booked as ends."""
        moves = [
            (path, action)
            for path in paths
            if not path.terminal and path.depth < self.limits.depth
            for action in actions_of(self.model, path.state)
        ]
        longer = [after for after in self.step(moves) if after is not None]
        if not self.cut:
            grown = {id(after.before) for after in longer}
            for path in paths:
                if id(path) not in grown:
                    self.end(path)
        return longer

    def step(self, moves: Sequence[tuple[Path[S, A], A]]) -> list[Path[S, A] | None]:
        """Return each move's longer path, None where refused; fewer than asked, and `cut`, at a limit."""
        room = self.meter.room(len(moves))
        self.cut = self.cut or room < len(moves)
        if room == 0:
            return []
        answers = self.meter.step(self.model, [(path.state, action) for path, action in moves[:room]], self.rng)
        longer = [
            None if isinstance(answer, Refused) else path.after(action, answer, self.discount)
            for (path, action), answer in zip(moves, answers, strict=False)
        ]
        for after in longer:
            if after is not None:
                self.see(after)
        return longer

    def goal_beats(self, rest: Sequence[Path[S, A]]) -> bool:
        """Whether an end of the world was found that looks strictly better than anything still open."""
        goal = self.best_terminal
        return goal is not None and all(goal.score > path.score for path in rest)

    def plan(self, stopped: str) -> Plan[S, A]:
        """Return the best path as a plan."""
        best = self.best or self.deepest
        plan = self._plan_of(best, stopped)
        if self.best_terminal is None or self.best_terminal is best:
            return plan
        return replace(plan, best_terminal=self._plan_of(self.best_terminal, stopped))

    def failed(self, error: ModelFailed) -> ModelFailed:
        """Return the error with the best plan so far in it."""
        error.plan = self.plan("failed")
        return error

    def _plan_of(self, path: Path[S, A], stopped: str) -> Plan[S, A]:
        steps = [path]
        while steps[-1].before is not None:
            steps.append(steps[-1].before)
        steps.reverse()
        return Plan(
            actions=tuple(step.action for step in steps[1:]),  # type: ignore[misc]
            states=tuple(step.state for step in steps),
            value=path.score if path.depth or path.known else None,
            terminal=path.terminal,
            spent=self.meter.spent,
            stopped=stopped,
        )


class Seen(Generic[S, A]):
    """States already reached, so that a worse way to the same state is dropped."""

    def __init__(self, planner: str) -> None:
        self.planner = planner
        self.ways: dict[S, tuple[float, int]] = {}

    def beats(self, path: Path[S, A]) -> bool:
        """Whether this state was reached before, as early and with as much gain."""
        try:
            way = self.ways.get(path.state)
        except TypeError as error:
            raise BadModel(
                f"{self.planner} merges equal states, and {type(path.state).__name__} is not hashable: "
                f"make states frozen, or plan with {self.planner}(merge=False)."
            ) from error
        return way is not None and way[0] >= path.gain and way[1] <= path.depth

    def add(self, path: Path[S, A]) -> None:
        """Remember this as the way to its state."""
        self.ways[path.state] = (path.gain, path.depth)


def _rank(path: Path[S, A]) -> tuple[float, bool, int]:
    return path.score, path.terminal, -path.depth
