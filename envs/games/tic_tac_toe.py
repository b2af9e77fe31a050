"""Tic-tac-toe: three in a row on nine places. The state is the board, nine characters of `.xo`."""

from __future__ import annotations

from dataclasses import dataclass

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@dataclass(frozen=True)
class TicTacToe:
    """Player 0 writes x and begins, player 1 writes o; an action is a place from 0 to 8."""

    players = 2
    highest = 1.0

    def initial(self) -> str:
        return "........."

    def legal(self, state: str) -> tuple[int | None, list[int]]:
        if winner(state) is not None:
            return None, []
        return state.count("x") - state.count("o"), [place for place in range(9) if state[place] == "."]

    def step(self, state: str, action: int) -> str:
        mark = "o" if state.count("x") > state.count("o") else "x"
        return state[:action] + mark + state[action + 1 :]

    def observe(self, state: str, player: int) -> str:
        return state

    def returns(self, state: str) -> tuple[float, float]:
        first = {"x": 1.0, "o": -1.0, None: 0.0}[winner(state)]
        return first, -first


def winner(state: str) -> str | None:
    """Return the mark that has a row; None if there is none."""
    for a, b, c in LINES:
        if state[a] != "." and state[a] == state[b] == state[c]:
            return state[a]
    return None
