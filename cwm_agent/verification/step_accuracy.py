"""Judges steps one by one: compares each answer of an oracle, from the real state, with the real next frame.

`rollout_tally.py` judges rollouts, where an error affects later steps. A case that could not be tried counts as wrong.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from cwm_agent.imagination.successors import Successors
from cwm_agent.oracles.protocol import Answer, MarkovView, Oracle, Prediction, Query, Unanswerable
from cwm_agent.verification.statistics.calibration import Calibration
from cwm_agent.verification.verifier import value_type
from cwm_agent.views.local import local_view
from envs.execution.decompose.program import Program
from envs.execution.state.effects import Question
from envs.execution.state.frames import Frame, Trace
from envs.execution.state.value_grammar import ImpossibleState, Unsupported
from envs.execution.stepper.stepper import Stepper
from tasks.task import CallTest, FunctionTest

_BATCH = 4096
_DELTA = re.compile(r"#\d+(?:\[|=\.\.)|del #|\w+=(?:\.\.|.*\.\.$)")
"""A row that says a change (`change_text.py`), not a whole value."""


@dataclass(frozen=True, slots=True)
class Case:
    """One program and call with its real run; `problem` is the reason if there is none."""

    id: str
    program: Program | None
    real: Trace | None
    problem: str = ""
    test: CallTest | FunctionTest | None = None
    """The test that makes this call, if there is one."""
    passes: bool | None = None
    """Whether that test really passes."""
    steps: int | None = None
    """Most steps of its rollout; None for the limit in the settings."""

    @property
    def task(self) -> str:
        """The task by which figures are grouped, because calls of one task are alike."""
        return self.id.partition("#")[0].partition("~")[0]


@dataclass(slots=True)
class Count:
    """Counts of right and of all answers."""

    right: int = 0
    asked: int = 0

    def add(self, right: bool) -> None:
        self.right += right
        self.asked += 1

    def merge(self, other: "Count") -> None:
        self.right += other.right
        self.asked += other.asked

    @property
    def share(self) -> float:
        return self.right / self.asked if self.asked else 0.0


@dataclass(slots=True)
class StepCounts:
    """Counts of right and of all steps, by the type of the value that a step changes and by task."""

    by_type: defaultdict[str, Count] = field(default_factory=lambda: defaultdict(Count))
    by_task: defaultdict[str, Count] = field(default_factory=lambda: defaultdict(Count))
    lines: Count = field(default_factory=Count)
    """Next lines, if the view names one."""
    runs: Count = field(default_factory=Count)
    """Cases with a real run, of all."""
    calibration: Calibration = field(default_factory=Calibration)
    answers: int = 0
    """Answers of the oracle that could be read."""
    copies: int = 0
    """Answers of these that only copy the next item of a loop, whose position a rule sets."""
    deltas: int = 0
    """Answers of these that say a change to an object or a text, which a rule completes to the whole."""
    wrong: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Question and answer of wrong steps, as the local view writes them."""
    tokens: int = 0
    """Tokens of the answers that no cache had."""

    def add(self, other: "StepCounts") -> None:
        """Add the counts of other cases."""
        for mine, theirs in ((self.by_type, other.by_type), (self.by_task, other.by_task)):
            for key, count in theirs.items():
                mine[key].merge(count)
        self.lines.merge(other.lines)
        self.runs.merge(other.runs)
        self.calibration.merge(other.calibration)
        self.wrong.update(other.wrong)
        self.answers += other.answers
        self.copies += other.copies
        self.deltas += other.deltas
        self.tokens += other.tokens

    def share(self) -> float:
        """Return the share of right steps; a case without a real run counts as wrong, with the mean number of steps."""
        right, asked = self._sum()
        return right / asked * self.runs.share if asked else 0.0

    def action_share(self) -> float | None:
        """Return the share of right next lines, likewise; None if the view names none."""
        return self.lines.share * self.runs.share if self.lines.asked else None

    def types(self) -> dict[str, float]:
        return {kind: count.share for kind, count in sorted(self.by_type.items())}

    def _sum(self) -> tuple[int, int]:
        counts = self.by_type.values()
        return sum(each.right for each in counts), sum(each.asked for each in counts)


def step_queries(cases: Sequence[Case], view: MarkovView) -> Iterator[tuple[Case, Query | None, Frame, Frame]]:
    """Yield every step of the real runs that needs an oracle; its query is None if the view cannot express it."""
    for case in cases:
        if case.program is None or case.real is None:
            continue
        stepper, frames = Stepper(case.program), case.real.frames
        for frame, following in pairwise(frames):
            if frame.event != "line":
                continue
            try:
                question = stepper.ask(frame)
            except (Unsupported, ImpossibleState):  # the latter in a trace that its program forged
                yield case, None, frame, following
                continue
            asked = question if isinstance(question, Question) else None
            if asked is None and not (view != "local" and stepper.is_branch(frame)):
                continue
            yield case, Query(case.program, frame, asked, view), frame, following


