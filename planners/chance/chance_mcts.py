"""Expectimax MCTS: decision nodes and chance nodes in turn; knows no world.

A model may know its odds: with the optional method `outcomes(state, action)` the search draws outcomes itself and
weighs them by probability. Otherwise it asks the model at each visit and weighs outcomes by how often they came.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, Literal, Protocol, TypeVar, runtime_checkable

from planners.chance.action_edges import ActionEdge, choose_edge, most_visited_edge
from planners.chance.simulation_search import Asking, RolloutPolicy, SimulationSearch
from planners.drive import run
from planners.errors import BadModel, BadOption, require_at_least
from planners.limits import Limits, actions_of
from planners.model import PRIOR_TOLERANCE, Model, Offers, Refused, Step, root_step
from planners.plan import Plan
from planners.tree.scores import Range, Widening

S = TypeVar("S")
A = TypeVar("A")


@runtime_checkable
class KnownOdds(Protocol):
    """The optional ability of a model to say with which probability each step follows a move."""

    def outcomes(self, state: Any, action: Any) -> Sequence[tuple[float, Step[Any]]]:
        """Return the possible steps with their probabilities, which sum to 1."""
        ...


class Decision(Generic[S, A]):
    """A state in the tree, and its actions once it is expanded."""

    __slots__ = ("edges", "step", "total", "value", "visits")

    def __init__(self, step: Step[S]) -> None:
        self.step = step
        self.visits = 0
        self.total = 0.0
        self.value = 0.0
        self.edges: list[ChanceEdge[S, A]] | None = None


class ChanceOutcome(Generic[S, A]):
    """One result of an action."""

    __slots__ = ("node", "weight", "worth")

    def __init__(self, node: Decision[S, A], weight: float) -> None:
        self.node = node
        self.weight = weight
        """Probability, or number of draws."""
        self.worth = 0.0
        """Reward and discounted value, as they stand in the action's sum."""


class ChanceEdge(ActionEdge[A], Generic[S, A]):
    """An action with its outcomes: a chance node."""

    __slots__ = ("known", "outcomes", "weight", "weighted")

    def __init__(self, action: A) -> None:
        super().__init__(action)
        self.outcomes: dict[tuple[S, float], ChanceOutcome[S, A]] = {}
        self.known = False
        """Whether `outcomes` are all there are, weighted by the model's odds."""
        self.weight = 0.0
        self.weighted = 0.0
        """Sum of the weights of visited outcomes, and sum of weight times worth."""


@dataclass(frozen=True, slots=True)
class ChanceMCTS:
    """UCT with chance nodes, for worlds that are seen but not certain."""

    simulations: int = 1000
    leaves: int = 1
    exploration: float = 1.0
    backup: Literal["mean", "max"] = "mean"
    """A state's value: the mean over simulations, or that of its best action (expectimax; biased by noisy rollouts)."""
    discount: float = 1.0
    rollout_depth: int = 50
    """Most steps of a rollout from a new state of unknown value; 0 values it by 0."""
    rollout: RolloutPolicy[Any, Any] | None = None
    """Chooses the actions of rollouts; None chooses uniformly."""
    widening: Widening | None = None
    """Bounds the outcomes drawn for an action, where they are many; None draws anew at each visit."""

    def __post_init__(self) -> None:
        require_at_least(
            0, simulations=self.simulations, exploration=self.exploration, rollout_depth=self.rollout_depth
        )
        require_at_least(0, discount=self.discount)
        require_at_least(1, leaves=self.leaves)
        if self.backup not in ("mean", "max"):
            raise BadOption(f"backup is {self.backup!r}; choose 'mean' or 'max'.")

    def search(self, model: Offers[S, A], state: S | Step[S], limits: Limits, rng: Random) -> ChanceSearch[S, A]:
        """Return a new search from `state`."""
        return ChanceSearch(self, model, root_step(state), limits, rng=rng)

    def plan(self, model: Model[S, A], state: S | Step[S], limits: Limits, rng: Random) -> Plan[S, A]:
        """Search until the simulations or the limits are used up; only the plan's first action is sure to be apt."""
        return run(self.search(model, state, limits, rng))


