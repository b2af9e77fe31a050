"""Sampling a state that explains what a player has seen, for games that have no `infer` of their own.

Observations of hidden-information games start with what was seen earlier, so a history that explains one is found move
by move: each state's observation must be the beginning of the one to explain.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, TypeVar

from planners.errors import BadGame, NoParticles
from planners.players.game import Game

S = TypeVar("S")
A = TypeVar("A")

MOST_TRIES = 100_000
"""Most states looked at in the search for a history."""


def infer_state(game: Game[S, A], observation: Any, player: int, rng: Random) -> S:
    """Return a state in which the player has seen this: the game's own `infer`, or a random history that fits.

    Raises NoParticles if there is none.
    """
    infer = getattr(game, "infer", None)
    if infer is not None:
        inferred: S = infer(observation, player, rng)
        return inferred
    return explaining_history(game, observation, player, rng)


def explaining_history(game: Game[S, A], observation: Any, player: int, rng: Random) -> S:
    """Return a state that explains an observation: outcomes and moves are tried in random order, with backtracking.

    Chance is drawn by its odds and other players' moves uniformly. Where a wrong guess shows only later, states are not
    drawn exactly by their probability.
    """
    if not isinstance(observation, tuple):
        raise BadGame(
            f"{type(game).__name__} has no `infer`, and its observation {observation!r:.100} is no tuple of what was "
            "seen so far; give it one of the two."
        )
    stack: list[list[S]] = [[game.initial()]]
    for _ in range(MOST_TRIES):
        while stack and not stack[-1]:
            stack.pop()
        if not stack:
            break
        state = stack[-1].pop()
        seen = game.observe(state, player)
        if not isinstance(seen, tuple) or seen != observation[: len(seen)]:
            continue
        mover, actions = game.legal(state)
        if len(seen) == len(observation) and (mover == player or not actions):
            return state
        stack.append([game.step(state, action) for action in _shuffled(mover, actions, rng)])
    raise NoParticles(
        f"No history of {type(game).__name__} explains what player {player} has seen: {observation!r:.300}. "
        "The observation contradicts the game's rules."
    )


def _shuffled(mover: int | None, actions: Sequence[Any], rng: Random) -> list[Any]:
    """Return the moves in random order, the last to be tried first; of chance, likely outcomes are tried first more."""
    if mover is None:
        keyed = sorted(actions, key=lambda pair: rng.random() ** (1.0 / pair[1]) if pair[1] > 0 else -1.0)
        return [outcome for outcome, probability in keyed if probability > 0]
    return rng.sample(list(actions), len(actions))
