"""Classes as values, and values with the classes that they belong to, for `isinstance`, `issubclass` and `type`.

`NAMED` are the classes that lines may name. Each recipe is `(rng, *values drawn before) -> object`.
"""

import numbers
from collections import ChainMap, Counter, OrderedDict, abc, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, Flag, IntEnum
from fractions import Fraction
from random import Random
from typing import Any

from cwm_agent.training.values import containers, everyday_texts, iterators, library_values, objects, scalars, texts
from cwm_agent.training.values.further import closure_values, flag_members
from cwm_agent.training.values.own import own_containers, own_kinds, twin_objects

_BUILTIN: tuple[type, ...] = (
    *(int, str, float, bool, list, tuple, dict, set, frozenset, bytes, bytearray, complex, range, slice, object, type),
    *(type, list, dict, str, int, tuple),
)
_ERRORS: tuple[type[BaseException], ...] = (
    *(BaseException, Exception, ArithmeticError, LookupError, ValueError, TypeError, KeyError, IndexError, OSError),
    *(ZeroDivisionError, OverflowError, AttributeError, NameError, RuntimeError, NotImplementedError, RecursionError),
    *(StopIteration, AssertionError, FileNotFoundError, PermissionError, TimeoutError, ConnectionError, EOFError),
    *(UnicodeError, UnicodeDecodeError, UnboundLocalError, ImportError, ModuleNotFoundError, SyntaxError, SystemExit),
    *(KeyboardInterrupt, GeneratorExit, MemoryError, FloatingPointError, Warning, UserWarning, DeprecationWarning),
    *(ExceptionGroup, IsADirectoryError, FileExistsError, BufferError, SystemError, IndentationError),
)
_ABSTRACT: tuple[Any, ...] = (
    *(abc.Mapping, abc.MutableMapping, abc.Sequence, abc.MutableSequence, abc.Iterable, abc.Iterator, abc.Callable),
    *(abc.Set, abc.MutableSet, abc.Sized, abc.Container, abc.Collection, abc.Hashable, abc.Generator, abc.Reversible),
    *(numbers.Number, numbers.Real, numbers.Integral, numbers.Rational, numbers.Complex, numbers.Number),
    *(abc.Mapping, abc.Iterable, abc.Sequence, abc.Callable),
)
_LIBRARY: tuple[type, ...] = (
    *(Decimal, Fraction, date, datetime, time, timedelta, Counter, OrderedDict, defaultdict, deque, ChainMap),
    *(Enum, IntEnum, Flag),
)
NAMED: Mapping[str, type] = {each.__name__: each for each in (*_BUILTIN, *_ERRORS, *_ABSTRACT, *_LIBRARY)}
IMPORTED: Mapping[str, type] = {each.__name__: each for each in (*_ABSTRACT, *_LIBRARY)}
"""Those that a program must import."""


def plain_error(rng: Random) -> BaseException:
    """An exception of any class of Python, mostly with a message."""
    kind: Any = rng.choice([each for each in _ERRORS if each not in (UnicodeDecodeError, ExceptionGroup)])
    message = rng.choice((texts.sentence(rng), texts.word(rng), f"{texts.word(rng)!r} is not a number", "no"))
    made: BaseException = kind() if rng.random() < 0.1 else kind(message)
    return made


_VALUES: tuple[Callable[[Random], object], ...] = (
    *(scalars.integer, texts.word, scalars.real, scalars.boolean, scalars.nothing, containers.ints, containers.group),
    *(containers.mapping, containers.int_set, containers.span, objects.slice_object, objects.byte_string),
    *(lambda rng: frozenset({rng.randint(0, 9)}), lambda rng: complex(rng.randint(0, 3), 1), iterators.iterator),
    *(lambda rng: bytearray(b"ab"), lambda rng: object, closure_values.callable_value, closure_values.closure),
    *(plain_error, plain_error, everyday_texts.real_error, own_kinds.own_error, twin_objects.telling_error),
    *(library_values.decimal, library_values.fraction, library_values.day, library_values.moment),
    *(library_values.timespan, library_values.letter_counter, library_values.word_order, library_values.int_deque),
    *(library_values.int_default, flag_members.plain_member, flag_members.flag_value, own_kinds.data_object),
    *(own_kinds.named_record, own_containers.own_list, own_containers.own_dict, containers.rows, containers.view),
    *(scalars.integer, texts.text, containers.mapping, containers.flat, scalars.tenths),
)


_PLAIN: tuple[Callable[[Random], object], ...] = (
    *(scalars.integer, scalars.small, texts.word, scalars.real, scalars.boolean, scalars.nothing, containers.ints),
    *(containers.group, containers.mapping, containers.int_set, texts.text, containers.rows, objects.slice_object),
)


def any_value(rng: Random) -> object:
    """A value of any kind that a program may ask for its class, most often a plain one."""
    return rng.choice(_VALUES if rng.random() < 0.6 else _PLAIN)(rng)


def _above(kind: type) -> list[type]:
    """The named classes that the class belongs to."""
    return [each for each in NAMED.values() if issubclass(kind, each)]


def any_class(rng: Random) -> type:
    return rng.choice((rng.choice(_BUILTIN), rng.choice(_BUILTIN), rng.choice(_ERRORS), rng.choice(_LIBRARY)))


def error_kind(rng: Random) -> type:
    return rng.choice(_ERRORS)


def near_class(rng: Random, value: object) -> type:
    """Half of the time a class that the value belongs to; else one that is easily taken for it, or any other."""
    chance = rng.random()
    kind = value if isinstance(value, type) else type(value)
    if chance < 0.5:
        return rng.choice([each for each in _above(kind) if each is not object] or [object])
    if isinstance(value, BaseException) or (isinstance(value, type) and issubclass(value, BaseException)):
        return rng.choice(_ERRORS)
    return rng.choice(_BUILTIN) if chance < 0.8 else rng.choice((*_ABSTRACT, *_LIBRARY))


def near_classes(rng: Random, value: object) -> tuple[type, ...]:
    """Two or three classes of which one is often right."""
    simple: tuple[type, ...] = (int, float, str, list, tuple, dict, set, bool, frozenset, bytes)
    chosen = [*rng.sample(simple, rng.randint(1, 3)), near_class(rng, value)]
    rng.shuffle(chosen)
    return tuple(dict.fromkeys(chosen))


def class_list(rng: Random) -> list[object]:
    return [any_class(rng) for _ in range(rng.randint(1, 4))]


def class_table(rng: Random) -> dict[object, object]:
    """Words or functions by classes, as dispatchers keep them."""
    kinds = rng.sample((int, str, float, list, dict, tuple, bool, set, type(None), bytes), rng.randint(1, 4))
    item = rng.choice((lambda rng: texts.word(rng), closure_values.module_function, scalars.small))
    return {kind: item(rng) for kind in kinds}


def table_class(rng: Random, held: object) -> object:
    keys = list(held) if isinstance(held, dict | list) else []
    return rng.choice(keys) if keys and rng.random() < 0.6 else any_class(rng)


def class_turns(rng: Random) -> Iterator[object]:
    """An iterator over classes."""
    found = class_list(rng)
    return iter(found if rng.random() < 0.5 else tuple(found))
