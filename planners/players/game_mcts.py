"""Monte-Carlo tree search in games that all players see in full: chance nodes, any number of players; knows no game.

Each player maximises its own return (max^n), or all others minimise the searcher's (paranoid). With `solve`, ends are
proven values that spread upwards as far as they decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, log, sqrt
from random import Random
from typing import Any, Generic, Literal, TypeAlias, TypeVar, cast

from planners.errors import BadGame, BadOption, require_at_least
from planners.players.game import Game, Turn, draw_chance, final_returns, play_out

S = TypeVar("S")
A = TypeVar("A")

Evaluator: TypeAlias = Callable[[Game[Any, Any], Any, Turn, Random], Sequence[float]]
"""Estimates the returns of a state; takes the game, the state, whose turn it is, and the random generator."""


class GameNode(Generic[S, A]):
    """A state in the tree; its numbers are those of the move that leads to it, for the player who made it."""

    __slots__ = ("action", "actions", "children", "mover", "player", "proven", "q", "share", "state", "visits")

    def __init__(self, state: S, action: A | None, mover: int | None) -> None:
        self.state = state
        self.action = action
        self.mover = mover
        """Who made the move that leads here; None for chance and at the root."""
        self.player: int | None = None
        self.actions: Sequence[Any] = ()
        self.children: list[GameNode[S, A]] = []
        """In the order of `actions`, as far as they were opened; of chance, in the order of their draws."""
        self.visits = 0
        self.q = 0.0
        """Mean return of the player who moved here; exact once proven."""
        self.share = 1.0
        """1 / sqrt(visits); 0 once proven, which needs no exploration."""
        self.proven: Sequence[float] | None = None
        """The returns, where they are certain: an end, or a state decided by ends below it."""


@dataclass(frozen=True, slots=True)
class GameMCTS:
    """UCT in games of perfect information."""

    simulations: int = 1000
    exploration: float = 1.4
    """Factor of the exploration term, in units of the game's returns."""
    values: Literal["own", "paranoid"] = "own"
    """What other players want: their own return, or that the searcher's is small."""
    solve: bool = True
    """Whether proven ends spread upwards (exact for two players; with more, ties go to the first best action)."""
    evaluator: Evaluator = play_out

    def __post_init__(self) -> None:
        require_at_least(1, simulations=self.simulations)
        require_at_least(0, exploration=self.exploration)
        if self.values not in ("own", "paranoid"):
            raise BadOption(f"values is {self.values!r}; choose 'own' or 'paranoid'.")

    def search(self, game: Game[S, A], state: S, rng: Random) -> GameSearch[S, A]:
        """Return a new search from `state`."""
        return GameSearch(self, game, state, rng)

    def choose(self, game: Game[S, A], state: S, rng: Random) -> A:
        """Return the action that the whole number of simulations finds best."""
        return self.search(game, state, rng).run().best()


