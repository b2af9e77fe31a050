"""Leduc poker: six cards of three ranks, two rounds of betting, one common card.

The state is (cards dealt, moves of round one, moves of round two). Two cards of each rank are the cards 0 to 5, and
`card // 2` is the rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

State = tuple[tuple[int, ...], str, str]
RAISES = (2, 4)
"""The size of a raise in each round."""
MOST_RAISES = 2


@dataclass(frozen=True)
class LeducPoker:
    """Each player stakes 1; actions are `f` (fold, only against a raise), `c` (call or check), `r` (raise)."""

    players = 2
    highest = 13.0

    def initial(self) -> State:
        return (), "", ""

    def legal(self, state: State) -> tuple[int | None, list[object]]:
        cards, first, second = state
        if len(cards) < 2 or (len(cards) == 2 and closed(first) and not first.endswith("f")):
            left = [card for card in range(6) if card not in cards]
            return None, [(card, 1 / len(left)) for card in left]
        moves = first if len(cards) == 2 else second
        if closed(moves):
            return None, []
        faced = moves.endswith("r")
        raises = ["r"] if moves.count("r") < MOST_RAISES else []
        return len(moves) % 2, [*(["f"] if faced else []), "c", *raises]

    def step(self, state: State, action: int | str) -> State:
        cards, first, second = state
        if not isinstance(action, str):
            return (*cards, action), first, second
        return (cards, first + action, second) if len(cards) == 2 else (cards, first, second + action)

    def observe(self, state: State, player: int) -> tuple[object, ...]:
        cards, first, second = state
        return (*(card // 2 for card in cards[player : player + 1]), *first, *(c // 2 for c in cards[2:]), *second)

    def infer(self, observation: tuple[Any, ...], player: int, rng: Random) -> State:
        """Return cards that the player can have seen, each deal as likely, with the moves seen."""
        own, *seen = observation
        turned = next((place for place, each in enumerate(seen) if not isinstance(each, str)), len(seen))
        deck = list(range(6))
        cards = [deck.pop(2 * own + rng.randrange(2))]
        if turned < len(seen):
            cards.append(rng.choice([card for card in deck if card // 2 == seen[turned]]))
            deck.remove(cards[1])
        other = rng.choice(deck)
        dealt = (cards[0], other) if player == 0 else (other, cards[0])
        return (*dealt, *cards[1:]), "".join(seen[:turned]), "".join(seen[turned + 1 :])

    def returns(self, state: State) -> tuple[float, float]:
        cards, first, second = state
        stakes = [1, 1]
        for size, moves in zip(RAISES, (first, second), strict=True):
            _bet(stakes, moves, size)
            if moves.endswith("f"):
                loser = (len(moves) - 1) % 2
                return (-stakes[0], stakes[0]) if loser == 0 else (stakes[1], -stakes[1])
        if len(cards) < 3 or not closed(second):
            return 0.0, 0.0
        ranks = [card // 2 for card in cards]
        strength = [10 * (ranks[player] == ranks[2]) + ranks[player] for player in range(2)]
        won = float(min(stakes)) * ((strength[0] > strength[1]) - (strength[0] < strength[1]))
        return won, -won


def closed(moves: str) -> bool:
    """Whether a round of betting is over: a fold, a met raise, or two checks."""
    return moves == "cc" or moves.endswith(("f", "rc"))


def _bet(stakes: list[int], moves: str, size: int) -> None:
    """Put the moves of one round into the stakes."""
    for index, move in enumerate(moves):
        player = index % 2
        if move != "f":
            stakes[player] = max(stakes) + (size if move == "r" else 0)
