"""The imagining loop: many rollouts advance together, so that each call of the oracle is a full batch.

The heap and the call stack are kept by `envs.execution.stepper`; what an oracle says is its word, marked so, and
rules do the
rest. A rollout never raises because of what a model said: it ends as malformed, unsupported or truncated, with the
reason.
"""

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nsmallest
from itertools import islice
from typing import Generic, Literal, TypeVar

from cwm_agent.imagination.endless import Endless
from cwm_agent.imagination.guides import GROUNDED, Guide
from cwm_agent.imagination.successors import Successors
from cwm_agent.oracles.protocol import Answer, Malformed, Oracle, Prediction, Query, View
from envs.execution.effects import Effect, Question
from envs.execution.frames import Frame, Outcome, Trace
from envs.execution.pages import MalformedText
from envs.execution.program import Program
from envs.execution.stepper import Stepper
from envs.execution.values import Unsupported

Mark = Literal["imagined", "constrained", "rule", "given"]
"""How a frame came about: the oracle's word, its word among allowed lines, a rule, or reality."""
Key = TypeVar("Key", bound=Hashable)
End = Literal["outcome", "malformed", "unsupported", "truncated"]
ENDLESS = "a run that never ends"
"""Why a rollout was stopped that would go on for ever."""
CHEAP = 64
"""Tokens of a rollout that nobody waits for."""


@dataclass(frozen=True, slots=True)
class Start:
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
class Settings:
    """How to imagine: what is shown, who decides the line, and where to stop."""

    view: View = "local"
    """The view that says the state."""
    line_view: View = "program"
    """The view that says the next line, where the guide leaves it to the oracle; local says none."""
    guide: Guide = GROUNDED
    steps: int = 2_000
    tokens: int | None = None
    """Of one rollout."""
    until: float | None = None
    """Time on the monotonic clock at which rollouts still under way are cut off."""
    whole: bool = True
    """Whether all frames are kept; else only the last, for whoever asks about the outcome."""
    endless: bool = False
    """Whether what will never end is stopped as soon as that is certain; for oracles that always answer the same."""


def imagine(starts: Sequence[Start], oracle: Oracle, settings: Settings | None = None) -> list[Rollout]:
    """Roll all starts out to their ends, all of them together."""
    settings = settings or Settings()
    found = dict(imagine_each(((start, settings) for start in starts), oracle, width=max(1, len(starts))))
    return [found[number] for number in range(len(starts))]


def imagine_each(
    wanted: Iterable[tuple[Start, Settings]], oracle: Oracle, *, width: int = 512
) -> Iterator[tuple[int, Rollout]]:
    """Each rollout with its number as it ends; `width` are under way, and the next one begins as a place is free.

    So a few long rollouts hold up nobody, and the batches stay full.
    """
    waiting = enumerate(wanted)
    imagining: Imagining[int] = Imagining(oracle)
    while True:
        for number, (start, settings) in islice(waiting, width - len(imagining)):
            imagining.begin(number, start, settings)
        if not len(imagining):
            return
        yield from imagining.advance()


