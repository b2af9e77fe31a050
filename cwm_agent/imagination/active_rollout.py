"""One rollout under way: it advances by rules and cached steps, asks the oracle, uses its answers, and ends.

A rollout never raises because of a model's answer: it ends as malformed, unsupported or truncated, with the reason. The
rules raise ImpossibleState or Unsupported for such an answer; any other exception is a bug, and the rollout raises it.
"""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise

from cwm_agent.imagination.cached_rollout import CachedStepLimits, CachedSteps, advance_cached
from cwm_agent.imagination.guides import GROUNDED, BadGuide
from cwm_agent.imagination.imagined_rollout import NON_TERMINATION, End, Mark, Rollout, RolloutSettings, RolloutStart
from cwm_agent.imagination.non_termination import NonTermination
from cwm_agent.imagination.successors import Successors
from cwm_agent.oracles.protocol import Answer, Malformed, MarkovView, Prediction, Query
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import Frame, Outcome
from envs.execution.state.value_grammar import ImpossibleState, Unsupported
from envs.execution.step_cache.step_cache import StepCache
from envs.execution.stepper.stepper import Stepper

CHEAP = 64
"""Most tokens of a rollout that counts as cheap."""
STEPS_A_TOKEN = 16
"""Number of steps by cache or rule that take as long as one token."""