def count_steps(
    cases: Sequence[Case], oracle: Oracle, view: MarkovView, counts: StepCounts | None = None
) -> StepCounts:
    """Ask every step of the real runs once, from the real state; add the results to `counts` if given."""
    counts = StepCounts() if counts is None else counts
    for case in cases:
        counts.runs.add(case.real is not None)
    batch: list[tuple[Case, Query, Frame, Frame]] = []
    for case, query, frame, following in step_queries(cases, view):
        if query is None:
            counts.by_type["unsupported"].add(False)
            counts.by_task[case.task].add(False)
            continue
        batch.append((case, query, frame, following))
        if len(batch) >= _BATCH:
            _judge(batch, oracle, counts)
            batch = []
    _judge(batch, oracle, counts)
    return counts


def judged_steps(asked: Sequence[tuple[Query, Frame, Frame]], oracle: Oracle) -> Iterator[tuple[Prediction, bool]]:
    """Put steps of real runs to an oracle in one batch; yield each prediction, and whether it is the real next frame.

    A step is given as its query, its frame and the frame that really followed.
    """
    steppers: dict[Program, Stepper] = {}
    predictions = oracle.imagine([query for query, _, _ in asked])
    for (query, frame, following), prediction in zip(asked, predictions, strict=True):
        stepper = steppers.get(query.program) or steppers.setdefault(query.program, Stepper(query.program))
        answer = prediction.said
        yield prediction, isinstance(answer, Answer) and leads_to(stepper, query, answer, frame, following=following)


def _judge(batch: Sequence[tuple[Case, Query, Frame, Frame]], oracle: Oracle, counts: StepCounts) -> None:
    judged = judged_steps([(query, frame, following) for _, query, frame, following in batch], oracle)
    for (case, query, frame, following), (prediction, right) in zip(batch, judged, strict=True):
        answer = prediction.said
        kind = "unsupported" if isinstance(answer, Unanswerable) else changed_type(frame, following)
        counts.by_type[kind].add(right)
        counts.tokens += prediction.tokens
        counts.by_task[case.task].add(right)
        if query.view != "local" and following.event == "line" and following.depth == frame.depth:
            counts.lines.add(isinstance(answer, Answer) and answer.line == following.line)
        if prediction.logprob is not None:
            counts.calibration.add(prediction.logprob, right)
        if isinstance(answer, Answer) and query.question is not None:
            _count_answer(query.question, answer, counts)
        if not right and query.question is not None:
            counts.wrong[_in_words(query.question, prediction)] += 1


def _count_answer(question: Question, answer: Answer, counts: StepCounts) -> None:
    """Count an answer, and whether it only copies an item or says a change."""
    counts.answers += 1
    try:
        asked = local_view.ask(question)
        rows = local_view.effect_answer(asked, answer.effect).split("\n")
    except (Unsupported, ImpossibleState, RecursionError):
        return
    counts.copies += asked.loop
    counts.deltas += any(map(_DELTA.match, rows))


def _in_words(question: Question, prediction: Prediction) -> tuple[str, str]:
    """Return a question and its answer, as the local view writes them if it can."""
    answer = prediction.said
    try:
        asked = local_view.ask(question)
        return asked.text, local_view.effect_answer(asked, answer.effect) if isinstance(answer, Answer) else str(answer)
    except (Unsupported, ImpossibleState, RecursionError):
        return str(question), str(answer)


def leads_to(stepper: Stepper, query: Query, answer: Answer, frame: Frame, *, following: Frame) -> bool:
    """Whether an answer gives the real next frame."""
    try:
        if query.question is None:
            return answer.line == following.line
        line = answer.line if query.view != "local" else None
        leads = (
            line is None or answer.effect.raised is not None or Successors.of(query.program).is_step(line, frame.line)
        )
        if not leads:
            return False
        return stepper.tell(frame, answer.effect, line) == following
    except (Unsupported, ImpossibleState):
        return False


def changed_type(frame: Frame, following: Frame) -> str:
    """Return the type of the value that a step changed: the one bound, else the object changed, else `nothing`."""
    if following.event == "exception":
        return "exception"
    before = dict(frame.locals)
    for name, text in following.locals:
        if before.get(name) != text:
            return value_type(text, following)
    heap = dict(frame.heap)
    changed = next((label for label, text in following.heap if heap.get(label) != text), None)
    return "nothing" if changed is None else value_type(f"#{changed}", following)
