"""Rollouts as data: start, settings and result of a rollout; knows no oracle and no rule."""

from dataclasses import dataclass
from typing import Literal

from cwm_agent import defaults
from cwm_agent.imagination.guides import GROUNDED, Guide
from cwm_agent.oracles.protocol import MarkovView
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Frame, Outcome, Trace

Mark = Literal["imagined", "constrained", "rule", "given"]
"""The source of a frame: the oracle, the oracle among allowed lines, a rule, or the real run."""
End = Literal["outcome", "malformed", "unsupported", "truncated"]
NON_TERMINATION = "a run that never ends"
"""The reason given by a rollout that stopped for non-termination."""


@dataclass(frozen=True, slots=True)
class RolloutStart:
    """The first frame of a rollout, and the real run where the guide needs it."""

    program: Program
    frame: Frame
    real: Trace | None = None
    steps: int | None = None
    """Most steps of this rollout; None for the limit in the settings."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """An imagined execution from its first frame to its end."""

    frames: tuple[Frame, ...]
    marks: tuple[Mark, ...]
    end: End
    outcome: Outcome | None
    """The imagined outcome; None unless `end` is `outcome`."""
    reason: str = ""
    logprob: float = 0.0
    """Sum over all answers of the oracle."""
    tokens: int = 0
    asked: int = 0
    steps: int = 0
    """Frames from the first to the last, kept or not."""
    logprobs: tuple[float, ...] = ()
    """Of the answers that led to each frame, 0 where none did; empty where only the last frame is kept."""

    @property
    def rule_steps(self) -> int:
        """Return the number of steps that needed no answer of the oracle."""
        return sum(mark in ("rule", "given") for mark in self.marks[1:])


@dataclass(frozen=True, slots=True)
class RolloutSettings:
    """The view, the guide, and the limits of a rollout."""

    view: MarkovView = defaults.VIEW
    """The view in which the oracle gives the state; the next line, where the guide asks for it, in the program view."""
    guide: Guide = GROUNDED
    steps: int = defaults.ROLLOUT_STEPS
    tokens: int | None = None
    """Most tokens of one rollout; None is no limit."""
    until: float | None = None
    """Time on the monotonic clock at which rollouts still under way are cut off."""
    whole: bool = True
    """Whether all frames are kept; if not, only the last one, for callers that need only the outcome."""
    detects_non_termination: bool = False
    """Whether a rollout stops as soon as non-termination is certain; only for deterministic oracles."""
