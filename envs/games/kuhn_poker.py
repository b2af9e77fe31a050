"""Kuhn poker: three cards, two players, one bet. The state is (cards dealt, moves made)."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

State = tuple[tuple[int, ...], str]
ENDS = ("pp", "bp", "bb", "pbp", "pbb")


@dataclass(frozen=True)
class KuhnPoker:
    """Each player stakes 1 and gets one of the cards 0, 1, 2; actions are `p` (pass) and `b` (bet 1)."""

    players = 2
    highest = 2.0

    def initial(self) -> State:
        return (), ""

    def legal(self, state: State) -> tuple[int | None, list[object]]:
        cards, moves = state
        if len(cards) < 2:
            left = [card for card in range(3) if card not in cards]
            return None, [(card, 1 / len(left)) for card in left]
        return (None, []) if moves in ENDS else (len(moves) % 2, ["p", "b"])

    def step(self, state: State, action: int | str) -> State:
        cards, moves = state
        return (cards, moves + action) if isinstance(action, str) else ((*cards, action), moves)

    def observe(self, state: State, player: int) -> tuple[object, ...]:
        cards, moves = state
        return (*cards[player : player + 1], *moves)

    def infer(self, observation: tuple[Any, ...], player: int, rng: Random) -> State:
        """Return a deal that the player can have, with the moves seen."""
        own, *moves = observation
        other = rng.choice([card for card in range(3) if card != own])
        return (own, other) if player == 0 else (other, own), "".join(moves)

    def returns(self, state: State) -> tuple[float, float]:
        cards, moves = state
        if moves not in ENDS:
            return 0.0, 0.0
        if moves in ("bp", "pbp"):  # the bet was not met
            first = 1.0 if moves == "bp" else -1.0
        else:
            first = (1.0 if moves == "pp" else 2.0) * (1 if cards[0] > cards[1] else -1)
        return first, -first
