"""The protocol between history rollouts and the models that continue them. Words:

    query       a program, its frames so far, and the actions that the guide allows next
    action      of a frame: its event and its line as written
    prediction  the next frame, the end, or malformed text, with its log-probability and its cost

Failures are those of `protocol.py`: a model's mistake is a value (Malformed), a backend's failure an OracleError.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from cwm_agent.oracles.protocol import Malformed
from cwm_agent.views.history.action_places import Action
from cwm_agent.views.history.frame_reader import ENDED, Ended
from envs.execution.decompose.program import Program
from envs.execution.state.history_frames import HistoryFrame

__all__ = ["ENDED", "Action", "Ended", "HistoryOracle", "HistoryPrediction", "HistoryQuery", "Malformed"]


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """A history that the oracle continues by one frame."""

    program: Program
    frames: tuple[HistoryFrame, ...]
    """All frames so far, the call first; never empty."""
    allowed: frozenset[Action] | None = None
    """The allowed next actions: a single one is given to the model, it chooses among several, None allows all."""
    rollout: int = field(default=-1, compare=False)
    """The number of the rollout, so that an oracle may keep its KV cache for it; below 0 for none."""

    def __post_init__(self) -> None:
        if not self.frames:
            raise ValueError("A history begins with its call; give at least that frame.")
        if self.allowed is not None and not self.allowed:
            raise ValueError("No action is allowed, so there is nothing to ask; the history is over.")

    @property
    def given(self) -> Action | None:
        """Return the action if only one is allowed; else None."""
        return next(iter(self.allowed)) if self.allowed is not None and len(self.allowed) == 1 else None


@dataclass(frozen=True, slots=True)
class HistoryPrediction:
    """What an oracle returns for one query."""

    said: HistoryFrame | Ended | Malformed
    logprob: float | None = None
    """Natural logarithm of the probability of the whole frame; None if the backend gives none."""
    action_logprob: float | None = None
    """The same for the action alone, also if it was given; None if the backend cannot tell."""
    tokens: int = 0
    """Tokens read and written for this prediction."""


class HistoryOracle(Protocol):
    """All that a history rollout uses of a model: a name, and one prediction for each query."""

    @property
    def name(self) -> str:
        """The name in reports."""
        ...

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        """Return one prediction for each query, in order."""
        ...
