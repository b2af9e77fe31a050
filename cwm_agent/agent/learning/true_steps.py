"""True steps of real runs as training examples: those that the oracle answers differently from reality.

A step's right answer is read from the two real frames around it; nothing runs again. A step whose effect two frames do
not show is left out. An example is made only if its answer, read back, leads to the real next frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from cwm_agent.oracles.protocol import Answer, MarkovView, Oracle, Query, Unanswerable
from cwm_agent.training.example import Example
from cwm_agent.verification.step_accuracy import Case, judged_steps, leads_to, step_queries
from cwm_agent.views.local import local_view
from cwm_agent.views.local.effect_text import MalformedAnswer
from cwm_agent.views.program import program_view
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Frame, Trace
from envs.execution.stepper.stepper import Stepper

MOST_STEPS = 1_500
"""Different steps of one task that are judged."""
LONGEST_QUESTION = 400
"""Steps with longer questions, in characters, are not judged: they are the most expensive."""
MOST_EXAMPLES = 24
"""Examples of one task; the first ones are taken."""


@dataclass(frozen=True, slots=True)
class RealSteps:
    """The real runs of one task, and the oracle that imagined it, with its cache."""

    runs: tuple[tuple[Program, Trace], ...]
    oracle: Oracle


@dataclass(frozen=True, slots=True)
class Divergences:
    """What the real runs of one task show about the oracle."""

    judged: int
    """Different steps that were judged."""
    wrong: int
    """Steps among these that the oracle answered differently from reality."""
    examples: tuple[Example, ...]
    """Wrong steps with their right answers."""


def divergences(real: RealSteps, view: MarkovView) -> Divergences:
    """Compare each different step of the real runs with what the oracle says from the real state."""
    asked = list(islice(_different_steps(real, view), MOST_STEPS))
    judged = [
        (step, right)
        for step, (prediction, right) in zip(asked, judged_steps(asked, real.oracle), strict=True)
        if not isinstance(prediction.said, Unanswerable)
    ]
    wrong = [step for step, right in judged if not right]
    made = dict.fromkeys(found for step in wrong if (found := example_of(*step)) is not None)
    return Divergences(len(judged), len(wrong), tuple(islice(made, MOST_EXAMPLES)))


def _different_steps(real: RealSteps, view: MarkovView) -> Iterator[tuple[Query, Frame, Frame]]:
    """The steps of the runs that need an oracle, each question once."""
    cases = [Case("", program, trace) for program, trace in real.runs]
    seen: set[object] = set()
    for _, query, frame, following in step_queries(cases, view):
        if query is None or len(str(query.question)) > LONGEST_QUESTION:
            continue
        question = query.question
        known = (
            (frame.line, frame, query.program)
            if question is None or view != "local"
            else (question.statement, question.reads, question.heap, question.globals, question.hidden)
        )
        if known not in seen:
            seen.add(known)
            yield query, frame, following


def example_of(query: Query, frame: Frame, following: Frame) -> Example | None:
    """The step as an example of its view; None where two frames do not show its effect."""
    from cwm_agent.training.steps.trace_examples import Examiner

    examiner = Examiner(query.program, reruns=False)
    (step,) = examiner.steps((frame, following))
    made = examiner.local_example(step) if query.view == "local" else examiner.program_example(step)
    return made if made is not None and _is_true(made, query, frame, following) else None


def _is_true(example: Example, query: Query, frame: Frame, following: Frame) -> bool:
    """Whether the answer of an example, read back, leads to the real next frame."""
    text = example.answer.decode()
    try:
        if query.view == "local":
            assert query.question is not None
            said = Answer(local_view.effect(local_view.ask(query.question), text))
        else:
            parsed = program_view.read_answer(program_view.ask(query.program, frame), text)
            said = Answer(parsed.effect, parsed.line)
    except MalformedAnswer:
        return False
    return leads_to(Stepper(query.program), query, said, frame, following=following)
