"""A conformance check that authors of a game run on their game; knows no game."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import isfinite
from random import Random
from typing import Any

from planners.errors import BadGame
from planners.model import PRIOR_TOLERANCE
from planners.players.game import Game, draw_chance


def check_game(game: Game[Any, Any], *, playouts: int = 20, longest: int = 1000, seed: int = 0) -> None:
    """Raise BadGame with the faults found in random playouts; else return None.

    It checks that a game does not end at once and ends after at most `longest` moves; that states hash; that functions
    give the same result for the same state and change nothing; that chance has probabilities; that states which look
    the same to the player to move offer the same actions; that observations of hidden information begin with earlier
    ones; and that returns are one finite number for each player. One player is fine.
    """
    faults = _start_faults(game)
    checked = _Checked()
    rng = Random(seed)
    for _ in range(0 if faults else playouts):
        faults += _playout_faults(game, checked, longest, rng)
        if faults:
            break
    if faults:
        raise BadGame(f"{type(game).__name__} breaks the contract of planners.Game:\n- " + "\n- ".join(faults[:5]))


class _Checked:
    """What playouts have seen: the actions of each information set."""

    def __init__(self) -> None:
        self.actions: dict[tuple[int, Hashable], list[Any]] = {}


def _start_faults(game: Game[Any, Any]) -> list[str]:
    if not isinstance(game.players, int) or game.players < 1:
        return [f"players is {game.players!r}; a game has at least one player."]
    state = game.initial()
    if state != game.initial():
        return ["initial() gives another state when asked again; let chance move first instead."]
    faults = _state_faults(game, state)
    if not faults and not game.legal(state)[1]:
        faults = ["the game is over before the first move: legal(initial()) has no actions."]
    return faults


def _state_faults(game: Game[Any, Any], state: Any) -> list[str]:
    """Return what is wrong with one state, its turn and its observations."""
    try:
        hash(state)
    except TypeError:
        return [f"the state {state!r:.100} cannot be hashed; build states of tuples, numbers and text."]
    turn: object = game.legal(state)
    if not isinstance(turn, tuple) or len(turn) != 2 or not isinstance(turn[1], Sequence):
        return [f"legal() gives {turn!r:.100}; give (player, actions)."]
    player, actions = turn
    if turn != game.legal(state):
        return ["legal() gives something else when asked again; its order must be fixed."]
    if actions and player is not None and player not in range(game.players):
        return [f"legal() says player {player!r:.50} of {game.players}; count players from 0, and say None for chance."]
    if actions and player is None:
        return _chance_faults(actions)
    for watcher in range(game.players):
        seen = game.observe(state, watcher)
        try:
            same = hash(seen) == hash(game.observe(state, watcher))
        except TypeError:
            return [f"observe() gives {seen!r:.100}, which cannot be hashed."]
        if not same or seen != game.observe(state, watcher):
            return ["observe() gives something else when asked again."]
    return []


def _chance_faults(actions: Sequence[Any]) -> list[str]:
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in actions):
        return [f"chance has the actions {list(actions)!r:.100}; give pairs (outcome, probability)."]
    if not all(isinstance(probability, (int, float)) for _, probability in actions):
        return [f"chance has the actions {list(actions)!r:.100}; probabilities are numbers."]
    total = sum(probability for _, probability in actions)
    if abs(total - 1.0) > PRIOR_TOLERANCE or any(not probability >= 0.0 for _, probability in actions):
        return [f"the probabilities of chance sum to {total:.6g}; give numbers of at least 0 that sum to 1."]
    return []


def _playout_faults(game: Game[Any, Any], checked: _Checked, longest: int, rng: Random) -> list[str]:
    """Return the faults of one random game."""
    state = game.initial()
    seen = [game.observe(state, player) for player in range(game.players)]
    for move in range(longest):
        faults = _state_faults(game, state)
        player, actions = game.legal(state)
        if not faults and player is not None and actions:
            key = (player, game.observe(state, player))
            if checked.actions.setdefault(key, list(actions)) != list(actions):
                faults = [f"states that look the same to player {player} offer different actions: {key[1]!r:.200}"]
        if faults:
            return [f"after {move} moves: {fault}" for fault in faults]
        if not actions:
            return _end_faults(game, state)
        action = rng.choice(actions) if player is not None else draw_chance(actions, rng)
        before = repr(state)
        after = game.step(state, action)
        if repr(state) != before:
            return [f"after {move} moves: step() changed the state it was given; return a new one."]
        if after != game.step(state, action):
            return [f"after {move} moves: step() gives another state for the same action; let chance have a move."]
        state = after
        now = [game.observe(state, player) for player in range(game.players)]
        faults = _recall_faults(game, state, seen, now)
        if faults:
            return [f"after {move + 1} moves: {fault}" for fault in faults]
        seen = now
    return [f"the game is not over after {longest} moves; end it by a rule, or pass a larger `longest`."]


def _recall_faults(game: Game[Any, Any], state: Any, before: Sequence[Any], now: Sequence[Any]) -> list[str]:
    """Return a fault where a player forgets: only for hidden information without an `infer` of the game."""
    if hasattr(game, "infer"):
        return []
    for player, (old, new) in enumerate(zip(before, now, strict=True)):
        hidden = new != state
        if hidden and not (isinstance(old, tuple) and isinstance(new, tuple) and new[: len(old)] == old):
            return [
                f"player {player} saw {old!r:.80} and then {new!r:.80}; what is seen must begin with what was seen "
                "before (a tuple that grows), or the game needs a method `infer(observation, player, rng)`."
            ]
    return []


def _end_faults(game: Game[Any, Any], state: Any) -> list[str]:
    returns: object = game.returns(state)
    if not isinstance(returns, Sequence) or len(returns) != game.players:
        return [f"returns() gives {returns!r:.100} at the end; give one number for each of {game.players} players."]
    if not all(isinstance(each, (int, float)) and isfinite(each) for each in returns):
        return [f"returns() gives {returns!r:.100} at the end; returns must be finite numbers."]
    return []