class ChanceSearch(SimulationSearch[S, A]):
    """One expectimax search in progress."""

    def __init__(self, config: ChanceMCTS, model: Offers[S, A], start: Step[S], limits: Limits, *, rng: Random) -> None:
        super().__init__(model, limits, rng, simulations=config.simulations, leaves=config.leaves)
        self.config = config
        self.root: Decision[S, A] = Decision(start)
        self.range = Range()
        self._odds = model.outcomes if isinstance(model, KnownOdds) else None

    def simulate(self) -> Asking[S, A, None]:
        """Choose actions and draw outcomes down to a new state, value it, and back its value up."""
        path: list[tuple[ChanceEdge[S, A], ChanceOutcome[S, A]]] = []
        edge: ChanceEdge[S, A] | None = None
        node, config = self.root, self.config
        try:
            for depth in range(self.limits.depth):
                edges = node.edges if node.edges is not None else self._expand(node)
                if not edges:
                    break
                edge = choose_edge(edges, node.visits, config.exploration, self.range.scale)
                edge.start()
                outcome = self._drawn(node, edge)
                if outcome is None:
                    answer = yield node.step.state, edge.action
                    if isinstance(answer, Refused):
                        edges.remove(edge)
                        self._undo(path)
                        self.remaining += 1
                        return
                    outcome = self._found(edge, answer)
                path.append((edge, outcome))
                node = outcome.node
                edge = None
                if not node.visits:
                    yield from self._value(node, self.limits.depth - depth - 1)
                    break
        except GeneratorExit:
            if edge is not None:
                edge.undo()
            self._undo(path)
            raise
        self._back_up(path)

    def _expand(self, node: Decision[S, A]) -> list[ChanceEdge[S, A]]:
        actions = () if node.step.end is not None else actions_of(self.model, node.step.state)
        node.edges = [ChanceEdge(action) for action in actions]
        return node.edges

    def _drawn(self, node: Decision[S, A], edge: ChanceEdge[S, A]) -> ChanceOutcome[S, A] | None:
        """Return an outcome by the model's odds, or one drawn before if no more may be drawn; None asks the model."""
        if not edge.outcomes and self._odds is not None:
            self._add_known(edge, self._odds(node.step.state, edge.action))
        widening = self.config.widening
        if not edge.known and (widening is None or widening.allows(len(edge.outcomes), edge.started)):
            return None
        outcomes = list(edge.outcomes.values())
        return self.rng.choices(outcomes, [outcome.weight for outcome in outcomes])[0]

    def _add_known(self, edge: ChanceEdge[S, A], odds: Sequence[tuple[float, Step[S]]]) -> None:
        total = sum(probability for probability, _ in odds)
        if abs(total - 1.0) > PRIOR_TOLERANCE or any(not probability >= 0.0 for probability, _ in odds):
            raise BadModel(
                f"outcomes() of action {edge.action!r:.80} has probabilities that sum to {total:.6g}; "
                "give probabilities of at least 0 that sum to 1."
            )
        self.meter.count([step for _, step in odds])
        for probability, step in odds:
            if probability > 0.0:
                outcome = edge.outcomes.setdefault(_key(step), ChanceOutcome(Decision(step), 0.0))
                outcome.weight += probability
        edge.known = True

    def _found(self, edge: ChanceEdge[S, A], step: Step[S]) -> ChanceOutcome[S, A]:
        """Return the outcome of a drawn step; its weight is the number of times it was drawn."""
        key = _key(step)
        outcome = edge.outcomes.get(key)
        if outcome is None:
            outcome = edge.outcomes[key] = ChanceOutcome(Decision(step), 0.0)
        outcome.weight += 1.0
        if outcome.node.visits:
            edge.weight += 1.0
            edge.weighted += outcome.worth
        return outcome

    def _value(self, node: Decision[S, A], depth: int) -> Asking[S, A, None]:
        """Set the value of a new state: the model's, or the return of a rollout."""
        step, config = node.step, self.config
        value = step.value
        if value is None and step.end is None and config.rollout_depth:
            most = min(config.rollout_depth, depth)
            value = yield from self.rollout(step.state, most, config.rollout, config.discount)
        node.value = value or 0.0

    def _back_up(self, path: Sequence[tuple[ChanceEdge[S, A], ChanceOutcome[S, A]]]) -> None:
        """Count a finished simulation in every node of its path, from the last to the first."""
        discount, seen, best = self.config.discount, self.range, self.config.backup == "max"
        node = path[-1][1].node if path else self.root
        gain = node.value
        for edge, outcome in reversed(path):
            node = outcome.node
            new = not node.visits
            self._count(node, gain, best=best)
            gain = node.step.reward + discount * gain
            edge.visits += 1
            edge.total += gain
            worth = node.step.reward + discount * node.value
            edge.weighted += outcome.weight * (worth if new else worth - outcome.worth)
            edge.weight += outcome.weight if new else 0.0
            outcome.worth = worth
            edge.q = edge.weighted / edge.weight if best or edge.known else edge.total / edge.visits
            if not seen.low <= edge.q <= seen.high:
                seen.include(edge.q)
        self._count(self.root, gain, best=best)

    @staticmethod
    def _count(node: Decision[S, A], gain: float, *, best: bool) -> None:
        node.visits += 1
        node.total += gain
        if best:
            tried = [edge.q for edge in node.edges or () if edge.visits]
            node.value = max(tried) if tried else node.value
        else:
            node.value = node.total / node.visits

    @staticmethod
    def _undo(path: Iterable[tuple[ChanceEdge[S, A], ChanceOutcome[S, A]]]) -> None:
        """Take back the visits of a simulation that never ended; an outcome it drew stays drawn."""
        for edge, _ in path:
            edge.undo()

    def advance(self, action: A, real: Step[S]) -> None:
        """Make the real outcome of an action the root, with its subtree if it was imagined, and search anew from it."""
        self.abandon()
        edge = next((edge for edge in self.root.edges or () if edge.action == action), None)
        outcome = None if edge is None else edge.outcomes.get(_key(real))
        self.root = Decision(real) if outcome is None else outcome.node
        self.remaining = self.config.simulations

    def plan(self) -> Plan[S, A]:
        """Return the most visited actions with their most likely outcomes; the value is that of the first action."""
        node, actions, states, visits = self.root, [], [self.root.step.state], []
        first: ChanceEdge[S, A] | None = None
        while node.edges and (edge := most_visited_edge(node.edges)) is not None:
            first = first or edge
            actions.append(edge.action)
            visits.append(edge.visits)
            node = max(edge.outcomes.values(), key=lambda outcome: (outcome.weight, outcome.node.visits)).node
            states.append(node.step.state)
        return Plan(
            actions=tuple(actions),
            states=tuple(states),
            value=self.root.step.value if first is None else first.q,
            end=node.step.end,
            spent=self.spent,
            visits=tuple(visits),
            stopped=self.stopped,
        )


def _key(step: Step[S]) -> tuple[S, float]:
    """Return what makes two outcomes the same one."""
    try:
        hash(step.state)
    except TypeError as error:
        raise BadModel(
            f"Chance nodes need hashable states, and {type(step.state).__name__} is not: make states frozen."
        ) from error
    return step.state, step.reward
