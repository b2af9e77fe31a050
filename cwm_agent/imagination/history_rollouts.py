"""History rollouts: an oracle continues a program's frames one by one, many rollouts together.

    free       the oracle writes state and action as it likes
    cfg        its action is among those that the control-flow graph allows
    grounded   the action by rule where the imagined values decide it; decomposed programs only (`history_rules.py`)
    forced     the action is the real run's; the state stays the oracle's
    ...+anchored:k  every k-th frame is the real one

A rollout never raises because of a model's answer: it ends as malformed or truncated, with the reason.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from cwm_agent import defaults
from cwm_agent.imagination.guides import BadGuide, Guide
from cwm_agent.imagination.history_rules import ruled
from cwm_agent.imagination.rollout_loop import End, Mark
from cwm_agent.oracles.history_protocol import ENDED, Action, HistoryOracle, HistoryPrediction, HistoryQuery, Malformed
from cwm_agent.views.history.action_places import END, ActionPlaces
from cwm_agent.views.history.history_state import HistoryState
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Outcome
from envs.execution.state.history_frames import History, HistoryFrame

FREE = Guide("free")


@dataclass(frozen=True, slots=True)
class HistoryStart:
    """The first frame of a history rollout, and the real run where the guide needs it."""

    program: Program
    call: HistoryFrame
    real: History | None = None
    after: tuple[HistoryFrame, ...] = ()
    """Known frames after the call; the rollout continues from the last of them."""
    steps: int | None = None
    """Most steps of this rollout; None for the limit in the settings."""


@dataclass(frozen=True, slots=True)
class HistorySettings:
    """The guide and the limits of history rollouts."""

    guide: Guide = FREE
    steps: int = defaults.ROLLOUT_STEPS
    tokens: int | None = None
    """Most tokens of one rollout; None is no limit."""
    until: float | None = None
    """Time on the monotonic clock at which rollouts still under way are cut off."""


@dataclass(frozen=True, slots=True)
class HistoryRollout:
    """An imagined history from its call to its end."""

    frames: tuple[HistoryFrame, ...]
    marks: tuple[Mark, ...]
    """The source of each frame. `imagined`: the oracle; `constrained`: the oracle, with its action given or chosen
    among some; `rule`: the oracle, with its action by rule; `given`: the real run."""
    end: End
    outcome: Outcome | None
    """The imagined outcome; None unless `end` is `outcome`."""
    reason: str = ""
    logprob: float = 0.0
    """Sum over all answers of the oracle."""
    action_logprob: float | None = None
    """Sum over all actions, given ones included; None if the backend gives none."""
    tokens: int = 0
    asked: int = 0
    logprobs: tuple[float, ...] = ()
    """Of the answer that is each frame, 0 for given ones."""

    @property
    def steps(self) -> int:
        """Frames from the first to the last."""
        return len(self.frames)


def imagine_histories(
    starts: Sequence[HistoryStart], oracle: HistoryOracle, settings: HistorySettings | None = None
) -> list[HistoryRollout]:
    """Roll all starts out to their ends; each batch has one frame of every rollout."""
    settings = settings or HistorySettings()
    runs = [_Run(number, start, settings) for number, start in enumerate(starts)]
    active = runs
    while active := [run for run in active if run.advance()]:
        if settings.until is not None and time.monotonic() > settings.until:
            for run in active:
                run.stop("truncated", "seconds")
            break
        queries = [run.query for run in active if run.query is not None]
        for run, prediction in zip(active, oracle.continue_(queries), strict=True):
            run.take(prediction)
    return [run.rollout() for run in runs]


@dataclass(slots=True)
class _Run:
    """One rollout under way."""

    number: int
    start: HistoryStart
    settings: HistorySettings
    query: HistoryQuery | None = None
    _frames: list[HistoryFrame] = field(default_factory=list)
    _marks: list[Mark] = field(default_factory=list)
    _standing: HistoryState = HistoryState()  # noqa: RUF009  # frozen, so sharing one is safe
    _real: HistoryState = HistoryState()  # noqa: RUF009
    _raised: str | None = None
    """The last imagined exception."""
    _mark: Mark = "imagined"
    _end: End | None = None
    _outcome: Outcome | None = None
    _reason: str = ""
    _logprob: float = 0.0
    _sums: list[float] = field(default_factory=list)
    """The log-probability of all answers up to each frame."""
    _action_logprob: float | None = None
    _tokens: int = 0
    _asked: int = 0

    def __post_init__(self) -> None:
        guide = self.settings.guide
        if guide.needs_reality and self.start.real is None:
            raise BadGuide(f"The guide {guide.name} looks at the real run; give the start one.")
        if guide.below is not None:
            raise BadGuide(f"The guide {guide.name} looks at single steps; in the history view use anchored:K.")
        if guide.freedom == "grounded" and self.start.program.level == "plain":
            raise BadGuide(
                f"The guide {guide.name} needs a decomposed program: a line as written hides the values that decide "
                "its branch. Decompose it (--level operations), or use cfg, free or forced."
            )
        for frame in (self.start.call, *self.start.after):
            self._append(frame, "given")

    def advance(self) -> bool:
        """Advance as far as possible without the oracle; False at the end."""
        while self._end is None:
            if self._standing.over:
                self._finish(Outcome("returned", self._frames[-1].arg or "None"))
            elif len(self._frames) > (self.start.steps or self.settings.steps):
                self.stop("truncated", "steps")
            elif self.settings.tokens is not None and self._tokens > self.settings.tokens:
                self.stop("truncated", "tokens")
            elif not self._anchor():
                allowed = self._allowed()
                if self._end is None and allowed == frozenset({END}):
                    self._finish(self._raise())
                elif self._end is None:
                    self.query = HistoryQuery(self.start.program, tuple(self._frames), allowed, self.number)
                    return True
        return False

    def take(self, prediction: HistoryPrediction) -> None:
        """Use the prediction of the last query."""
        assert self.query is not None
        self._asked += 1
        self._tokens += prediction.tokens
        self._logprob += prediction.logprob or 0.0
        if prediction.action_logprob is not None:
            self._action_logprob = (self._action_logprob or 0.0) + prediction.action_logprob
        answer = prediction.said
        if isinstance(answer, Malformed):
            self.stop("malformed", answer.reason)
        elif not _is_allowed(answer, self.query.allowed):
            self.stop("malformed", "an action that was not among those allowed")
        elif answer == ENDED:
            if self._raised is None:
                self.stop("malformed", "an end while a function is under way and nothing was raised")
            else:
                self._finish(self._raise())
        else:
            assert isinstance(answer, HistoryFrame)
            self._append(answer, self._mark)

    def stop(self, end: End, reason: str) -> None:
        """End the rollout here; its frames so far stay."""
        self._end, self._reason = end, reason

    def rollout(self) -> HistoryRollout:
        assert self._end is not None
        return HistoryRollout(
            frames=tuple(self._frames),
            marks=tuple(self._marks),
            end=self._end,
            outcome=self._outcome,
            reason=self._reason,
            logprob=self._logprob,
            action_logprob=self._action_logprob,
            tokens=self._tokens,
            asked=self._asked,
            logprobs=tuple(after - before for before, after in pairwise([0.0, *self._sums])),
        )

    def _allowed(self) -> frozenset[Action] | None:
        """Return the actions that the guide allows; None for all."""
        freedom = self.settings.guide.freedom
        self._mark = "imagined" if freedom == "free" else "constrained"
        if freedom == "cfg":
            return ActionPlaces.of(self.start.program).allowed(self._standing) or None
        if freedom == "grounded":
            rule = ruled(self.start.program, self._standing)
            self._mark = "rule" if rule.by_rule else "constrained"
            return rule.allowed
        return self._forced() if freedom == "forced" else None

    def _forced(self) -> frozenset[Action] | None:
        real = self.start.real
        assert real is not None
        index = len(self._frames)
        if index < len(real.frames):
            return frozenset({Action(real.frames[index].event, real.frames[index].action)})
        if real.outcome.ending == "truncated":
            self.stop("truncated", "the real run, which was cut off here")
        return frozenset({END})

    def _anchor(self) -> bool:
        """Take the real frame where the guide anchors the rollout."""
        every, real, index = self.settings.guide.every, self.start.real, len(self._frames)
        if every is None or real is None or index % every or index >= len(real.frames):
            return False
        self._append(real.frames[index], "given")
        self._standing = self._real  # this drops the imagined state of the functions under way too
        return True

    def _append(self, frame: HistoryFrame, mark: Mark) -> None:
        real = self.start.real
        if real is not None and self.settings.guide.every is not None and len(self._frames) < len(real.frames):
            self._real = self._real.then(real.frames[len(self._frames)])
        self._frames.append(frame)
        self._marks.append(mark)
        self._sums.append(self._logprob)
        self._standing = self._standing.then(frame)
        if frame.event == "exception":
            self._raised = frame.arg

    def _raise(self) -> Outcome:
        return Outcome("raised", self._raised or "")

    def _finish(self, outcome: Outcome) -> None:
        self._end, self._outcome = "outcome", outcome


def _is_allowed(answer: HistoryFrame | str, allowed: frozenset[Action] | None) -> bool:
    if allowed is None:
        return True
    return (END if isinstance(answer, str) else Action(answer.event, answer.action)) in allowed
