"""Exact solutions of small games, by walking every history: the reference for searches; knows no game."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

from planners.players.game import Game, final_returns

S = TypeVar("S")
A = TypeVar("A")

GamePolicy: TypeAlias = Callable[[int, Hashable, Sequence[Any]], Sequence[float]]
"""The probability of each action for a player, from what it has seen."""


def uniform_policy(player: int, observation: Hashable, actions: Sequence[Any]) -> Sequence[float]:
    """Return the same probability for every action."""
    return [1.0 / len(actions)] * len(actions)


def policy_returns(game: Game[S, A], policy: GamePolicy) -> tuple[float, ...]:
    """Return what each player gains when all follow the policy."""

    def walk(state: S) -> tuple[float, ...]:
        if not game.legal(state)[1]:
            return tuple(final_returns(game, state))
        total = [0.0] * game.players
        for chance, _, following in _followers(game, state, policy):
            for player, gain in enumerate(walk(following)):
                total[player] += chance * gain
        return tuple(total)

    return walk(game.initial())


def best_response(game: Game[S, A], policy: GamePolicy, player: int) -> float:
    """Return what the player gains at most when all others follow the policy."""
    reached: dict[Hashable, list[tuple[float, S]]] = {}
    chosen: dict[Hashable, int] = {}

    def collect(state: S, reach: float) -> None:
        mover, actions = game.legal(state)
        if mover == player and actions:
            reached.setdefault(game.observe(state, player), []).append((reach, state))
            for action in actions:
                collect(game.step(state, action), reach)
        elif actions:
            for chance, _, following in _followers(game, state, policy):
                if chance > 0.0:
                    collect(following, reach * chance)

    def value(state: S) -> float:
        mover, actions = game.legal(state)
        if not actions:
            return float(final_returns(game, state)[player])
        if mover == player:
            return value(game.step(state, actions[choice(game.observe(state, player))]))
        return sum(chance * value(following) for chance, _, following in _followers(game, state, policy) if chance)

    def choice(seen: Hashable) -> int:
        if seen not in chosen:
            states = reached[seen]
            actions = game.legal(states[0][1])[1]
            gains = [sum(reach * value(game.step(state, action)) for reach, state in states) for action in actions]
            chosen[seen] = max(range(len(gains)), key=gains.__getitem__)
        return chosen[seen]

    collect(game.initial(), 1.0)
    return value(game.initial())


def exploitability(game: Game[S, A], policy: GamePolicy) -> float:
    """Return how much a player gains by a best response over the policy itself, as the mean over players."""
    usual = policy_returns(game, policy)
    gains = [best_response(game, policy, player) - usual[player] for player in range(game.players)]
    return sum(gains) / game.players


def information_sets(game: Game[S, A]) -> dict[tuple[int, Hashable], Sequence[A]]:
    """Return every information set of the game with its actions, in the order of a walk through all histories."""
    found: dict[tuple[int, Hashable], Sequence[A]] = {}
    stack = [game.initial()]
    while stack:
        state = stack.pop()
        player, actions = game.legal(state)
        if player is not None and actions:
            found.setdefault((player, game.observe(state, player)), actions)
        stack += [game.step(state, action if player is not None else action[0]) for action in actions]
    return found


def _followers(game: Game[S, A], state: S, policy: GamePolicy) -> Iterator[tuple[float, Any, S]]:
    """Yield (probability, action, state after it) of a state that is no end."""
    player, actions = game.legal(state)
    if player is None:
        for outcome, probability in actions:
            yield probability, outcome, game.step(state, outcome)
    else:
        for action, probability in zip(actions, policy(player, game.observe(state, player), actions), strict=True):
            yield probability, action, game.step(state, action)
