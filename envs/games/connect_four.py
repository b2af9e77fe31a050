"""Connect Four: seven columns of six places, four in a row win. The state is the columns from the bottom up."""

from __future__ import annotations

from dataclasses import dataclass

COLUMNS, ROWS = 7, 6
_STEP = ROWS + 1
_SHIFTS = (1, _STEP, _STEP - 1, _STEP + 1)
_TOP = [1 << (column * _STEP + ROWS - 1) for column in range(COLUMNS)]
_BOTTOM = [1 << (column * _STEP) for column in range(COLUMNS)]


Board = tuple[int, int, int]
"""Bits of all stones, bits of the stones of the player to move, number of moves; one spare row stands on top."""


@dataclass(frozen=True)
class ConnectFour:
    """Player 0 begins; an action is a column from 0 to 6."""

    players = 2
    highest = 1.0

    def initial(self) -> Board:
        return 0, 0, 0

    def legal(self, state: Board) -> tuple[int | None, list[int]]:
        stones, own, moves = state
        if four_in_a_row(stones ^ own):
            return None, []
        return moves & 1, [column for column in range(COLUMNS) if not stones & _TOP[column]]

    def step(self, state: Board, action: int) -> Board:
        stones, own, moves = state
        return stones | (stones + _BOTTOM[action]), stones ^ own, moves + 1

    def observe(self, state: Board, player: int) -> Board:
        return state

    def returns(self, state: Board) -> tuple[float, float]:
        stones, own, moves = state
        if not four_in_a_row(stones ^ own):
            return 0.0, 0.0
        return (1.0, -1.0) if moves & 1 else (-1.0, 1.0)


def four_in_a_row(bits: int) -> bool:
    """Whether four of these bits stand in a row, upright, level or slanted."""
    for shift in _SHIFTS:
        pairs = bits & (bits >> shift)
        if pairs & (pairs >> 2 * shift):
            return True
    return False
