"""Games by name: ours, and with the prefix `spiel:` those of OpenSpiel."""

from __future__ import annotations

from typing import Any

from envs.errors import BadEnvOption
from tasks.errors import did_you_mean

GAMES = {
    "tic-tac-toe": "envs.games.tic_tac_toe:TicTacToe",
    "connect-four": "envs.games.connect_four:ConnectFour",
    "kuhn": "envs.games.kuhn_poker:KuhnPoker",
    "leduc": "envs.games.leduc_poker:LeducPoker",
    "millrace": "envs.games.millrace:Millrace",
}
SPIEL = "spiel:"


def make_game(name: str) -> Any:
    """Return the game of this name, `spiel:NAME` from OpenSpiel; BadEnvOption if there is none."""
    if name.startswith(SPIEL):
        from envs.games.spiel_games import SpielGame

        return SpielGame(name.removeprefix(SPIEL))
    if name not in GAMES:
        raise BadEnvOption(
            f"No game named {name!r}. {did_you_mean(name, list(GAMES))} `spiel:NAME` is one of OpenSpiel."
        )
    from importlib import import_module

    module, _, kind = GAMES[name].partition(":")
    return getattr(import_module(module), kind)()
