"""Search over histories: actions and what was seen after them; states are drawn anew in each simulation.

POMCP (Silver and Veness, NIPS 2010) starts each simulation from a particle of the belief and branches on observations;
open-loop search is the same with nothing to see. Knows no world.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, Literal, TypeVar, cast, get_args

from planners.belief.particles import Observes, ParticleBelief, SeenMove, update_belief
from planners.chance.action_edges import ActionEdge, choose_edge, most_visited_edge
from planners.chance.simulation_search import Asking, RolloutPolicy, SimulationSearch
from planners.errors import BadOption, require_at_least
from planners.limits import Limits, actions_of
from planners.model import End, Offers, Refused
from planners.plan import Plan
from planners.tree.scores import Range

S = TypeVar("S")
A = TypeVar("A")


Backup = Literal["cautious", "max", "mean"]


@dataclass(frozen=True, slots=True)
class HistoryOptions:
    """Options of searches over histories."""

    simulations: int = 1000
    leaves: int = 1
    exploration: float = 1.0
    discount: float = 1.0
    backup: Backup = "cautious"
    """The value of a history: `max` is that of its best action, `mean` that of all simulations through it. `cautious`
    is that of the best action after each action got one more visit, of the actions' mean value: the best of actions
    that were tried once is mostly the luckiest."""
    rollout_depth: int = 50
    """Most steps of a rollout from a new history of unknown value; 0 values it by 0."""
    rollout: RolloutPolicy[Any, Any] | None = None
    """Chooses the actions of rollouts; None chooses uniformly."""
    particles: int = 1000
    """States that a belief keeps."""

    def __post_init__(self) -> None:
        require_at_least(
            0, simulations=self.simulations, exploration=self.exploration, rollout_depth=self.rollout_depth
        )
        require_at_least(0, discount=self.discount)
        require_at_least(1, leaves=self.leaves, particles=self.particles)
        if self.backup not in get_args(Backup):
            raise BadOption(f"backup is {self.backup!r}; choose {', '.join(map(repr, get_args(Backup)))}.")


class HistoryNode(Generic[S, A]):
    """A node: what was done and seen up to here."""

    __slots__ = ("edges", "end", "particles", "refused", "started", "state", "total", "visits", "weighted")

    def __init__(self) -> None:
        self.edges: list[HistoryEdge[S, A]] | None = None
        self.particles: list[S] = []
        self.started = 0
        self.visits = 0
        self.total = 0.0
        """Sum of the returns from here on."""
        self.weighted = 0.0
        """Visits times value, as it stands in the sum of the action before."""
        self.state: S | None = None
        """One state drawn here."""
        self.end: End | None = None
        self.refused: list[A] = []
        """Actions that the world refused here; they are not tried again."""


class HistoryEdge(ActionEdge[A], Generic[S, A]):
    """An action of a history, and the histories that its observations lead to."""

    __slots__ = ("after", "rewards", "weighted")

    def __init__(self, action: A) -> None:
        super().__init__(action)
        self.rewards = 0.0
        self.weighted = 0.0
        """Sums over visits: of the rewards, and of the values of the histories that followed."""
        self.after: dict[Hashable, HistoryNode[S, A]] = {}


class HistorySearch(SimulationSearch[S, A]):
    """One search over histories in progress."""

    def __init__(
        self,
        config: HistoryOptions,
        model: Offers[S, A],
        belief: ParticleBelief[S],
        limits: Limits,
        *,
        rng: Random,
        observe: Callable[[S], Hashable],
        same_actions: bool,
    ) -> None:
        super().__init__(model, limits, rng, simulations=config.simulations, leaves=config.leaves)
        self.config, self.belief, self.observe, self.same_actions = config, belief, observe, same_actions
        self.root: HistoryNode[S, A] = HistoryNode()
        self.root.state = belief.particles[0] if belief.particles else None
        self.range = Range()

    def simulate(self) -> Asking[S, A, None]:
        """Draw a state from the belief, act down to a new history, value it by a rollout, and back its return up."""
        if not self.belief.particles:
            return
        config, rng, observe = self.config, self.rng, self.observe
        node, state = self.root, rng.choice(self.belief.particles)
        path: list[HistoryEdge[S, A]] = []
        passed: list[HistoryNode[S, A]] = []
        rewards: list[float] = []
        gain = 0.0
        try:
            for depth in range(self.limits.depth):
                edges = self._edges(node, state)
                if not edges:
                    break
                edge = choose_edge(edges, node.started, config.exploration, self.range.scale)
                node.started += 1
                edge.start()
                path.append(edge)
                passed.append(node)
                answer = yield state, edge.action
                if isinstance(answer, Refused):
                    self._undo(path, passed)
                    node.refused.append(edge.action)
                    node.edges = [each for each in node.edges or () if each is not edge]
                    self.remaining += 1
                    return
                state = answer.state
                rewards.append(answer.reward)
                seen = observe(state)
                following = edge.after.get(seen)
                new = following is None
                if following is None:
                    following = edge.after[seen] = HistoryNode()
                node = following
                node.state = state
                if answer.end is not None or (new and answer.value is not None):
                    node.end = answer.end
                    gain = answer.value or 0.0
                    break
                if len(node.particles) < config.particles:
                    node.particles.append(state)
                if new:
                    most = min(config.rollout_depth, self.limits.depth - depth - 1)
                    gain = yield from self.rollout(state, most, config.rollout, config.discount)
                    break
        except GeneratorExit:
            self._undo(path, passed)
            raise
        self._back_up(path, [*passed[1:], node], rewards, gain)

    def _back_up(
        self,
        path: Sequence[HistoryEdge[S, A]],
        after: Sequence[HistoryNode[S, A]],
        rewards: Sequence[float],
        gain: float,
    ) -> None:
        """Count a finished simulation in its actions and in the histories after them, from the last to the first."""
        discount, seen, mean = self.config.discount, self.range, self.config.backup == "mean"
        extra = 1 if self.config.backup == "cautious" else 0
        for edge, node, reward in zip(reversed(path), reversed(after), reversed(rewards), strict=True):
            node.visits += 1
            node.total += gain
            gain = reward + discount * gain
            if mean:
                edge.back_up(gain, seen)
                continue
            weighted = node.visits * best_value(node, extra)
            edge.weighted += weighted - node.weighted
            node.weighted = weighted
            edge.rewards += reward
            edge.visits += 1
            edge.q = q = (edge.rewards + discount * edge.weighted) / edge.visits
            if not seen.low <= q <= seen.high:
                seen.include(q)

    def _edges(self, node: HistoryNode[S, A], state: S) -> Sequence[HistoryEdge[S, A]]:
        """Return the edges of the actions that `state` offers."""
        if node.edges is None:
            node.edges = [HistoryEdge(action) for action in actions_of(self.model, state)]
            return node.edges
        if self.same_actions:
            return node.edges
        actions = actions_of(self.model, state)
        known = {edge.action: edge for edge in node.edges}
        offered = [action for action in actions if action not in node.refused]
        for action in offered:
            if action not in known:
                known[action] = HistoryEdge(action)
                node.edges.append(known[action])
        return [known[action] for action in offered]

    @staticmethod
    def _undo(path: Sequence[HistoryEdge[S, A]], passed: Sequence[HistoryNode[S, A]]) -> None:
        for edge in path:
            edge.undo()
        for node in passed:
            node.started -= 1

    def advance(self, action: A, observation: Hashable) -> None:
        """Go on from what was really seen after an action: its subtree, its particles, and as many more as are wanted.

        Raises NoParticles if nothing that the belief holds explains the observation.
        """
        self.abandon()
        edge = next((edge for edge in self.root.edges or () if edge.action == action), None)
        node = None if edge is None else edge.after.get(observation)
        self.belief = update_belief(
            cast(Observes[S, A], self.model),
            self.belief,
            SeenMove(action, observation),
            self.rng,
            particles=self.config.particles,
            kept=node.particles if node is not None else (),
        )
        self.root = node if node is not None else HistoryNode()
        self.root.particles = []
        self.root.state = self.belief.particles[0]
        self.remaining = self.config.simulations

    def plan(self) -> Plan[S, A]:
        """Return the most visited actions, each after the most visited observation; the value is the first action's."""
        node, actions, visits = self.root, [], []
        states = [self.root.state]
        first: HistoryEdge[S, A] | None = None
        while node.edges and (edge := most_visited_edge(node.edges)) is not None:
            first = first or edge
            actions.append(edge.action)
            visits.append(edge.visits)
            node = max(edge.after.values(), key=lambda each: (each.started, len(each.particles)))
            states.append(node.state)
        return Plan(
            actions=tuple(actions),
            states=cast(tuple[S, ...], tuple(states)),
            value=None if first is None else first.q,
            end=node.end,
            spent=self.spent,
            visits=tuple(visits),
            stopped=self.stopped,
        )


def best_value(node: HistoryNode[S, A], extra: int) -> float:
    """Return the value of a history's best action, each with `extra` more visits of the mean value of all actions.

    Where no action was tried, the value is that of the history's rollouts.
    """
    tried = [edge for edge in node.edges if edge.visits] if node.edges else None
    if not tried:
        return node.total / node.visits
    if not extra:
        return max([edge.q for edge in tried])
    mean = sum([edge.visits * edge.q for edge in tried]) / sum([edge.visits for edge in tried])
    return max([(edge.visits * edge.q + extra * mean) / (edge.visits + extra) for edge in tried])
