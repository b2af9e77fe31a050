"""Frames, effects and questions as JSON and back, for what passes in and out of the sandbox and onto disk."""

from typing import Any, cast

from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import Activation, Event, Frame, Outcome

Record = list[Any]


def frame_record(frame: Frame) -> Record:
    stack = [[each.function, each.line, each.locals] for each in frame.stack]
    return [frame.event, stack, frame.heap, frame.globals, frame.arg]


def frame_from(record: Record) -> Frame:
    event, stack, heap, shared, arg = record
    activations = tuple(Activation(function, line, _rows(rows)) for function, line, rows in stack)
    return Frame(cast(Event, event), activations, _rows(heap), _rows(shared), arg)


def effect_record(effect: Effect) -> Record:
    return [effect.bound, effect.unbound, effect.contents, effect.raised]


def effect_from(record: Record) -> Effect:
    bound, unbound, contents, raised = record
    return Effect(_rows(bound), tuple(unbound), _rows(contents), raised)


def question_record(question: Question) -> Record:
    return [
        question.statement,
        question.line,
        question.function,
        question.reads,
        question.heap,
        question.globals,
        question.hidden,
    ]


def question_from(record: Record) -> Question:
    statement, line, function, reads, heap, shared, hidden = record
    return Question(statement, line, function, _rows(reads), _rows(heap), _rows(shared), hidden)


def outcome_record(outcome: Outcome) -> Record:
    return [outcome.ending, outcome.value]


def outcome_from(record: Record) -> Outcome:
    return Outcome(*record)


def program_record(program: Program) -> Record:
    live = [sorted(names) for names in program.live]
    return [program.source, program.entry, program.level, program.origin, sorted(program.temporaries), live]


def program_from(record: Record) -> Program:
    source, entry, level, origin, temporaries, live = record
    return Program(
        source, entry, level, tuple(origin), frozenset(temporaries), tuple(frozenset(names) for names in live)
    )


def _rows(rows: list[list[Any]]) -> tuple[Any, ...]:
    return tuple([(key, text) for key, text in rows])
