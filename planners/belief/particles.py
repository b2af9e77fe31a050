"""A belief as particles: possible states, each as likely as it is often; knows no search."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, Protocol, TypeVar

from planners.errors import NoParticles
from planners.limits import ask_model
from planners.model import Model, Step

S = TypeVar("S")
A = TypeVar("A")

BATCH = 64
"""Moves in one model batch of an update."""


class Observes(Model[S, A], Protocol[S, A]):
    """A model whose agent sees only a part of the state."""

    def observe(self, state: S) -> Hashable:
        """Return what the agent sees of `state`."""
        ...


@dataclass(frozen=True, slots=True)
class ParticleBelief(Generic[S]):
    """Possible states; a state that occurs twice is twice as likely."""

    particles: tuple[S, ...]
    observation: Hashable = None
    """What was seen last."""

    def share(self, state: S) -> float:
        """Return the probability of one state."""
        return self.particles.count(state) / len(self.particles) if self.particles else 0.0


@dataclass(frozen=True, slots=True)
class SeenMove(Generic[A]):
    """A real action and what was seen after it."""

    action: A
    observation: Hashable


def update_belief(
    model: Observes[S, A],
    belief: ParticleBelief[S],
    move: SeenMove[A],
    rng: Random,
    *,
    particles: int,
    tries: int = 100,
    kept: Sequence[S] = (),
) -> ParticleBelief[S]:
    """Return the belief after a real move, by rejection: steps whose observation differs from the real one are dropped.

    At most `tries` steps are drawn for each particle wanted; fewer particles than wanted are drawn with replacement.
    Raises NoParticles if no drawn step explains the observation.
    """
    found = list(kept[:particles])
    left = tries * particles if belief.particles else 0
    while len(found) < particles and left > 0:
        drawn = [(rng.choice(belief.particles), move.action) for _ in range(min(BATCH, left))]
        left -= len(drawn)
        steps = [answer for answer in ask_model(model, drawn, rng) if isinstance(answer, Step) and answer.end is None]
        found += [step.state for step in steps if model.observe(step.state) == move.observation]
    if not found:
        raise NoParticles(
            f"No particle explains the observation {move.observation!r:.100} after action {move.action!r:.80} "
            f"({len(belief.particles)} particles, {tries * particles} tries). Use more particles or tries, or start "
            "again from a belief that holds every possible state."
        )
    while len(found) < particles:
        found.append(rng.choice(found))
    return ParticleBelief(tuple(found[:particles]), move.observation)
