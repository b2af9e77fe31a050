"""Steps that were taken before, taken again: as far as habits and rules reach, a rollout goes on without pages.

What comes of it is what the plain loop would have come to: the same page, as many steps, as many things asked and as
sure of them. Knows no oracle.
"""

import time
from dataclasses import dataclass

from cwm_agent.imagination.non_termination import NonTermination
from envs.execution.state.frames import Frame
from envs.execution.step_cache.mutable_frame import MutableFrame

_CLOCK = 64
"""Steps between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class StretchLimits:
    """Where to stop, which others then find a reason for."""

    steps: int
    """Frames beyond which no step is taken."""
    until: float | None = None
    """Time on the monotonic clock."""
    dearer: int | None = None
    """Frames from which on a step that somebody was asked about is the last one for now."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """How far it went."""

    frame: Frame
    steps: int
    """Frames so far."""
    asked: int
    logprob: float
    by_rule: bool
    """Whether the last step was."""
    endless: bool = False
    """Whether it is certain that no end will come."""
    dear: bool = False
    """Whether it was stopped for being dearer."""


def go_on(sheet: MutableFrame, steps: int, limits: StretchLimits, watch: NonTermination | None) -> Stretch | None:
    """Go on from an opened page as far as steps are known; None where not even the first one is."""
    begun, asked, last = steps, 0, 0
    endless = dear = False
    while steps <= limits.steps and not endless and not dear:
        if limits.until is not None and (steps - begun) % _CLOCK == 0 and time.monotonic() > limits.until:
            break
        if not sheet.now.step(sheet):
            break
        steps += 1
        last, asked = asked, sheet.asked
        endless = watch is not None and watch.watches(sheet)
        dear = limits.dearer is not None and steps >= limits.dearer and asked > last
    if steps == begun:
        return None
    return Stretch(sheet.frame(), steps, asked, sheet.logprob, asked == last, endless, dear)
