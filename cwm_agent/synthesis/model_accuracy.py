"""How right a synthesised game is: its answers beside those of the real game, by kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cwm_agent.synthesis.trajectories import Transition, plain, seen_transition
from planners.players.game import Game

KINDS = ("legal", "step", "observe", "returns")


@dataclass(frozen=True, slots=True)
class ModelAccuracy:
    """Shares of right answers, over the transitions they were asked on."""

    asked: int
    legal: float
    step: float
    observe: float
    returns: float
    whole: float
    """Share of transitions on which every answer is right."""

    def described(self) -> str:
        """Return the shares in one line."""
        if not self.asked:
            return "nothing was asked"
        parts = [f"{name} {getattr(self, name):.1%}" for name in (*KINDS, "whole")]
        return f"{self.asked} transitions: {', '.join(parts)}"


def accuracy_of(model: Game[Any, Any], transitions: Sequence[Transition]) -> ModelAccuracy:
    """Return how often the model says what was seen."""
    rights = [_right(model, each) for each in transitions]
    count = max(1, len(rights))
    shares = {kind: sum(right[kind] for right in rights) / count for kind in KINDS}
    return ModelAccuracy(len(rights), whole=sum(all(right.values()) for right in rights) / count, **shares)


def accuracy_on_states(model: Game[Any, Any], real: Game[Any, Any], states: Sequence[Any]) -> ModelAccuracy:
    """Return how often the model is right in states, with their first action; states unknown to reality are wrong."""
    seen: list[Transition] = []
    refused = 0
    for state in states:
        try:
            player, actions = real.legal(state)
            action = None if not actions else actions[0][0] if player is None else actions[0]
            seen.append(seen_transition(real, state, action))
        except Exception:  # a state that no real game reaches
            refused += 1
    found = accuracy_of(model, seen)
    share = found.asked / max(1, found.asked + refused)
    scaled = {kind: getattr(found, kind) * share for kind in (*KINDS, "whole")}
    return ModelAccuracy(found.asked + refused, **scaled)


def _right(model: Game[Any, Any], each: Transition) -> dict[str, bool]:
    player, actions = model.legal(each.state)
    seen = tuple(plain(model.observe(each.state, watcher)) for watcher in range(len(each.observations)))
    return {
        "legal": (player, list(actions)) == each.turn,
        "step": each.after is None or plain(model.step(each.state, each.action)) == each.after,
        "observe": seen == each.observations,
        "returns": tuple(model.returns(each.state)) == each.returns,
    }
