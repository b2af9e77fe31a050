"""Games of OpenSpiel as ours: hashable states by their history, moves without side effects. Needs the extra `games`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any

from envs.errors import BadEnvOption


def load_pyspiel() -> Any:
    """Return the module pyspiel; BadEnvOption with the command that installs it if it is missing."""
    try:
        import pyspiel
    except ModuleNotFoundError as error:
        if error.name != "pyspiel":
            raise
        raise BadEnvOption("Games of OpenSpiel need it installed: pip install 'cwm-agent[games]'.") from None
    return pyspiel


@dataclass(frozen=True, slots=True)
class SpielState:
    """A state of OpenSpiel, equal to others by the moves that led to it."""

    moves: tuple[int, ...]
    native: Any = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SpielObservation:
    """What a player has seen; equal by its text. `infer` needs the native state, which searches do not read."""

    text: str
    native: Any = field(compare=False, repr=False)


class SpielGame:
    """A sequential game of OpenSpiel by its name, parameters in brackets: `leduc_poker(players=3)`."""

    def __init__(self, name: str) -> None:
        self._pyspiel = load_pyspiel()
        self.name = name
        try:
            self.native = self._pyspiel.load_game(name)
        except self._pyspiel.SpielError as error:
            raise BadEnvOption(f"OpenSpiel cannot load the game {name!r}: {str(error).splitlines()[0]:.200}") from error
        kind = self.native.get_type()
        if kind.dynamics != self._pyspiel.GameType.Dynamics.SEQUENTIAL:
            raise BadEnvOption(f"{name!r} has simultaneous moves; ask OpenSpiel for turn_based_simultaneous_game.")
        self.players: int = self.native.num_players()
        self.highest: float = self.native.max_utility()
        self._by_history: bool = kind.provides_information_state_string

    def __repr__(self) -> str:
        return f"SpielGame({self.name!r})"

    def initial(self) -> SpielState:
        return SpielState((), self.native.new_initial_state())

    def legal(self, state: SpielState) -> tuple[int | None, Sequence[Any]]:
        native = state.native
        if native.is_terminal():
            return None, []
        if native.is_chance_node():
            return None, native.chance_outcomes()
        return native.current_player(), native.legal_actions()

    def step(self, state: SpielState, action: int) -> SpielState:
        native = state.native.clone()
        native.apply_action(action)
        return SpielState((*state.moves, action), native)

    def observe(self, state: SpielState, player: int) -> SpielObservation:
        native = state.native
        text = native.information_state_string(player) if self._by_history else native.observation_string(player)
        return SpielObservation(text, native)

    def returns(self, state: SpielState) -> Sequence[float]:
        found: Sequence[float] = state.native.returns()
        return found

    def infer(self, observation: SpielObservation, player: int, rng: Random) -> SpielState:
        """Return a state that OpenSpiel resamples from what the player has seen."""
        native = observation.native.resample_from_infostate(player, rng.random)
        return SpielState(tuple(native.history()), native)

    @cached_property
    def longest(self) -> int:
        """The most moves of a game, chance not counted."""
        return int(self.native.max_game_length())
