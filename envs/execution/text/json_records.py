"""Frames, effects and questions as JSON, and back; what comes out of the sandbox is checked as it is read.

A program can write lines of its own to the channel, so `frame_from`, `effect_from` and `outcome_from` raise
MalformedMessage for a record that no run of this program gives: other types, lines and functions that it does not have,
references to objects that are not there, strings that do not end. Questions and programs go the other way, so they are
trusted.
"""

import re
from typing import Any, get_args

from envs.bounded_cache import MIB, bounded_cache
from envs.execution.decompose.program import Program
from envs.execution.sandbox.isolation import message_fields
from envs.execution.sandbox.isolation.message_fields import MalformedMessage, fields, items, whole
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import Activation, Bindings, Ending, Event, Frame, HeapText, Outcome
from envs.execution.state.value_grammar import references
from envs.execution.syntax.suspensions import suspension_of

Record = list[Any]
_MOST_ROWS = 1_000_000
_HIGHEST_LABEL = 10_000_000
_NAME = re.compile(r"@\d+|@(?:clock|files|input|random)|\.?\w[\w.]*")
_WHOLE_STRINGS = re.compile(r"""(?:[^'"]++|'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")*+""", re.DOTALL)
"""Text in which every string ends; the expressions that look for references are slow on others."""


def frame_record(frame: Frame) -> Record:
    stack = [[each.function, each.line, each.locals] for each in frame.stack]
    return [frame.event, stack, frame.heap, frame.globals, frame.arg]


def frame_from(record: object, program: Program) -> Frame:
    """The frame of a record, which must be one of this program."""
    word, stack, rows, shared, arg = fields(record, 5)
    event: Event = message_fields.choice(word, get_args(Event))
    activations = tuple([_activation(each, program) for each in items(stack, most=_MOST_ROWS)])
    heap = _heap(rows)
    labels = {label for label, _ in heap}
    if not activations or (arg is None) != (event in ("call", "line")):
        raise MalformedMessage(f"a {event} frame without a function, or with a value that it does not have")
    frame = Frame(event, activations, heap, bindings_from(shared), arg=None if arg is None else value_text(arg))
    if program.level != "plain":
        _check_lines(frame, program)
    if not all(labels.issuperset(_labels(text)) for text in _texts(frame) if "#" in text):
        raise MalformedMessage("a reference to an object that is not there")
    return frame


def _texts(frame: Frame) -> list[str]:
    texts = [text for each in frame.stack for _, text in each.locals]
    texts += [text for _, text in frame.heap]
    texts += [text for _, text in frame.globals]
    return texts if frame.arg is None else [*texts, frame.arg]


def _activation(record: object, program: Program) -> Activation:
    name, line, rows = fields(record, 3)
    return Activation(message_fields.text(name), whole(line, 1, len(program.lines)), bindings_from(rows))


def _check_lines(frame: Frame, program: Program) -> None:
    """Every function stands at a line of its own, and one that was just called at its `def`."""
    layout = program.layout
    called = frame.stack[-1:] if frame.event == "call" else ()
    for each in frame.stack[: len(frame.stack) - len(called)]:
        place = layout.places.get(each.line)
        if place is None or place.function[0] != each.function:
            raise MalformedMessage(f"line {each.line}, which is none of the function {each.function[:40]!r}")
    if any((each.function, each.line) not in layout.functions and not _goes_on(each, program) for each in called):
        raise MalformedMessage("a call of a function that the program does not have")


def _goes_on(activation: Activation, program: Program) -> bool:
    """Whether the function is a generator that resumes at a `yield`."""
    place = program.layout.places.get(activation.line)
    return place is not None and place.function[0] == activation.function and suspension_of(place.node) is not None


def bindings_from(record: object) -> Bindings:
    """Names and the texts of their values."""
    rows = [fields(row, 2) for row in items(record, most=_MOST_ROWS)]
    return tuple([(_name(name), value_text(text)) for name, text in rows])


def _heap(record: object) -> HeapText:
    rows = [fields(row, 2) for row in items(record, most=_MOST_ROWS)]
    return tuple([(whole(label, 1, _HIGHEST_LABEL), value_text(text)) for label, text in rows])


def _name(value: object) -> str:
    return _checked_name(value) if isinstance(value, str) else message_fields.text(value)


@bounded_cache(4 * MIB)
def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise MalformedMessage(f"{name[:40]!r}, which is no name")
    return message_fields.text(name)


def value_text(value: object) -> str:
    """The text of a value; every string in it ends."""
    return _checked_value(value) if isinstance(value, str) else message_fields.text(value)


@bounded_cache(8 * MIB)
def _checked_value(value: str) -> str:
    if not value or not _WHOLE_STRINGS.fullmatch(value):
        raise MalformedMessage(f"{value[:40]!r}, which is no text of a value")
    return message_fields.text(value)


@bounded_cache(8 * MIB, per_character=4)
def _labels(text: str) -> tuple[int, ...]:
    try:
        return tuple(references(text))
    except ValueError as error:  # labels of thousands of digits
        raise MalformedMessage(str(error)) from None


def effect_record(effect: Effect) -> Record:
    return [effect.bound, effect.unbound, effect.contents, effect.raised]


def effect_from(record: object) -> Effect:
    """The effect of a record."""
    bound, unbound, contents, raised = fields(record, 4)
    names = tuple(map(_name, items(unbound, most=_MOST_ROWS)))
    return Effect(bindings_from(bound), names, _heap(contents), None if raised is None else value_text(raised))


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
    return Question(statement, line, function, _rows(reads), heap=_rows(heap), globals=_rows(shared), hidden=hidden)


def outcome_record(outcome: Outcome) -> Record:
    return [outcome.ending, outcome.value]


def outcome_from(record: object) -> Outcome:
    """The outcome of a record."""
    ending, value = fields(record, 2)
    return Outcome(message_fields.choice(ending, get_args(Ending)), message_fields.text(value))


def program_record(program: Program) -> Record:
    live = [sorted(names) for names in program.live]
    return [program.source, program.entry, program.level, program.origin, sorted(program.temporaries), live]


def program_from(record: Record) -> Program:
    source, entry, level, origin, temporaries, live = record
    return Program(
        source,
        entry,
        level,
        tuple(origin),
        temporaries=frozenset(temporaries),
        live=tuple(frozenset(names) for names in live),
    )


def _rows(rows: list[list[Any]]) -> tuple[Any, ...]:
    return tuple([(key, text) for key, text in rows])
