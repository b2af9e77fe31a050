"""Millrace, a game of this project: two millers take grain from a ring of mills whose water each turns in secret.

Six mills hold two grains each. Chance gives each player a secret wheel: forwards or backwards. In turn a player opens a
mill that holds grain: one grain goes to the player's store, the others flow to the next mill in the direction of the
player's wheel; every third turn all water runs the other way. A mill that would hold more than four keeps four, and the
player gets what spills over. After ten turns, or when all mills are empty, the larger store wins.

Players see the mills, so a move of several grains reveals the wheel of the player who made it.
"""

from __future__ import annotations

from dataclasses import dataclass

MILLS = 6
GRAINS = 2
DEEPEST = 4
TURNS = 10
FORWARDS, BACKWARDS = 1, -1
Seen = tuple[object, ...]
State = tuple[tuple[int, ...], tuple[int, ...], tuple[int, int], Seen]
"""The wheels, the mills, the stores, and what both players saw: each mill opened and the mills after it."""


@dataclass(frozen=True)
class Millrace:
    """An action is the number of a mill from 0 to 5; an outcome of chance is a wheel, 1 or -1."""

    players = 2
    highest = 1.0

    def initial(self) -> State:
        return (), (GRAINS,) * MILLS, (0, 0), ()

    def legal(self, state: State) -> tuple[int | None, list[object]]:
        wheels, mills, _, seen = state
        if len(wheels) < 2:
            return None, [(FORWARDS, 0.5), (BACKWARDS, 0.5)]
        turn = len(seen) // 2
        if turn >= TURNS:
            return None, []
        return turn % 2, [mill for mill in range(MILLS) if mills[mill]]

    def step(self, state: State, action: int) -> State:
        wheels, mills, stores, seen = state
        if len(wheels) < 2:
            return (*wheels, action), mills, stores, seen
        turn = len(seen) // 2
        player = turn % 2
        direction = -wheels[player] if turn % 3 == 2 else wheels[player]
        level = list(mills)
        flowing, level[action] = level[action] - 1, 0
        onward = (action + direction) % MILLS
        spilt = max(0, level[onward] + flowing - DEEPEST)
        level[onward] += flowing - spilt
        gained = [1 + spilt if each == player else 0 for each in range(2)]
        after = (stores[0] + gained[0], stores[1] + gained[1])
        return wheels, tuple(level), after, (*seen, action, tuple(level))

    def observe(self, state: State, player: int) -> Seen:
        wheels, _, _, seen = state
        return (*wheels[player : player + 1], *seen)

    def returns(self, state: State) -> tuple[float, float]:
        _, _, stores, _ = state
        first = float((stores[0] > stores[1]) - (stores[0] < stores[1]))
        return first, -first
