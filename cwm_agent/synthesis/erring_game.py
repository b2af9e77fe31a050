"""Models of a game with errors of one kind at a known rate, and models that look only some moves ahead.

An error is a property of the state, as in wrong code: the same question always gets the same wrong answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from envs.games.millrace import MILLS, Millrace, Seen, State


class ErringMillrace(Millrace):
    """Millrace as a faulty model says it.

    Kinds: `legal` offers mills that are empty, `step` takes the grain of another mill, `observe` shows the mills of the
    move before, and `none` errs never.
    """

    def __init__(self, kind: str, rate: float, seed: int) -> None:
        self._kind, self._rate, self._seed = kind, rate, seed
        self._errs: dict[object, bool] = {}

    def errs(self, kind: str, asked: object) -> bool:
        """Whether the answer of this kind to this question is wrong."""
        if kind != self._kind:
            return False
        if asked not in self._errs:
            self._errs[asked] = Random(f"{self._seed} {asked!r}").random() < self._rate
        return self._errs[asked]

    def legal(self, state: State) -> tuple[int | None, list[object]]:
        player, actions = super().legal(state)
        if player is not None and self.errs("legal", (state[1], player)):
            return player, list(range(MILLS))
        return player, actions

    def step(self, state: State, action: int) -> State:
        wheels, mills, _, seen = state
        if len(wheels) == 2 and self.errs("step", (mills, action)):
            others = [mill for mill in range(MILLS) if mills[mill] and mill != action] or [action]
            wrong = super().step(state, others[len(seen) % len(others)])
            return (*wrong[:3], (*seen, action, wrong[1]))
        return super().step(state, action)

    def observe(self, state: State, player: int) -> Seen:
        seen = super().observe(state, player)
        if len(seen) > 3 and self.errs("observe", seen[1:]):
            return (*seen[:-1], seen[-3])
        return seen


class ShortSighted:
    """A game that is over so many moves after the state that a search starts from: the depth of planning."""

    def __init__(self, game: Millrace, depth: int) -> None:
        self._game, self._depth = game, depth
        self.players = game.players
        self._last = depth
        self.initial, self.step, self.observe, self.returns = game.initial, game.step, game.observe, game.returns

    def start_from(self, state: State) -> None:
        """Count the depth from this state."""
        self._last = len(state[3]) // 2 + self._depth

    def legal(self, state: State) -> tuple[int | None, Sequence[object]]:
        if len(state[3]) // 2 >= self._last:
            return None, []
        turn: tuple[int | None, Sequence[Any]] = self._game.legal(state)
        return turn