class GameSearch(Generic[S, A]):
    """One search of a game in progress."""

    def __init__(self, config: GameMCTS, game: Game[S, A], state: S, rng: Random) -> None:
        self.config, self.game, self.rng = config, game, rng
        self.simulations = 0
        self.root: GameNode[S, A] = GameNode(state, None, None)
        self.root.player, self.root.actions = game.legal(state)
        if not self.root.actions or self.root.player is None:
            raise BadGame(f"Nobody is to move in this state, so there is nothing to choose: {state!r:.200}")
        self.searcher = self.root.player
        self._highest: float = getattr(game, "highest", inf)
        """The highest return there is, if the game tells it: a proven move to it needs no rival."""

    def run(self, simulations: int | None = None) -> GameSearch[S, A]:
        """Run so many simulations (by default those of the options), fewer once the root is proven; return itself."""
        for _ in range(self.config.simulations if simulations is None else simulations):
            if self.root.proven is not None:
                break
            self.simulate()
        return self

    def simulate(self) -> None:
        """Select down to a new state, value it, and back its returns up."""
        exploration, node = self.config.exploration, self.root
        path = [node]
        while node.proven is None:
            actions = node.actions
            if node.player is None:
                node, new = self._drawn(node)
            elif len(node.children) < len(actions):
                node, new = self._open(node, self._next_action(node)), True
            else:
                bonus = exploration * sqrt(log(node.visits))
                best_score = -inf
                for child in node.children:
                    score = child.q + bonus * child.share
                    if score > best_score:
                        node, best_score = child, score
                new = False
            path.append(node)
            if new:
                break
        returns = node.proven
        if returns is None:
            returns = self.config.evaluator(self.game, node.state, (node.player, node.actions), self.rng)
            if len(returns) != self.game.players:
                raise BadGame(f"The evaluator gave {returns!r:.100} for {self.game.players} players; give one each.")
        self._back_up(path, returns)
        if node.proven is not None and self.config.solve:
            self._prove(path)

    def _open(self, parent: GameNode[S, A], action: A) -> GameNode[S, A]:
        """Add the child of an action; an end of the game is proven at once."""
        state = self.game.step(parent.state, action)
        child: GameNode[S, A] = GameNode(state, action, parent.player)
        child.player, child.actions = self.game.legal(state)
        parent.children.append(child)
        if not child.actions:
            child.proven = final_returns(self.game, state)
        return child

    def _next_action(self, node: GameNode[S, A]) -> A:
        """Return a random one of the actions without a child: a fixed order would try the same replies everywhere."""
        opened = len(node.children)
        if not opened:
            node.actions = list(node.actions)
        actions = cast(list[A], node.actions)
        other = opened + int(self.rng.random() * (len(actions) - opened))
        actions[opened], actions[other] = actions[other], actions[opened]
        return actions[opened]

    def _drawn(self, node: GameNode[S, A]) -> tuple[GameNode[S, A], bool]:
        outcome = draw_chance(node.actions, self.rng)
        for child in node.children:
            if child.action == outcome:
                return child, False
        return self._open(node, outcome), True

    def _back_up(self, path: Sequence[GameNode[S, A]], returns: Sequence[float]) -> None:
        """Count the returns in every node of the path, each for the player who moved there."""
        paranoid, searcher = self.config.values == "paranoid", self.searcher
        for node in path:
            visits = node.visits + 1
            node.visits = visits
            mover = node.mover
            if mover is not None:
                gain = returns[mover] if not paranoid or mover == searcher else -returns[searcher]
                if node.proven is None:
                    node.q += (gain - node.q) / visits
                    node.share = 1.0 / sqrt(visits)
                elif node.share:
                    node.q, node.share = gain, 0.0

    def _prove(self, path: Sequence[GameNode[S, A]]) -> None:
        """Spread a proven value upwards: a player has a move to the highest return, or all its moves are proven."""
        for parent in reversed(path[:-1]):
            player = parent.player
            if player is None or (self.config.values == "paranoid" and self.game.players > 2):
                return
            children = [child.proven for child in parent.children if child.proven is not None]
            best = max(children, key=lambda returns: returns[player])
            if best[player] < self._highest and len(children) < len(parent.actions):
                return
            parent.proven = best
            if parent.mover is not None:
                parent.q, parent.share = best[parent.mover], 0.0

    def best(self) -> A:
        """Return the best action of the root: the most visited, or a proven one that is at least as good."""
        children = self.root.children
        if not children:
            action: A = self.root.actions[0]
            return action
        proven = [child for child in children if child.proven is not None]
        likely = max((child for child in children if child.proven is None), key=lambda c: (c.visits, c.q), default=None)
        sure = max(proven, key=lambda child: (child.q, child.visits), default=None)
        chosen = sure if likely is None or (sure is not None and sure.q >= likely.q) else likely
        assert chosen is not None
        assert chosen.action is not None
        return chosen.action

    def value(self) -> float:
        """Return the searcher's value of its best action."""
        best = self.best()
        return next(child.q for child in self.root.children if child.action == best)
