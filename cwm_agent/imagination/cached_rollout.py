"""Advances a rollout by compiled and cached steps, without rendering a frame at each step. Knows no oracle.

The result equals that of the plain loop: the same frame, the same number of steps and questions, the same
log-probability.
"""

import time
from dataclasses import dataclass

from cwm_agent.imagination.non_termination import NonTermination
from envs.execution.state.frames import Frame
from envs.execution.step_cache.mutable_frame import MutableFrame

_CLOCK = 64
"""Steps between two checks of the clock."""


@dataclass(frozen=True, slots=True)
class CachedStepLimits:
    """Limits of a stretch; the plain loop then finds out why it stopped."""

    steps: int
    """Most frames; no step is taken beyond."""
    until: float | None = None
    """Time on the monotonic clock."""
    expensive_at: int | None = None
    """Number of frames from which on the next cached answer ends the stretch."""


@dataclass(frozen=True, slots=True)
class CachedSteps:
    """The result of a stretch of cached steps."""

    frame: Frame
    steps: int
    """Frames so far."""
    asked: int
    logprob: float
    by_rule: bool
    """Whether the last step was by rule."""
    never_ends: bool = False
    """Whether the run certainly does not terminate."""
    expensive: bool = False
    """Whether `expensive_at` stopped it."""


def advance_cached(
    mutable: MutableFrame, steps: int, limits: CachedStepLimits, watch: NonTermination | None
) -> CachedSteps | None:
    """Advance from a frame as far as steps are cached; return None if the first step is not cached."""
    begun, asked, last = steps, 0, 0
    never_ends = expensive = False
    while steps <= limits.steps and not never_ends and not expensive:
        if limits.until is not None and (steps - begun) % _CLOCK == 0 and time.monotonic() > limits.until:
            break
        if not mutable.now.step(mutable):
            break
        steps += 1
        last, asked = asked, mutable.asked
        never_ends = watch is not None and watch.is_certain_at_step(mutable)
        expensive = limits.expensive_at is not None and steps >= limits.expensive_at and asked > last
    if steps == begun:
        return None
    return CachedSteps(
        frame=mutable.frame(),
        steps=steps,
        asked=asked,
        logprob=mutable.logprob,
        by_rule=asked == last,
        never_ends=never_ends,
        expensive=expensive,
    )
