"""Random exceptions, classes and builtin functions: values that are neither data nor containers.

Each recipe is `(rng) -> object`.
"""

from collections.abc import Callable
from random import Random

from cwm_agent.training.values import texts
from cwm_agent.training.values.scalars import scalar

_ERRORS = (
    ValueError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    Exception,
    ZeroDivisionError,
    RuntimeError,
    AssertionError,
)


def error(rng: Random) -> BaseException:
    kind = rng.choice(_ERRORS)
    return kind() if rng.random() < 0.15 else kind(scalar(rng) if rng.random() < 0.2 else texts.sentence(rng))


_CLASSES = (int, str, list, dict, tuple, float, bool, set, type(None), ValueError, KeyError)


def type_of_value(rng: Random) -> type:
    return rng.choice(_CLASSES)


def types_pair(rng: Random) -> tuple[type, ...]:
    return tuple(rng.sample(_CLASSES[:8], rng.randint(1, 3)))


_TEXT_FUNCTIONS: tuple[Callable[..., object], ...] = (
    *(str.upper, str.lower, str.strip, str.title, str.capitalize, str.swapcase, str.lstrip, str.rstrip, str.split),
    *(str.isdigit, str.isalpha, str.casefold, len, str, list, set, tuple, repr, bool),
)
_TEXT_TESTS: tuple[Callable[..., object], ...] = (
    *(
        str.isalpha,
        str.isdigit,
        str.isupper,
        str.islower,
        str.isalnum,
        str.isspace,
        str.isnumeric,
        str.istitle,
        bool,
        len,
    ),
)


def text_function(rng: Random) -> Callable[..., object]:
    return rng.choice(_TEXT_FUNCTIONS)


def text_test(rng: Random) -> Callable[..., object]:
    return rng.choice(_TEXT_TESTS)


def text_key(rng: Random) -> Callable[..., object]:
    """A function that texts are ordered by."""
    return rng.choice((str.lower, str.lower, len, str.casefold, str.upper, str.swapcase))


def bound_get(rng: Random) -> object:
    """The `get` method of a small dict, for `map` and `key=`."""
    return {texts.word(rng): scalar(rng) for _ in range(rng.randint(0, 4))}.get


def slice_object(rng: Random) -> slice:
    step = None if rng.random() < 0.7 else rng.choice((-1, 2))
    return slice(rng.choice((None, 0, 1, 2)), rng.choice((None, 2, 3, -1)), step)


def byte_string(rng: Random) -> bytes:
    return texts.text(rng).encode()
