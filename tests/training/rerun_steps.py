"""Examples of every step of a traced program, labelled by running each line again: the reference for `Examiner`."""

from collections.abc import Iterator
from itertools import pairwise

from cwm_agent.training.example import Example
from cwm_agent.views.local import local_view
from cwm_agent.views.program import program_view
from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import Frame
from envs.execution.state.value_grammar import Unsupported
from envs.execution.stepper.exact_effects import ExactEffects
from envs.execution.stepper.stepper import Stepper
from envs.execution.text.canonical_labels import MalformedText
from envs.execution.tracer.tracer import TraceLimits, trace


def program_examples(program: Program, arguments: str, kind: str, steps: int = 200) -> Iterator[tuple[str, Example]]:
    """Examples of the local and the program view from a real run, as (view, example)."""
    stepper, statements = Stepper(program), ExactEffects(program)
    context = program_view.context(program).encode()
    frames = trace(program, arguments, TraceLimits(steps=steps)).frames
    for frame, following in pairwise(frames):
        if frame.event != "line":
            continue
        try:
            yield from _step_examples(stepper, statements, (frame, following), context=context, kind=kind)
        except (Unsupported, MalformedText):
            continue


def _step_examples(
    stepper: Stepper, statements: ExactEffects, step: tuple[Frame, Frame], *, context: bytes, kind: str
) -> Iterator[tuple[str, Example]]:
    frame, following = step
    question = stepper.ask(frame)
    effect = Effect()
    if isinstance(question, Question):
        floor = max((label for label, _ in frame.heap), default=0)
        effect = statements.effect(question, floor)
        if not question.globals:
            asked = local_view.ask(question)
            yield "local", Example(b"", asked.text.encode(), local_view.answer(asked, effect).encode(), kind)
    if following.event in ("line", "exception") and following.depth == frame.depth:
        asked = program_view.ask(stepper.program, frame)
        line = None if following.event == "exception" else following.line
        if line is None and effect.raised is None:
            return  # the stepper raises it by rule
        answer = program_view.answer(asked, program_view.ProgramAnswer(line, effect))
        yield "program", Example(context, asked.text.encode(), answer.encode(), kind)
