"""The protocol of a game, and what every search in games does with one: draw chance, play to the end, infer states.

Words: a *state* holds everything, also what is hidden; an *observation* is all that one player has seen so far; the
*returns* are what each player has gained by a state. A player is a number from 0; chance is the player None.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import isfinite
from random import Random
from typing import Any, Protocol, TypeAlias, TypeVar

from planners.errors import BadGame

S = TypeVar("S")
A = TypeVar("A")
A_contra = TypeVar("A_contra", contravariant=True)

Turn: TypeAlias = tuple[int | None, Sequence[Any]]
"""The player to move and the actions; of chance: None and pairs of outcome and probability; at the end: no actions."""
Chooser: TypeAlias = Callable[[S, Random], A]
"""A player as a function of the state; a fair one uses only `observe(state, player)` of it."""
LONGEST = 10_000
"""Most moves of a game that names no number of its own; after them it counts as one that never ends."""


class Game(Protocol[S, A_contra]):
    """A game as pure functions over hashable states.

    Optional: a method `infer(observation, player, rng)` that returns a state in which the player has seen exactly this,
    an attribute `highest`, the highest return there is, and an attribute `longest`, the most moves (else `LONGEST`).
    """

    @property
    def players(self) -> int:
        """The number of players, chance not counted."""
        ...

    def initial(self) -> S:
        """Return the state before the first move."""
        ...

    def legal(self, state: S) -> Turn:
        """Return who moves and which actions there are, always in the same order.

        Chance is the player None, and its actions are pairs of outcome and probability. No actions mean that the game
        is over, for every player.
        """
        ...

    def step(self, state: S, action: A_contra) -> S:
        """Return the state after an action, or after an outcome of chance; change nothing."""
        ...

    def observe(self, state: S, player: int) -> Hashable:
        """Return all that the player has seen so far; the state itself if nothing is hidden.

        With hidden information it is a tuple of what was seen, the oldest first: it starts with what was seen earlier.
        """
        ...

    def returns(self, state: S) -> Sequence[float]:
        """Return what each player has gained, final at the end of the game."""
        ...


def draw_chance(outcomes: Sequence[tuple[A, float]], rng: Random) -> A:
    """Return an outcome of chance by its probability."""
    left = rng.random()
    for outcome, probability in outcomes:
        left -= probability
        if left < 0.0:
            return outcome
    return outcomes[-1][0]


def final_returns(game: Game[S, A], state: S) -> Sequence[float]:
    """Return the game's returns; BadGame if they are not one finite number for each player."""
    returns = game.returns(state)
    try:
        is_legal = len(returns) == game.players and all(map(isfinite, returns))
    except (TypeError, OverflowError):  # no sequence, or not of numbers
        is_legal = False
    if not is_legal:
        raise BadGame(
            f"{type(game).__name__}.returns gave {returns!r:.100}; give one finite number for each of the "
            f"{game.players} players. The state: {state!r:.200}"
        )
    return returns


def play_out(game: Game[S, A], state: S, turn: Turn, rng: Random) -> Sequence[float]:
    """Return the returns of a game played to its end by uniformly random moves."""
    step, legal, uniform = game.step, game.legal, rng.random
    player, actions = turn
    for _ in range(longest_of(game)):
        if not actions:
            return final_returns(game, state)
        action = actions[int(uniform() * len(actions))] if player is not None else draw_chance(actions, rng)
        state = step(state, action)
        player, actions = legal(state)
    raise never_ends(game)


def longest_of(game: Game[Any, Any]) -> int:
    """Return the most moves of a game, after which it counts as one that never ends."""
    longest: int = getattr(game, "longest", LONGEST)
    return longest


def never_ends(game: Game[Any, Any]) -> BadGame:
    """Return the error for a game that does not end."""
    return BadGame(
        f"{type(game).__name__} is not over after {longest_of(game)} moves; a game must end, for example by a rule "
        "that counts the moves in its state."
    )


def play(game: Game[S, A], choosers: Sequence[Chooser[S, A]], rng: Random) -> Sequence[float]:
    """Return the returns of one game between these players, one for each."""
    state = game.initial()
    for _ in range(longest_of(game)):
        player, actions = game.legal(state)
        if not actions:
            return final_returns(game, state)
        if player is None:
            state = game.step(state, draw_chance(actions, rng))
            continue
        action = choosers[player](state, rng)
        if action not in actions:
            raise BadGame(f"Player {player} chose {action!r:.100}, which is not legal: {list(actions)!r:.200}")
        state = game.step(state, action)
    raise never_ends(game)


def choose_randomly(game: Game[S, A]) -> Chooser[S, A]:
    """Return a player that chooses uniformly."""

    def choose(state: S, rng: Random) -> A:
        action: A = rng.choice(game.legal(state)[1])
        return action

    return choose
