"""What is imagined, how, and what comes of it: starts, settings and rollouts as data; knows no oracle and no rule."""

from dataclasses import dataclass
from typing import Literal

from cwm_agent import defaults
from cwm_agent.imagination.guides import GROUNDED, Guide
from cwm_agent.oracles.protocol import MarkovView
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Frame, Outcome, Trace

Mark = Literal["imagined", "constrained", "rule", "given"]
"""How a frame came about: the oracle's word, its word among allowed lines, a rule, or reality."""
End = Literal["outcome", "malformed", "unsupported", "truncated"]
ENDLESS = "a run that never ends"
"""Why a rollout was stopped that would go on for ever."""


@dataclass(frozen=True, slots=True)
class RolloutStart:
    """Where to begin imagining, and the real run where a guide looks at it."""

    program: Program
    frame: Frame
    real: Trace | None = None
    steps: int | None = None
    """Of this rollout; None for as many as the settings allow."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """An imagined execution from its first frame to its end."""

    frames: tuple[Frame, ...]
    marks: tuple[Mark, ...]
    end: End
    outcome: Outcome | None
    """What was imagined to come out; None unless `end` is `outcome`."""
    reason: str = ""
    logprob: float = 0.0
    """Of all that the oracle said, added up."""
    tokens: int = 0
    asked: int = 0
    steps: int = 0
    """Frames from the first to the last, kept or not."""

    @property
    def by_rule(self) -> float:
        """Share of the steps that no oracle had a part in."""
        return sum(mark in ("rule", "given") for mark in self.marks[1:]) / max(1, len(self.marks) - 1)


@dataclass(frozen=True, slots=True)
class RolloutSettings:
    """How to imagine: what is shown, who decides the line, and where to stop."""

    view: MarkovView = defaults.VIEW
    """The view that says the state."""
    line_view: MarkovView = "program"
    """The view that says the next line, where the guide leaves it to the oracle; local says none."""
    guide: Guide = GROUNDED
    steps: int = defaults.ROLLOUT_STEPS
    tokens: int | None = None
    """Of one rollout."""
    until: float | None = None
    """Time on the monotonic clock at which rollouts still under way are cut off."""
    whole: bool = True
    """Whether all frames are kept; else only the last, for whoever asks about the outcome."""
    endless: bool = False
    """Whether what will never end is stopped as soon as that is certain; for oracles that always answer the same."""
