"""What really happens: traces of real runs and Python's answers to questions, all from inside the sandbox.

`Reality` is called from outside the sandbox; the functions below it run beside the program inside the sandbox. Knows no
oracle.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from envs.execution.decompose.program import Program
from envs.execution.sandbox.isolation.limits import SandboxLimits
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import Frame, Outcome, Trace
from envs.execution.state.value_grammar import BadProgram, Unsupported
from envs.execution.stepper.exact_effects import ExactEffects
from envs.execution.text.json_records import (
    effect_from,
    effect_record,
    frame_from,
    frame_record,
    outcome_from,
    outcome_record,
    program_from,
    program_record,
    question_from,
    question_record,
)
from envs.execution.tracer.tracer import TraceLimits, trace

if TYPE_CHECKING:  # the sandbox itself imports this file into its workers, which stay small without it
    from envs.execution.sandbox.sandbox import Sandbox, Session

_TRACE = "envs.execution.tracer.reality:trace_in_sandbox"
_ANSWER = "envs.execution.tracer.reality:answer_in_sandbox"
_MIB = 1 << 20
_TRACE_LIMITS = SandboxLimits(cpu_s=20.0, wall_s=120.0, output_bytes=512 * _MIB, memory_bytes=1024 * _MIB)
_PROGRAMS_A_SESSION = 1000
"""A process that answers for so many programs is replaced, so that its memory stays level."""


def _limits(steps: int) -> SandboxLimits:
    """What a trace may take: more steps get more time."""
    usual = _TRACE_LIMITS
    return replace(
        usual,
        cpu_s=max(usual.cpu_s, steps / 250),
        wall_s=max(usual.wall_s, steps / 50),
        output_bytes=max(usual.output_bytes, 4_096 * steps),
    )


class Reality:
    """The truth about programs, by running them in a sandbox; counts what it ran."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._session: Session | None = None
        self._known: dict[Program, int] = {}
        self.runs = 0
        """Real executions so far; a question answered counts as a part of none."""

    def trace(self, program: Program, arguments: str, limits: TraceLimits | None = None) -> Trace:
        """The trace of one real call; a run that breaks the sandbox's limits is truncated."""
        frames: list[Frame] = []
        stream = self.frames(program, arguments, limits)
        while True:
            try:
                frames.append(next(stream))
            except StopIteration as stop:
                outcome, output, unsupported = stop.value
                return Trace(tuple(frames), outcome, output, unsupported)

    def frames(
        self, program: Program, arguments: str, limits: TraceLimits | None = None
    ) -> Generator[Frame, None, tuple[Outcome, str, str | None]]:
        """Frames as they come; the generator returns (outcome, output, unsupported)."""
        limits = limits or TraceLimits()
        self.runs += 1
        payload = [program_record(program), arguments, [limits.steps, limits.characters, limits.output]]
        ending: tuple[Outcome, str, str | None] | None = None
        stream = self._sandbox.stream(_TRACE, payload, limits=_limits(limits.steps))
        for kind, record in stream:
            if kind == "frame":
                yield frame_from(record)
            elif kind == "bad":
                raise BadProgram(record)
            else:
                ending = (outcome_from(record[0]), record[1], record[2])
        if ending is None:
            reason = stream.end.status if stream.end else "lost"
            return Outcome("truncated", reason), "", None
        return ending

    def effects(self, program: Program, questions: Sequence[tuple[Question, int]]) -> list[Effect | Unsupported]:
        """Python's answer to each question, given with the highest label in use."""
        if not questions:
            return []
        payload = [[question_record(question), floor] for question, floor in questions]
        answers = self._request(program, payload)
        if answers is None:  # a line broke a limit: find which
            if len(questions) > 1:
                return [answer for question in questions for answer in self.effects(program, [question])]
            return [Unsupported("a line that ended its process in the sandbox")]
        return [effect_from(record) if kind == "effect" else Unsupported(record) for kind, record in answers]

    def _request(self, program: Program, payload: list[Any]) -> list[Any] | None:
        """Ask the session, which is told each program once; None where a line ended it."""
        if self._session is None:
            self._session = self._sandbox.session(_ANSWER, None, limits=_TRACE_LIMITS)
            self._known = {}
        record = None
        if program not in self._known:
            self._known[program] = len(self._known)
            record = program_record(program)
        answers: list[Any] | None = self._session.request([self._known[program], record, payload])
        if answers is None or len(self._known) >= _PROGRAMS_A_SESSION:
            self.close()
        return answers

    def close(self) -> None:
        """End the open session; the sandbox stays open."""
        if self._session is not None:
            self._session.close()
            self._session = None


Push = Callable[[tuple[str, Any]], None]


def trace_in_sandbox(payload: list[Any]) -> Iterator[Callable[[Push], None]]:
    """Frames of a real run as they come, then its outcome, as JSON: none is kept here, however long the run."""
    program, (steps, characters, output) = program_from(payload[0]), payload[2]

    def run(push: Push) -> None:
        try:
            limits = TraceLimits(steps, characters, output)
            found = trace(program, payload[1], limits, lambda frame: push(("frame", frame_record(frame))))
        except BadProgram as error:
            push(("bad", str(error)))
        else:
            push(("end", [outcome_record(found.outcome), found.output, found.unsupported]))

    yield run


def answer_in_sandbox(nothing: None) -> Callable[[list[Any]], list[tuple[str, Any]]]:
    """A function that answers questions about programs, each of which it is told once."""
    known: dict[int, ExactEffects | Exception] = {}

    def answer(request: list[Any]) -> list[tuple[str, Any]]:
        number, record, questions = request
        if record is not None:
            known[number] = _statements(record)
        statements = known[number]
        if isinstance(statements, Exception):
            return [("unsupported", f"a module that cannot be run: {statements!r}") for _ in questions]
        return [_answered(statements, question, floor) for question, floor in questions]

    return answer


def _statements(record: list[Any]) -> ExactEffects | Exception:
    try:
        return ExactEffects(program_from(record))
    except Exception as error:
        return error


def _answered(statements: ExactEffects, question: list[Any], floor: int) -> tuple[str, Any]:
    try:
        return "effect", effect_record(statements.effect(question_from(question), floor))
    except Unsupported as error:
        return "unsupported", str(error)
