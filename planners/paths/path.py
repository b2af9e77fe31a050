"""Imagined paths as linked values, and the book that keeps the best: the base of all planners without a tree.

A path is an end if nothing can follow it: the model named an end, the depth limit is reached, or the model offers no
action or refuses all. The best plan is the path with the highest imagined return among the ends and the paths with a
known value; of equals one that ended, then the shortest, then the first. If there is no such path, it is the deepest
path.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Generic, TypeAlias, TypeVar

from planners.errors import BadModel, BadOption
from planners.limits import Limits, Meter, actions_of
from planners.model import End, Offers, Refused, Step, root_step
from planners.plan import Plan

S = TypeVar("S")
A = TypeVar("A")
R = TypeVar("R")


Moves: TypeAlias = list[tuple[S, A]]
Growing: TypeAlias = Generator[Moves[S, A], Sequence[Step[S] | Refused], R]
"""A search written as a generator: it yields moves, receives their answers, and returns a result at its end."""


@dataclass(slots=True, eq=False)
class Path(Generic[S, A]):
    """One imagined path from the start; only a correction by a real step changes it."""

    state: S
    action: A | None = None
    before: Path[S, A] | None = None
    depth: int = 0
    gain: float = 0.0
    """Discounted rewards so far."""
    weight: float = 1.0
    """Discount of the next reward."""
    estimate: float = 0.0
    """Value of the state; if unknown, that of the state before."""
    known: bool = False
    end: End | None = None
    prior: Sequence[float] | None = None
    grown: bool = False
    """Whether its actions have been tried."""
    dropped: bool = False
    """Whether a correction refused this path or a part of it."""

    @property
    def score(self) -> float:
        """Return the imagined return of the whole path."""
        return self.gain + self.weight * self.estimate

    @property
    def is_open(self) -> bool:
        """Whether it may still be extended."""
        return self.end is None and not self.dropped and not self.grown

    def after(self, action: A, step: Step[S], discount: float) -> Path[S, A]:
        """Return the path that is one step longer."""
        longer: Path[S, A] = Path(step.state, action, self, self.depth + 1, weight=self.weight * discount)
        longer.write(step)
        return longer

    def write(self, step: Step[S]) -> None:
        """Write the result of an imagined or real step into the last state."""
        above = self.before
        assert above is not None
        believed = above.estimate if step.end is None else 0.0
        self.state, self.end, self.prior = step.state, step.end, step.prior
        self.gain = above.gain + above.weight * step.reward
        self.estimate = believed if step.value is None else step.value
        self.known = step.end is not None or step.value is not None

    def actions(self) -> list[A]:
        """Return the actions from the start."""
        return [] if self.before is None else [*self.before.actions(), self.action]  # type: ignore[list-item]

    def passes(self, other: Path[S, A]) -> bool:
        """Whether another path is a prefix of this one."""
        path: Path[S, A] | None = self
        while path is not None and path is not other:
            path = path.before
        return path is other


def start_path(state: S | Step[S]) -> Path[S, A]:
    """Return the path of no steps."""
    step = root_step(state)
    known = step.value is not None or step.end is not None
    return Path(step.state, estimate=step.value or 0.0, known=known, end=step.end, prior=step.prior)


class Book(Generic[S, A]):
    """Keeps all paths and the best of them, and has all that a planner needs to extend paths."""

    def __init__(self, model: Offers[S, A], start: Path[S, A], limits: Limits, rng: Random, *, discount: float) -> None:
        self.model, self.limits, self.rng, self.discount = model, limits, rng, discount
        self.meter: Meter[S, A] = Meter(limits)
        self.start = start
        self.paths: list[Path[S, A]] = []
        """All paths so far, in order."""
        self.reopened: list[Path[S, A]] = []
        """Paths that a correction opened again; the planner includes them in its next choice."""
        self.best: Path[S, A] | None = None
        self.best_goal: Path[S, A] | None = None
        self.deepest = start
        self.cut = False
        """Whether a limit stopped the search."""
        self.see(start)

    def see(self, path: Path[S, A]) -> None:
        """Store a path, and make it the best if it is."""
        self.paths.append(path)
        self._rate(path)

    def _rate(self, path: Path[S, A]) -> None:
        if path.end == "goal" and (self.best_goal is None or _rank(path) > _rank(self.best_goal)):
            self.best_goal = path
        if path.known or path.depth >= self.limits.depth:
            self.end(path)
        if (path.depth, path.score) > (self.deepest.depth, self.deepest.score):
            self.deepest = path

    def end(self, path: Path[S, A]) -> None:
        """Make a path the best one if it ranks above the best so far."""
        if self.best is None or _rank(path) > _rank(self.best):
            self.best = path

    def grow(self, paths: Sequence[Path[S, A]]) -> Growing[S, A, list[Path[S, A]]]:
        """Return all paths one step longer, in one batch, cut to the limits; dead ends are ranked as ends.

        Likely actions are asked first, so that a limit cuts off the unlikely ones.
        """
        able = [path for path in paths if path.is_open and path.depth < self.limits.depth]
        moves = [(path, action) for path in able for action in self._by_prior(path)]
        for path in able:
            path.grown = True
        longer = [after for after in (yield from self.step(moves)) if after is not None]
        if not self.cut:
            grown = {id(after.before) for after in longer}
            for path in paths:
                if id(path) not in grown:
                    self.end(path)
        return longer

    def _by_prior(self, path: Path[S, A]) -> Sequence[A]:
        actions = actions_of(self.model, path.state)
        if path.prior is None or len(path.prior) != len(actions):
            return actions
        prior = path.prior
        return [actions[index] for index in sorted(range(len(actions)), key=lambda index: -prior[index])]

    def step(self, moves: Sequence[tuple[Path[S, A], A]]) -> Growing[S, A, list[Path[S, A] | None]]:
        """Return each move's longer path, None if refused; at a limit it sets `cut` and returns fewer."""
        room = self.meter.room(len(moves))
        self.cut = self.cut or room < len(moves)
        if room == 0:
            return []
        answers = yield [(path.state, action) for path, action in moves[:room]]
        longer = [
            None if isinstance(answer, Refused) else path.after(action, answer, self.discount)
            for (path, action), answer in zip(moves, answers, strict=False)
        ]
        for after in longer:
            if after is not None:
                self.see(after)
        return longer

    def goal_beats(self, rest: Sequence[Path[S, A]]) -> bool:
        """Whether a goal was found with a strictly higher score than every open path."""
        goal = self.best_goal
        return goal is not None and all(goal.score > path.score for path in rest)

    def correct(self, actions: Sequence[A], real: Step[S] | Refused) -> None:
        """Overwrite the imagined result of a path with the real one; drop the paths that depend on a wrong state."""
        if not actions:
            raise BadOption("correct() got no actions; the root's own state is real already.")
        for path in self._found(actions) or [self._opened(actions, real)]:
            self._correct(path, real)
        self._rate_all()

    def _correct(self, path: Path[S, A], real: Step[S] | Refused) -> None:
        same = not isinstance(real, Refused) and path.state == real.state and path.end == real.end
        if isinstance(real, Refused):
            path.dropped = True
        else:
            path.write(real)
            path.dropped, path.grown = False, path.grown and same
            if path.is_open:
                self.reopened.append(path)
        if not same:
            for each in self.paths:
                each.dropped = each.dropped or (each is not path and each.passes(path))

    def _found(self, actions: Sequence[A]) -> list[Path[S, A]]:
        """Return all paths with these actions: planners that draw at random may have several."""
        wanted = list(actions)
        alike = (path for path in self.paths if path.depth == len(wanted) and path.action == wanted[-1])
        return [path for path in alike if path.actions() == wanted]

    def _opened(self, actions: Sequence[A], real: Step[S] | Refused) -> Path[S, A]:
        """Return a new path whose last action was never imagined."""
        above = [self.start] if len(actions) == 1 else self._found(actions[:-1])
        if not above or isinstance(real, Refused):
            raise BadOption(f"{list(actions)!r:.200} was never imagined; correct what led there first.")
        path = above[0].after(actions[-1], real, self.discount)
        self.paths.append(path)
        return path

    def _rate_all(self) -> None:
        self.best = self.best_goal = None
        self.deepest = self.start
        for path in self.paths:
            if not path.dropped:
                self._rate(path)

    def plan(self, stopped: str) -> Plan[S, A]:
        """Return the best path as a plan."""
        best = self.best or self.deepest
        plan = self._plan_of(best, stopped)
        if self.best_goal is None or self.best_goal is best:
            return plan
        return replace(plan, best_goal=self._plan_of(self.best_goal, stopped))

    def _plan_of(self, path: Path[S, A], stopped: str) -> Plan[S, A]:
        steps = [path]
        while steps[-1].before is not None:
            steps.append(steps[-1].before)
        steps.reverse()
        return Plan(
            actions=tuple(step.action for step in steps[1:]),  # type: ignore[misc]
            states=tuple(step.state for step in steps),
            value=path.score if path.depth or path.known else None,
            end=path.end,
            spent=self.meter.spent,
            stopped=stopped,
        )


class Seen(Generic[S, A]):
    """States already reached, so that a planner drops a worse path to the same state."""

    def __init__(self, planner: str) -> None:
        self.planner = planner
        self.ways: dict[S, tuple[float, int]] = {}

    def beats(self, path: Path[S, A]) -> bool:
        """Whether an earlier path reached this state at least as early and with at least as much gain."""
        try:
            way = self.ways.get(path.state)
        except TypeError as error:
            raise BadModel(
                f"{self.planner} merges equal states, and {type(path.state).__name__} is not hashable: "
                f"make states frozen, or plan with {self.planner}(merge=False)."
            ) from error
        return way is not None and way[0] >= path.gain and way[1] <= path.depth

    def add(self, path: Path[S, A]) -> None:
        """Store this as the path to its state."""
        self.ways[path.state] = (path.gain, path.depth)


def _rank(path: Path[S, A]) -> tuple[float, bool, int]:
    return path.score, path.end is not None, -path.depth
