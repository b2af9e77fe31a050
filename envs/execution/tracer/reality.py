"""What really happens: traces of real runs and Python's answers to questions, all from inside the sandbox.

`Reality` is called from outside the sandbox; the functions below it run beside the program inside the sandbox. Knows no
oracle.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from envs.execution.decompose.program import Program
from envs.execution.sandbox.isolation.errors import WorkerLost
from envs.execution.sandbox.isolation.limits import SandboxLimits
from envs.execution.sandbox.isolation.message_fields import MalformedMessage, choice, fields, optional_text, text
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
from envs.execution.tracer.run_messages import forged_outcome, run_messages
from envs.execution.tracer.tracer import TraceLimits, trace

if TYPE_CHECKING:  # the sandbox itself imports this file into its workers, which stay small without it
    from envs.execution.sandbox.sandbox import Sandbox, Session, SessionGroup

_TRACE = "envs.execution.tracer.reality:trace_in_sandbox"
_OUTCOMES = "envs.execution.tracer.reality:outcomes_in_sandbox"
_ANSWER = "envs.execution.tracer.reality:answer_in_sandbox"
_MIB = 1 << 20
_TRACE_LIMITS = SandboxLimits(cpu_s=20.0, wall_s=120.0, output_bytes=512 * _MIB, memory_bytes=1024 * _MIB)
_OPEN_PROGRAMS = 64
"""Programs whose processes wait for further questions; the one that was asked least recently is closed first."""
_PROGRAMS_A_WORKER = 1000
"""A worker that was forked for so many programs is replaced, so that its memory stays level."""


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
        self._group: SessionGroup | None = None
        self._sessions: OrderedDict[Program, Session] = OrderedDict()
        self._opened = 0
        self.runs = 0
        """Real executions so far; a question answered counts as a part of none."""

    def trace(
        self,
        program: Program,
        arguments: str,
        limits: TraceLimits | None = None,
        world: Mapping[str, Any] | None = None,
    ) -> Trace:
        """The trace of one real call; a run that breaks the sandbox's limits is truncated.

        `world` is the record of a `tasks.scripted_world.ScriptedWorld`.
        """
        limits = limits or TraceLimits()
        self.runs += 1
        payload = [program_record(program), arguments, [limits.steps, limits.characters, limits.output], world]
        frames: list[Frame] = []
        with self._sandbox.stream(_TRACE, payload, limits=_limits(limits.steps)) as stream:
            try:
                for message in run_messages(stream, limits.steps):
                    if message.kind == "end":
                        ending, output, unsupported = fields(message.record, 3)
                        return Trace(tuple(frames), outcome_from(ending), text(output), optional_text(unsupported))
                    frames.append(frame_from(message.record, program))
            except MalformedMessage as error:
                outcome = forged_outcome(error)
                return Trace(tuple(frames), outcome, unsupported=outcome.value)
        return Trace(tuple(frames), Outcome("truncated", stream.end.status if stream.end else "lost"))

    def outcomes(
        self, program: Program, arguments: str, worlds: Sequence[Mapping[str, Any]], limits: TraceLimits | None = None
    ) -> list[Outcome]:
        """How a call ends in each of several worlds, run one after another in one process of the sandbox."""
        limits = limits or TraceLimits()
        self.runs += len(worlds)
        payload = [program_record(program), arguments, [limits.steps, limits.characters, limits.output], list(worlds)]
        found: list[Outcome] = []
        with self._sandbox.stream(_OUTCOMES, payload, limits=_limits(limits.steps), renewals=len(worlds)) as stream:
            try:
                for kind, record in (fields(line, 2) for line in stream):
                    if choice(kind, ("outcome", "bad")) == "bad":
                        raise BadProgram(text(record)[:2000])
                    found.append(outcome_from(record))
            except MalformedMessage as error:
                found.append(forged_outcome(error))
        lost = Outcome("truncated", stream.end.status if stream.end else "lost")
        return (found + [lost] * len(worlds))[: len(worlds)]

    def effects(self, program: Program, questions: Sequence[tuple[Question, int]]) -> list[Effect | Unsupported]:
        """Python's answer to each question, given with the highest label in use.

        Each program has a process of its own, so that what it changes there (builtins, modules, limits) changes nothing
        for another.
        """
        if not questions:
            return []
        payload = [[question_record(question), floor] for question, floor in questions]
        is_new = program not in self._sessions
        answers = self._answers(program, payload)
        if answers is None:  # a line ended the process, or forged its answer: find which
            if len(questions) > 1 or not is_new:
                return [answer for question in questions for answer in self.effects(program, [question])]
            return [Unsupported("a line that ended its process in the sandbox, or wrote to its channel")]
        return answers

    def _answers(self, program: Program, payload: list[Any]) -> list[Effect | Unsupported] | None:
        """Ask the program's process; None where it ended, or sent anything else than answers."""
        try:
            reply = self._session(program).request(payload)
        except WorkerLost:  # and every process with it
            self.close()
            reply = self._session(program).request(payload)
        try:
            return [_answer_from(each) for each in fields(reply, len(payload))]
        except MalformedMessage:
            self._sessions.pop(program).close()
            return None

    def _session(self, program: Program) -> Session:
        """The open session of a program, or a new one; few stay open."""
        if program in self._sessions:
            self._sessions.move_to_end(program)
            return self._sessions[program]
        if self._opened >= _PROGRAMS_A_WORKER:
            self.close()
        if len(self._sessions) >= _OPEN_PROGRAMS:
            self._sessions.popitem(last=False)[1].close()
        if self._group is None:
            self._group = self._sandbox.sessions(_ANSWER, limits=_TRACE_LIMITS)
        self._opened += 1
        session = self._sessions[program] = self._group.open(program_record(program))
        return session

    def close(self) -> None:
        """End the open processes; the sandbox stays open."""
        while self._sessions:
            self._sessions.popitem()[1].close()
        if self._group is not None:
            self._group.close()
        self._group, self._opened = None, 0


def _answer_from(message: object) -> Effect | Unsupported:
    kind, record = fields(message, 2)
    if choice(kind, ("effect", "unsupported")) == "effect":
        return effect_from(record)
    return Unsupported(text(record)[:2000])


Push = Callable[[tuple[str, Any]], None]


def trace_in_sandbox(payload: list[Any]) -> Iterator[Callable[[Push], None]]:
    """Frames of a real run as they come, then its outcome, as JSON: none is kept here, however long the run."""
    program, (steps, characters, output) = program_from(payload[0]), payload[2]

    def run(push: Push) -> None:
        try:
            limits = TraceLimits(steps, characters, output)
            found = trace(
                program, payload[1], limits, lambda frame: push(("frame", frame_record(frame))), world=payload[3]
            )
        except BadProgram as error:
            push(("bad", str(error)))
        else:
            push(("end", [outcome_record(found.outcome), found.output, found.unsupported]))

    yield run


def outcomes_in_sandbox(payload: list[Any]) -> Iterator[tuple[str, Any]]:
    """The outcome of a call in each of several worlds, as JSON."""
    program, limits = program_from(payload[0]), TraceLimits(*payload[2])
    for world in payload[3]:
        try:
            yield "outcome", outcome_record(trace(program, payload[1], limits, lambda frame: None, world=world).outcome)
        except BadProgram as error:
            yield "bad", str(error)
            return


def answer_in_sandbox(record: list[Any]) -> Callable[[list[Any]], list[tuple[str, Any]]]:
    """A function that answers questions about one program."""
    statements = _statements(record)

    def answer(questions: list[Any]) -> list[tuple[str, Any]]:
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
