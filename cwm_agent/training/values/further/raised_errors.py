"""Exceptions of a program with several arguments, fields and a cause, and groups of them; `KINDS` are the classes.

A frame writes `ParseError(3, 'bad port', line=3)`: what was given to the exception, then its fields. Each recipe is
`(rng, *values drawn before) -> exception`.
"""

from collections.abc import Mapping
from random import Random
from typing import Any

from cwm_agent.training.values import everyday_texts, scalars, texts
from cwm_agent.training.values.further import class_values

_NAMES = (
    "ConfigError ValidationError InsufficientFundsError BadRequest RetryError HttpError LexError TokenError StateError "
    "TransferError OrderError DatabaseError TooManyItems NegativeAmount UnknownCommand DuplicateKey CycleError "
    "TypeMismatch ReservationError EvaluationError StackUnderflow InvalidAge ResourceError AppError DomainError "
    "NotEnoughStock BatchError CapacityError UserError ResetCounter StopWork Cancelled AuthError MissingField "
    "NotLent AlreadyLent NoRoute MethodNotAllowed SeatTaken UnknownAccount BadMove "
    "Locked Expired WrongPassword NoSuchUser Unavailable Forbidden EmptyCart FullTable"
).split()
_FIELDS = (
    "line reason field code needed available key value status item errors balance amount position name limit".split()
)


def _filled(self: Any, *given: object, **fields: object) -> None:
    Exception.__init__(self, *given)
    for name, value in fields.items():
        setattr(self, name, value)


def _classes(rng: Random) -> dict[str, Any]:
    bases = (Exception, Exception, Exception, ValueError, RuntimeError, ArithmeticError, LookupError)
    return {name: type(name, (rng.choice(bases),), {"__init__": _filled}) for name in _NAMES}


_CLASSES = _classes(Random(14))
KINDS: Mapping[str, type] = _CLASSES


def _part(rng: Random) -> object:
    return rng.choice(
        (
            *(scalars.small(rng), scalars.integer(rng), texts.word(rng), everyday_texts.phrase(rng), None),
            *(rng.randint(0, 4000) / 4, [texts.word(rng) for _ in range(rng.randint(0, 2))], f"bad {texts.word(rng)}"),
        )
    )


def _message(rng: Random) -> str:
    word = texts.word(rng)
    return rng.choice(
        (
            *(f"{rng.randint(1, 9)} errors", f"line {rng.randint(1, 40)}: bad {word}", f"{word} missing", word),
            *(f"need {rng.randint(1, 99)}, have {rng.randint(0, 99)}", everyday_texts.phrase(rng), f"unknown {word!r}"),
        )
    )


def detailed_error(rng: Random) -> object:
    """One message or several parts, mostly with fields, sometimes with the exception that caused it."""
    chance = rng.random()
    given = (_message(rng),) if chance < 0.5 else tuple(_part(rng) for _ in range(rng.choice((0, 1, 2, 2, 2, 3))))
    fields: dict[str, object] = {}
    for name in rng.sample(_FIELDS, rng.choice((0, 1, 1, 2, 2, 3))):
        fields[name] = rng.choice((*given, _part(rng)))
    if rng.random() < 0.2:
        fields["_cause_"] = rng.choice((everyday_texts.real_error, class_values.plain_error))(rng)
    made: object = _CLASSES[rng.choice(_NAMES)](*given, **fields)
    return made


def simple_error(rng: Random) -> BaseException:
    """An exception of Python or the message-only exception of a program."""
    return rng.choice((class_values.plain_error, everyday_texts.real_error))(rng)


def errors(rng: Random) -> list[object]:
    return [simple_error(rng) for _ in range(rng.randint(1, 4))]


def error_group(rng: Random) -> object:
    members = [each for each in errors(rng) if isinstance(each, Exception)] or [ValueError(texts.word(rng))]
    made: object = ExceptionGroup(rng.choice(("several", "errors", "batch", f"{len(members)} failed")), members)
    return made


def raised_any(rng: Random) -> object:
    """Any exception that a handler may have."""
    return rng.choice((detailed_error, detailed_error, simple_error))(rng)
