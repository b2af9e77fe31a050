"""Our games as games of OpenSpiel, so that its bots and algorithms play them. Needs the extra `games`.

OpenSpiel numbers actions: an action of ours is its place in `legal`, which is the same in all states that look the same
to the player to move.
"""

from __future__ import annotations

from random import Random
from typing import Any

from envs.games.spiel_games import load_pyspiel

PLAYOUTS = 200
"""Random games from which the largest number of moves and actions is found when they are not given."""


def to_open_spiel(game: Any, name: str, *, lowest: float | None = None, longest: int | None = None) -> Any:
    """Return a pyspiel.Game that plays `game`.

    `lowest` is the least return (by default minus the highest), `longest` the most moves of a game (by default twice
    the most of 200 random games).
    """
    pyspiel = load_pyspiel()
    types, modes = pyspiel.GameType, pyspiel.GameType.ChanceMode
    moves, actions, outcomes, hidden = _sizes(game)
    highest = float(getattr(game, "highest", 1.0))
    kind = types(
        short_name=name,
        long_name=name,
        dynamics=types.Dynamics.SEQUENTIAL,
        chance_mode=modes.EXPLICIT_STOCHASTIC if outcomes else modes.DETERMINISTIC,
        information=types.Information.IMPERFECT_INFORMATION if hidden else types.Information.PERFECT_INFORMATION,
        utility=types.Utility.GENERAL_SUM,
        reward_model=types.RewardModel.TERMINAL,
        max_num_players=game.players,
        min_num_players=game.players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=False,
        parameter_specification={},
    )
    info = pyspiel.GameInfo(
        num_distinct_actions=actions,
        max_chance_outcomes=outcomes,
        num_players=game.players,
        min_utility=-highest if lowest is None else lowest,
        max_utility=highest,
        max_game_length=2 * moves if longest is None else longest,
    )
    return _exported(pyspiel, game, kind, info)


def _exported(pyspiel: Any, game: Any, kind: Any, info: Any) -> Any:
    """Return the game; its classes derive from those of pyspiel, which is imported late."""

    class ExportedGame(pyspiel.Game):  # type: ignore[misc]
        """One of our games behind the interface of OpenSpiel."""

        def __init__(self) -> None:
            super().__init__(kind, info, {})

        def new_initial_state(self, world: Any = None) -> Any:
            return ExportedState(self)

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
            raise NotImplementedError("Tensors of our games are not defined; use information_state_string.")

    class ExportedState(pyspiel.State):  # type: ignore[misc]
        """A state of ours; moves replace it, since OpenSpiel changes states in place."""

        def __init__(self, exported: Any) -> None:
            super().__init__(exported)
            self.ours = game.initial()

        def current_player(self) -> int:
            player, actions = game.legal(self.ours)
            if not actions:
                return int(pyspiel.PlayerId.TERMINAL)
            return int(pyspiel.PlayerId.CHANCE) if player is None else int(player)

        def _legal_actions(self, player: int) -> list[int]:
            return list(range(len(game.legal(self.ours)[1])))

        def chance_outcomes(self) -> list[tuple[int, float]]:
            return [(index, odds) for index, (_, odds) in enumerate(game.legal(self.ours)[1])]

        def _apply_action(self, action: int) -> None:
            player, actions = game.legal(self.ours)
            self.ours = game.step(self.ours, actions[action][0] if player is None else actions[action])

        def _action_to_string(self, player: int, action: int) -> str:
            mover, actions = game.legal(self.ours)
            return str(actions[action][0] if mover is None else actions[action])

        def is_terminal(self) -> bool:
            return not game.legal(self.ours)[1]

        def returns(self) -> list[float]:
            return [float(each) for each in game.returns(self.ours)]

        def information_state_string(self, player: int | None = None) -> str:
            return repr(game.observe(self.ours, self.current_player() if player is None else player))

        def observation_string(self, player: int | None = None) -> str:
            return self.information_state_string(player)

        def __str__(self) -> str:
            return repr(self.ours)

    return ExportedGame()


def _sizes(game: Any) -> tuple[int, int, int, bool]:
    """Return the most moves, actions and outcomes of chance in random games, and whether anything is hidden."""
    rng = Random(0)
    moves = actions = outcomes = 0
    hidden = False
    for _ in range(PLAYOUTS):
        state, count = game.initial(), 0
        while (turn := game.legal(state))[1]:
            player, offered = turn
            if player is None:
                outcomes = max(outcomes, len(offered))
                state = game.step(state, rng.choice(offered)[0])
            else:
                actions = max(actions, len(offered))
                hidden = hidden or game.observe(state, player) != state
                state = game.step(state, rng.choice(offered))
            count += 1
        moves = max(moves, count)
    return moves, max(1, actions), outcomes, hidden
