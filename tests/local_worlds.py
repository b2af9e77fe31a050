"""Reality in this very process, for the small programs that the tests themselves wrote: no sandbox is opened."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import cast

from markov_programs import PROGRAMS

from cwm_agent.oracles.backends.exact import ExactOracle
from cwm_agent.oracles.protocol import MarkovView, Prediction, Query
from envs.execution.decompose.program import Program, decomposed
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import Frame, Trace
from envs.execution.state.value_grammar import Unsupported
from envs.execution.stepper.exact_effects import ExactEffects
from envs.execution.stepper.stepper import Stepper
from envs.execution.tracer.reality import Reality
from envs.execution.tracer.tracer import trace


class LocalReality:
    """Answers questions as `Reality` does, without a process of its own."""

    def __init__(self) -> None:
        self._statements: dict[Program, ExactEffects] = {}

    def effects(self, program: Program, questions: Sequence[tuple[Question, int]]) -> list[Effect | Unsupported]:
        statements = self._statements.setdefault(program, ExactEffects(program))
        return [_answered(statements, question, floor) for question, floor in questions]


def _answered(statements: ExactEffects, question: Question, floor: int) -> Effect | Unsupported:
    try:
        return statements.effect(question, floor)
    except Unsupported as error:
        return error


def exact() -> ExactOracle:
    """The exact oracle over local reality."""
    return ExactOracle(cast(Reality, LocalReality()))


@lru_cache(maxsize=256)
def traced(source: str, arguments: str) -> tuple[Program, Trace]:
    """A program decomposed, and its real run."""
    program = decomposed(source, "f")
    return program, trace(program, arguments)


def small(name: str) -> tuple[Program, Trace]:
    """One of the shared small programs, and its real run."""
    return traced(*PROGRAMS[name])


def queries_of(program: Program, real: Trace, view: MarkovView = "local") -> list[Query]:
    """Every question that the real run raises, from its real states."""
    stepper = Stepper(program)
    steps = [(frame, stepper.ask(frame)) for frame in real.frames if frame.event == "line"]
    return [Query(program, frame, step, view) for frame, step in steps if isinstance(step, Question)]


class Counting:
    """Passes everything on and keeps what it was asked."""

    def __init__(self, inner: ExactOracle) -> None:
        self._inner = inner
        self.batches: list[list[Query]] = []

    @property
    def name(self) -> str:
        return self._inner.name

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        self.batches.append(list(queries))
        return self._inner.imagine(queries)


def altered(frame: Frame, **changes: str) -> Frame:
    """A frame with other values of some locals; an empty text unbinds the name."""
    top = frame.stack[-1]
    rows = {name: text for name, text in (dict(top.locals) | changes).items() if text}
    return replace(frame, stack=(*frame.stack[:-1], replace(top, locals=tuple(sorted(rows.items())))))