@dataclass(slots=True)
class ActiveRollout:
    """The state of one rollout, and its open queries."""

    start: RolloutStart
    stepper: Stepper
    settings: RolloutSettings
    worth: int = 0
    queries: list[Query] = field(default_factory=list)
    steps: int = 1
    """Frames so far."""
    _frames: list[Frame] = field(default_factory=list)
    _marks: list[Mark] = field(default_factory=list)
    _sums: list[float] = field(default_factory=lambda: [0.0])
    """The log-probability of all answers up to each frame, where all frames are kept."""
    _end: End | None = None
    _outcome: Outcome | None = None
    _reason: str = ""
    _logprob: float = 0.0
    _logprob_before: float = 0.0
    """Up to the last frame."""
    _tokens: int = 0
    _asked: int = 0
    _line_asked: bool = False
    """Whether the oracle decides the next line in the last queries."""
    _non_termination: NonTermination = field(default_factory=NonTermination)

    def __post_init__(self) -> None:
        self._frames, self._marks = [self.start.frame], ["given"]
        if self.settings.detects_non_termination:
            self._non_termination.is_certain_at(self.start.frame)
        if self.settings.guide.needs_reality and self.start.real is None:
            raise BadGuide(f"The guide {self.settings.guide.name} looks at the real run; give the start one.")

    def advance(self) -> bool:
        """Take one step by rule, or prepare queries; return False at the end."""
        self.queries = []
        if self._end is None:
            if self.steps > self._most_steps:
                self._stop("truncated", "steps")
            elif self.settings.until is not None and time.monotonic() > self.settings.until:
                self._stop("truncated", "seconds")
            elif self.settings.tokens is not None and self._tokens > self.settings.tokens:
                self._stop("truncated", "tokens")
            else:
                self._guarded(self._one_step)
        return self._end is None

    @property
    def uses_step_cache(self) -> bool:
        """Whether the step cache may be used: only the last frame is kept, and rules decide the lines."""
        settings = self.settings
        return not settings.whole and settings.view == "local" and settings.guide == GROUNDED

    def advance_cached(self, step_cache: StepCache, level: int | None) -> bool:
        """Advance by cached steps as far as they reach; True where the rollout then costs more than `level`."""
        tokens = self.settings.tokens
        if self._end is not None or (tokens is not None and self._tokens > tokens):
            return False
        try:
            stretch = self._stretch(step_cache, level)
        except (Unsupported, ImpossibleState) as error:
            self._stop("malformed", _impossible(error))
            return False
        if stretch is None:
            return False
        self._frames, self._marks = [stretch.frame], ["rule" if stretch.by_rule else "imagined"]
        self.steps, self._logprob = stretch.steps, stretch.logprob
        self._asked += stretch.asked
        step_cache.used += stretch.asked
        if stretch.never_ends:
            self._stop("truncated", NON_TERMINATION)
        return stretch.expensive

    def _stretch(self, step_cache: StepCache, level: int | None) -> CachedSteps | None:
        mutable = step_cache.compiler(self.stepper, self._frames[-1]).open(self._frames[-1])
        if mutable is None:
            return None
        mutable.logprob = self._logprob
        limits = CachedStepLimits(
            self._most_steps, self.settings.until, None if level is None else self._expensive_after(level)
        )
        return advance_cached(
            mutable, self.steps, limits, self._non_termination if self.settings.detects_non_termination else None
        )

    def cache_step(self, queries: Sequence[Query], predictions: Sequence[Prediction], step_cache: StepCache) -> None:
        """Store a used answer in the step cache."""
        [query], [prediction] = queries, predictions
        answer = prediction.said
        if self._end is None and isinstance(answer, Answer) and query.question is not None:
            with suppress(Unsupported, ImpossibleState):  # a step that cannot be repeated is not cached
                step_cache.learn(
                    self.stepper, query.frame, query.question, answer.effect, logprob=prediction.logprob or 0.0
                )

    def _expensive_after(self, level: int) -> int:
        """Return the number of steps at which the cost exceeds `level` if no more tokens are spent."""
        return STEPS_A_TOKEN * ((CHEAP << 2 * (level + self.worth) + 1) - self._tokens)

    @property
    def level(self) -> int:
        """Return the cost so far as a power of four, minus `worth`."""
        return ((self._tokens + self.steps // STEPS_A_TOKEN) // CHEAP).bit_length() // 2 - self.worth

    @property
    def _most_steps(self) -> int:
        own = self.start.steps
        return self.settings.steps if own is None else min(own, self.settings.steps)

    def take(self, predictions: Sequence[Prediction]) -> None:
        """Use the predictions of the last queries."""
        self.queries = []
        self._asked += len(predictions)
        answers: list[Answer] = []
        for prediction in predictions:
            answer = prediction.said
            self._tokens += prediction.tokens
            self._logprob += prediction.logprob or 0.0
            if not isinstance(answer, Answer):
                self._fail("malformed" if isinstance(answer, Malformed) else "unsupported", answer.reason)
                return
            answers.append(answer)
        # An answer that makes the next step impossible is an error of the model, so it is not censored as unsupported.
        self._guarded(lambda: self._use(answers), "malformed")

    def rollout(self) -> Rollout:
        assert self._end is not None
        frames, marks = tuple(self._frames), tuple(self._marks)
        spent = self._logprob, self._tokens, self._asked
        logprobs = (
            tuple(after - before for before, after in pairwise([0.0, *self._sums])) if self.settings.whole else ()
        )
        return Rollout(frames, marks, self._end, self._outcome, self._reason, *spent, self.steps, logprobs)

    def _guarded(self, step: Callable[[], None], unsupported: End = "unsupported") -> None:
        """Take a step; end the rollout if the answer leads to an impossible state."""
        try:
            step()
        except Unsupported as error:
            self._fail(unsupported, str(error))
        except ImpossibleState as error:
            self._fail("malformed", _impossible(error))

    def _fail(self, end: End, reason: str) -> None:
        """End the rollout; a guide that looks at unsure steps takes the real frame in the place of a malformed one."""
        real = self.start.real
        if end == "malformed" and self.settings.guide.below is not None and real and self.steps < len(real.frames):
            self._append(real.frames[self.steps], "given")
        else:
            self._stop(end, reason)

    def _one_step(self) -> None:
        frame, guide = self._frames[-1], self.settings.guide
        question = self.stepper.ask(frame)
        self._line_asked = False
        if not self._open_line(frame, question):
            if isinstance(question, Question):
                self.queries = [self._query(self.settings.view, question, None)]
            else:
                self._append(question, "rule")
            return
        asked = question if isinstance(question, Question) else None
        if guide.freedom == "forced":
            self._forced(asked, question)
        else:
            self._ask_line(frame, asked)

    def _open_line(self, frame: Frame, step: Frame | Outcome | Question) -> bool:
        """Whether the guide decides the next line; none follows a rule that raises or enters a function, or an end."""
        if self.settings.guide.freedom == "grounded" or not Successors.of(self.start.program).after(frame.line):
            return False
        if isinstance(step, Frame) and step.event in ("exception", "call"):
            return False
        return isinstance(step, Question) or self.stepper.is_branch(frame) or self._at_loop(frame)

    def _at_loop(self, frame: Frame) -> bool:
        return frame.event == "line" and self.start.program.lines[frame.line - 1].lstrip().startswith("for ")

    def _forced(self, asked: Question | None, by_rule: Frame | Outcome | Question) -> None:
        """Take the real next line; the oracle still gives the state."""
        line = self._real_line()
        if asked is not None:
            self.queries = [self._query(self.settings.view, asked, None)]
        elif line is None:
            assert not isinstance(by_rule, Question)
            self._append(by_rule, "rule")
        else:
            self._append(self.stepper.go(self._frames[-1], line), "given")

    def _ask_line(self, frame: Frame, asked: Question | None) -> None:
        settings = self.settings
        self._line_asked = True
        allowed = Successors.of(self.start.program).after(frame.line) if settings.guide.freedom == "cfg" else None
        self.queries = [self._query("program", asked, allowed)]
        if asked is not None and settings.view != "program":
            self.queries.append(self._query(settings.view, asked, None))

    def _query(self, view: MarkovView, question: Question | None, lines: frozenset[int] | None) -> Query:
        return Query(self.start.program, self._frames[-1], question, view, lines=lines)

    def _use(self, answers: Sequence[Answer]) -> None:
        frame, guide = self._frames[-1], self.settings.guide
        if not self._line_asked:
            line = self._real_line() if guide.freedom == "forced" else None
            self._append(self.stepper.tell(frame, answers[0].effect, line), "imagined")
            return
        effect, line = answers[-1].effect, answers[0].line
        self._append(self._gone(frame, effect, line), "constrained" if guide.freedom == "cfg" else "imagined")

    def _gone(self, frame: Frame, effect: Effect, line: int | None) -> Frame | Outcome:
        if effect.raised is not None:
            return self.stepper.tell(frame, effect)
        if line is None:
            return self.stepper.leave(frame, effect)
        if not Successors.of(self.start.program).is_step(line, frame.line):
            raise ImpossibleState(f"line {line} is no step of the same function")
        return self.stepper.go(frame, line) if self.stepper.is_branch(frame) else self.stepper.tell(frame, effect, line)

    def _real_line(self) -> int | None:
        """Return the next line of the real run; None if it leaves the function."""
        real = self.start.real
        assert real is not None
        index = self.steps
        if index >= len(real.frames):
            return None
        following, here = real.frames[index], real.frames[index - 1]
        return following.line if following.event == "line" and following.depth == here.depth else None

    def _append(self, following: Frame | Outcome, mark: Mark) -> None:
        if isinstance(following, Outcome):
            self._end, self._outcome = "outcome", following
            return
        index, real = self.steps, self.start.real
        if real is not None and index < len(real.frames) and self._looks_at(index):
            following, mark = real.frames[index], "given"
        self._logprob_before = self._logprob
        if not self.settings.whole:
            self._frames.clear()
            self._marks.clear()
        else:
            self._sums.append(self._logprob)
        self._frames.append(following)
        self._marks.append(mark)
        self.steps += 1
        if self.settings.detects_non_termination and self._non_termination.is_certain_at(following):
            self._stop("truncated", NON_TERMINATION)

    def _looks_at(self, index: int) -> bool:
        """Whether the guide takes the real frame: at every k-th one, or where the oracle was unsure of this one."""
        guide = self.settings.guide
        if guide.below is not None:
            return self._logprob - self._logprob_before < math.log(guide.below)
        return guide.every is not None and index % guide.every == 0

    def _stop(self, end: End, reason: str) -> None:
        self._end, self._reason = end, reason


def _impossible(error: Exception) -> str:
    return f"the answer leads to no possible state: {error}"[:300]
