"""The inference function of a synthesised game: source that samples a history which explains what a player saw.

It uses the game's own functions only, so it is as right as they are; `inference_accuracy` measures it against reality.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from cwm_agent.synthesis.trajectories import Transition, plain
from planners.errors import NoParticles
from planners.players.game import Game

INFER = '''

def infer(observation, player, seed):
    """Return a state in which the player has seen this, or None."""
    from random import Random
    rng = Random(seed)
    stack = [[initial()]]
    for _ in range(20000):
        while stack and not stack[-1]:
            stack.pop()
        if not stack:
            return None
        state = stack[-1].pop()
        seen = observe(state, player)
        if seen != observation[:len(seen)]:
            continue
        mover, actions = legal(state)
        if len(seen) == len(observation) and (mover == player or not actions):
            return state
        moves = [each[0] for each in actions] if mover is None else list(actions)
        rng.shuffle(moves)
        stack.append([step(state, move) for move in moves])
    return None
'''


@dataclass(frozen=True, slots=True)
class InferenceAccuracy:
    """How often an inferred state explains what was seen."""

    asked: int
    by_model: float
    """Share that looks the same in the model."""
    in_reality: float
    """Share that looks the same in the real game, to the same player to move."""


def hides_state(transitions: Sequence[Transition]) -> bool:
    """Whether a player sees something other than the state."""
    return any(seen != each.state for each in transitions for seen in each.observations)


def with_inference(source: str) -> str:
    """Return the source with the inference function appended."""
    return source if "def infer(" in source else source + INFER


def inference_accuracy(
    model: Game[Any, Any], real: Game[Any, Any], transitions: Sequence[Transition], rng: Random
) -> InferenceAccuracy:
    """Return how often the model's `infer` explains what the player to move saw in these transitions."""
    infer = getattr(model, "infer", None)
    asked = [each for each in transitions if each.turn[0] is not None and each.turn[1]]
    if infer is None or not asked:
        return InferenceAccuracy(0, 0.0, 0.0)
    own = really = 0
    for each in asked:
        player = each.turn[0]
        assert player is not None
        seen = each.observations[player]
        try:
            state = infer(seen, player, rng)
        except NoParticles:
            continue
        own += plain(model.observe(state, player)) == seen
        really += _explains(real, state, player, seen)
    return InferenceAccuracy(len(asked), own / len(asked), really / len(asked))


def _explains(real: Game[Any, Any], state: Any, player: int, seen: Any) -> bool:
    try:
        return bool(plain(real.observe(state, player)) == seen and real.legal(state)[0] == player)
    except Exception:  # a state that no real game has
        return False
