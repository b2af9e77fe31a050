"""Information-set MCTS for two and more players (Cowling, Powley and Whitehouse, 2012); knows no game.

Each simulation starts from a state that explains what the searcher has seen. Nodes are information sets: all states in
which the player to move has seen the same share their statistics, so no player uses what it cannot know.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import inf, log, sqrt
from random import Random
from typing import Any, Generic, Literal, TypeVar

from planners.errors import BadGame, BadOption, require_at_least
from planners.players.game import Game, draw_chance, final_returns, longest_of, never_ends, play_out
from planners.players.game_mcts import Evaluator
from planners.players.inference import infer_state

S = TypeVar("S")
A = TypeVar("A")


class InformationSet:
    """What one player to move has seen, and the statistics of its actions, in the order of `actions`."""

    __slots__ = ("actions", "shares", "totals", "values", "visits", "visits_of")

    def __init__(self, actions: Sequence[Any]) -> None:
        self.actions = actions
        self.visits = 0
        self.visits_of = [0] * len(actions)
        self.totals = [0.0] * len(actions)
        self.values = [0.0] * len(actions)
        self.shares = [inf] * len(actions)
        """1 / sqrt(visits) of each action: infinite before the first."""


@dataclass(frozen=True, slots=True)
class ISMCTS:
    """UCT over information sets."""

    simulations: int = 1000
    exploration: float = 2.0
    """Factor of the exploration term, in units of the game's returns."""
    final: Literal["visits", "value", "mixed"] = "visits"
    """The choice: the most visited action, the most valuable, or one drawn in proportion to visits."""
    evaluator: Evaluator = play_out

    def __post_init__(self) -> None:
        require_at_least(1, simulations=self.simulations)
        require_at_least(0, exploration=self.exploration)
        if self.final not in ("visits", "value", "mixed"):
            raise BadOption(f"final is {self.final!r}; choose 'visits', 'value' or 'mixed'.")

    def search(self, game: Game[S, A], observation: Hashable, player: int, rng: Random) -> InformationSetSearch[S, A]:
        """Return a new search for the player to move, from what it has seen."""
        return InformationSetSearch(self, game, observation, player, rng=rng)

    def policy(self, game: Game[S, A], observation: Hashable, player: int, rng: Random) -> list[tuple[A, float]]:
        """Return the probability of each action after the whole number of simulations."""
        return self.search(game, observation, player, rng).run().policy()

    def choose(self, game: Game[S, A], state: S, rng: Random) -> A:
        """Return an action for the player to move, from what that player has seen of the state."""
        player, actions = game.legal(state)
        if player is None or not actions:
            raise BadGame(f"Nobody is to move in this state, so there is nothing to choose: {state!r:.200}")
        policy = self.policy(game, game.observe(state, player), player, rng)
        return draw_chance(policy, rng)


class InformationSetSearch(Generic[S, A]):
    """One search over information sets in progress."""

    def __init__(self, config: ISMCTS, game: Game[S, A], observation: Hashable, player: int, *, rng: Random) -> None:
        self.config, self.game, self.observation, self.player, self.rng = config, game, observation, player, rng
        self.nodes: dict[tuple[int, Hashable], InformationSet] = {}

    def run(self, simulations: int | None = None) -> InformationSetSearch[S, A]:
        """Run so many simulations, by default those of the options, and return itself."""
        for _ in range(self.config.simulations if simulations is None else simulations):
            self.simulate(infer_state(self.game, self.observation, self.player, self.rng))
        return self

    def simulate(self, state: S) -> None:
        """Select down from a full state to a new information set, play to the end, and back the returns up."""
        game, rng, nodes, exploration = self.game, self.rng, self.nodes, self.config.exploration
        step, legal, observe = game.step, game.legal, game.observe
        path: list[tuple[InformationSet, int, int]] = []
        for _ in range(longest_of(game)):
            player, actions = legal(state)
            if not actions:
                returns = final_returns(game, state)
                break
            if player is None:
                state = step(state, draw_chance(actions, rng))
                continue
            key = (player, observe(state, player))
            node = nodes.get(key)
            if node is None:
                nodes[key] = InformationSet(actions)
                if path or len(nodes) > 1:
                    returns = self.config.evaluator(game, state, (player, actions), rng)
                    break
                node = nodes[key]
            best = _chosen(node, exploration)
            path.append((node, best, player))
            state = step(state, node.actions[best])
        else:
            raise never_ends(game)
        for node, index, player in path:
            _back_up(node, index, returns[player])

    def root(self) -> InformationSet:
        """Return the information set that the search started from; BadGame before its first simulation."""
        node = self.nodes.get((self.player, self.observation))
        if node is None:
            raise BadGame(
                f"The states inferred for player {self.player} do not look like what it has seen, or another player is "
                f"to move there: {self.observation!r:.200}"
            )
        return node

    def policy(self) -> list[tuple[A, float]]:
        """Return the probability of each action by the option `final`."""
        node = self.root()
        count = len(node.actions)
        if self.config.final == "mixed":
            total = sum(node.visits_of) or 1
            return [(action, visits / total) for action, visits in zip(node.actions, node.visits_of, strict=True)]
        score = node.visits_of if self.config.final == "visits" else node.values
        best = max(range(count), key=lambda index: (score[index], node.values[index]))
        return [(action, float(index == best)) for index, action in enumerate(node.actions)]


def _chosen(node: InformationSet, exploration: float) -> int:
    """Return the index of the action that UCB1 visits next; each action once before any twice."""
    bonus = exploration * sqrt(log(node.visits + 1.0))
    best, best_score = 0, -inf
    for index, (value, share) in enumerate(zip(node.values, node.shares, strict=True)):
        score = value + bonus * share
        if score > best_score:
            best, best_score = index, score
            if share == inf:
                break
    return best


def _back_up(node: InformationSet, index: int, gain: float) -> None:
    node.visits += 1
    node.visits_of[index] = visits = node.visits_of[index] + 1
    node.totals[index] = total = node.totals[index] + gain
    node.values[index] = total / visits
    node.shares[index] = 1.0 / sqrt(visits)