class Imagining(Generic[Key]):
    """Rollouts under way together: begun at any time, handed back one by one as they end.

    With a `width`, only so many are gone on with at once: by halves those that came first and those that cost least so
    far. Costs have a long tail, a tenth of the rollouts takes most of the tokens, so most of those that turn out dear
    wait until the cheap ones are done; and what came first is no more than half as fast as if nothing else had come.
    """

    def __init__(self, oracle: Oracle, width: int | None = None) -> None:
        self._oracle = oracle
        self._width = width
        self._active: dict[Key, _Run] = {}

    def __len__(self) -> int:
        return len(self._active)

    def begin(self, key: Key, start: Start, settings: Settings, *, worth: int = 0) -> None:
        """Take one more rollout along; each `worth` lets it cost four times as much before it waits."""
        self._active[key] = _Run(start, _stepper(start.program), settings, worth=worth)

    def advance(self) -> list[tuple[Key, Rollout]]:
        """Those that end without the oracle, if there are any: their places can be taken; else it is asked once.

        So nobody who has ended waits for others, and the oracle is asked about as many as possible.
        """
        served = self._served()
        ended = [key for key in served if not self._carried_on(self._active[key])]
        if ended:
            return [(key, self._active.pop(key).rollout()) for key in ended]
        asking = [self._active[key] for key in served if self._active[key].queries]
        if asking:
            predictions = iter(self._oracle.imagine([query for run in asking for query in run.queries]))
            for run in asking:
                run.take([next(predictions) for _ in run.queries])
        return []

    def _served(self) -> list[Key]:
        """Whom to go on with: all, or some of the first and the first of those that cost least."""
        if self._width is None or len(self._active) <= self._width:
            return list(self._active)
        waiting = iter(self._active)
        first = list(islice(waiting, self._width // 2))
        return first + nsmallest(self._width - len(first), waiting, key=lambda key: self._active[key].level)

    def _carried_on(self, run: "_Run") -> bool:
        """Go on as far as rules and what the oracle remembers reach, or until it is dearer; False at the end.

        What is remembered is not waited for: a batch then holds new questions only.
        """
        recall = getattr(self._oracle, "recall", None)
        level = run.level
        while not run.queries and run.advance():
            known = recall(run.queries) if recall is not None else None
            if known is None:
                return True
            run.take(known)
            if self._width is not None and run.level > level:
                return True
        return bool(run.queries)


@lru_cache(maxsize=1024)
def _stepper(program: Program) -> Stepper:
    return Stepper(program)


@dataclass(slots=True)
class _Run:
    """One rollout under way."""

    start: Start
    stepper: Stepper
    settings: Settings
    worth: int = 0
    queries: list[Query] = field(default_factory=list)
    steps: int = 1
    """Frames so far."""
    _frames: list[Frame] = field(default_factory=list)
    _marks: list[Mark] = field(default_factory=list)
    _end: End | None = None
    _outcome: Outcome | None = None
    _reason: str = ""
    _logprob: float = 0.0
    _tokens: int = 0
    _asked: int = 0
    _line_asked: bool = False
    """Whether the last queries leave the next line to the oracle."""
    _endless: Endless = field(default_factory=Endless)

    def __post_init__(self) -> None:
        self._frames, self._marks = [self.start.frame], ["given"]
        if self.settings.endless:
            self._endless.sees(self.start.frame)
        if self.settings.guide.needs_reality and self.start.real is None:
            raise ValueError(f"The guide {self.settings.guide.name} looks at the real run; give the start one.")

    def advance(self) -> bool:
        """Go on by rule until the oracle is needed; False at the end."""
        self.queries = []
        while self._end is None and not self.queries:
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
    def level(self) -> int:
        """What it cost so far, as a power of four, less what it is worth; a step by memory or rule counts a quarter."""
        return ((self._tokens + self.steps // 4) // CHEAP).bit_length() // 2 - self.worth

    @property
    def _most_steps(self) -> int:
        own = self.start.steps
        return self.settings.steps if own is None else min(own, self.settings.steps)

    def take(self, predictions: Sequence[Prediction]) -> None:
        """Use what the oracle said to the last queries."""
        self.queries = []
        self._asked += len(predictions)
        answers: list[Answer] = []
        for prediction in predictions:
            said = prediction.said
            self._tokens += prediction.tokens
            self._logprob += prediction.logprob or 0.0
            if not isinstance(said, Answer):
                self._stop("malformed" if isinstance(said, Malformed) else "unsupported", said.reason)
                return
            answers.append(said)
        # What an answer makes impossible is the answer's fault, so it must not be censored as unsupported.
        self._guarded(lambda: self._use(answers), "malformed")

    def rollout(self) -> Rollout:
        assert self._end is not None
        frames, marks = tuple(self._frames), tuple(self._marks)
        said = self._logprob, self._tokens, self._asked
        return Rollout(frames, marks, self._end, self._outcome, self._reason, *said, self.steps)

    def _guarded(self, step: Callable[[], None], unsupported: End = "unsupported") -> None:
        """Take a step; what cannot be carried on with ends the rollout."""
        try:
            step()
        except Unsupported as error:
            self._stop(unsupported, str(error))
        except (
            MalformedText,
            ValueError,
            KeyError,
            IndexError,
            SyntaxError,
            RecursionError,
            TypeError,
            ArithmeticError,
        ) as error:
            self._stop("malformed", f"what was imagined cannot be carried on with: {error!r}"[:300])

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
        """Whether the next line is the guide's to decide: a rule that raises, or a function's end, leaves none."""
        if self.settings.guide.freedom == "grounded" or not Successors.of(self.start.program).after(frame.line):
            return False
        if isinstance(step, Frame) and step.event == "exception":
            return False
        return isinstance(step, Question) or self.stepper.is_branch(frame) or self._at_loop(frame)

    def _at_loop(self, frame: Frame) -> bool:
        return frame.event == "line" and self.start.program.lines[frame.line - 1].lstrip().startswith("for ")

    def _forced(self, asked: Question | None, by_rule: Frame | Outcome | Question) -> None:
        """The real line is given; the state stays the oracle's."""
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
        self.queries = [self._query(settings.line_view, asked, allowed)]
        if asked is not None and settings.view != settings.line_view:
            self.queries.append(self._query(settings.view, asked, None))

    def _query(self, view: View, question: Question | None, lines: frozenset[int] | None) -> Query:
        history = tuple(self._frames) if view == "history" else ()
        return Query(self.start.program, self._frames[-1], question, view, lines, history)

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
            raise ValueError(f"line {line} is no step of the same function")
        return self.stepper.go(frame, line) if self.stepper.is_branch(frame) else self.stepper.tell(frame, effect, line)

    def _real_line(self) -> int | None:
        """The line the real run goes to from here, if it stays in the function."""
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
        index, every, real = self.steps, self.settings.guide.every, self.start.real
        if every is not None and real is not None and index % every == 0 and index < len(real.frames):
            following, mark = real.frames[index], "given"
        if not self.settings.whole:
            self._frames.clear()
            self._marks.clear()
        self._frames.append(following)
        self._marks.append(mark)
        self.steps += 1
        if self.settings.endless and self._endless.sees(following):
            self._stop("truncated", ENDLESS)

    def _stop(self, end: End, reason: str) -> None:
        self._end, self._reason = end, reason
