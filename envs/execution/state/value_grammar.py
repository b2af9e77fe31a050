"""The language values are written in, and what can be said of a text without any live object.

    value    = literal | tuple | frozenset | #label | kind(value, ...) | name | value.name | name@line(cells; defaults)
    literal  = a number, string, bytes, True, False, None, Ellipsis, inf, nan
    content  = [..] | {..} | {..: ..} | set() | kind(value, ..., name=value, ...)

`#3` refers to the mutable object labelled 3; `range(0, 5)`, `slice(1, None, None)`, `keys(#1)`, `ValueError('no')` are
kinds; `len`, `str.upper`, `math`, `helper` are names of builtins, modules and of the program; `#1.append` is a bound
method, `super(Child, #1)` looks behind the class Child. An object of the program is `Point(x=1, y=#2)`, an exception
with fields `Missing('k', code=3)` (`stepper/objects/object_text.py` takes such texts apart).
`inner@12(#4)` is the nested function of line 12 over its cells. Iterators are contents: `iter(#1, 2)` stands before
item 2 of list #1, `enumerate(#5, 1)`, `zip(#5, #6)`, `map(f, #5)`. What cannot be written down is `?reason`.
"""

import re
from collections.abc import Callable, Mapping

SIZE_LIMIT = 20_000
"""Characters of one value's text, and items of one container, beyond which it is not written down."""

EXPANDED_LIMIT = 1_000_000
"""Characters of a value with all it refers to, beyond which an outcome is not written out."""

_FACTORY = re.compile(r"^defaultdict\((?:[^\W\d]\w*|\w+@\d+\([^()]*\)), ")
_HOLDING = re.compile(r"[\[({]|(?:deque|OrderedDict|Counter|defaultdict|cell)\(|[A-Z]\w*\(\w+=")
"""How the text of what only holds values begins: a container, a cell, an object with fields."""
_HELD = re.compile(r"\w+@\d+\([^()]*\)")
_REFERENCE = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|#([0-9]+)""", re.DOTALL)


class ExecutionError(Exception):
    """Base of what `envs.execution` raises.

    ExecutionError
    ├── Unsupported     a value or line that cannot be written down or rebuilt; `str()` is the reason
    ├── BadProgram      source that does not parse, an entry that is not there, arguments that make no sense
    └── SandboxError    isolation is missing, or a worker was lost
    """


class Unsupported(ExecutionError):
    """A value or a line that execution cannot write down completely; its text is the reason."""


class BadProgram(ExecutionError):
    """A program, entry or call that cannot be run at all; says where and what to do."""


class ImpossibleState(ValueError):
    """An imagined text, value or step that no execution has; its text says why.

    The rules raise it where an answer of an oracle makes no sense: a text that does not parse, a reference to no
    object, a line that cannot follow. They never raise it on a real frame. Any other exception of the rules is a fault
    of the rules.
    """


def references(text: str) -> list[int]:
    """The labels a text refers to, in the order they stand, repeats included."""
    if "#" not in text:
        return []
    return [number(match[1]) for match in _REFERENCE.finditer(text) if match[1]]


def replace_references(text: str, replacement: Callable[[int], str]) -> str:
    """The text with each reference `#n` replaced by `replacement(n)`; strings are left alone."""
    if "#" not in text:
        return text
    return _REFERENCE.sub(lambda match: replacement(number(match[1])) if match[1] else match[0], text)


def expanded(text: str, heap: Mapping[int, str]) -> str:
    """The value as Python's repr would show it, with every reference written out; a cycle becomes `...`.

    What is longer than `EXPANDED_LIMIT` (a few shared lists can be) or nested too deep is `?` and the reason.
    """
    left = EXPANDED_LIMIT

    def content(label: int, above: frozenset[int]) -> str:
        nonlocal left
        if label in above:
            return "..."
        if label not in heap:
            raise ImpossibleState(f"#{label}, a reference to no object")
        left -= len(heap[label])
        if left < 0:
            raise Unsupported(f"value of more than {EXPANDED_LIMIT} characters")
        return replace_references(heap[label], lambda inner: content(inner, above | {label}))

    try:
        return replace_references(text, lambda label: content(label, frozenset()))
    except Unsupported as error:
        return f"?{error}"
    except RecursionError:
        return "?value nested too deep"


def is_supported(text: str) -> bool:
    """Whether the value was written down whole."""
    return "?" not in text or (text[0] != "?" and "?" not in _without_strings(text))


def holds_function(text: str) -> bool:
    """Whether a text mentions a nested function of the program (`name@line(...)`)."""
    return "@" in text and "@" in _without_strings(text)


def without_factory(content: str) -> str:
    """A `defaultdict` as it is for a line that never asks it to make an item; any other text unchanged."""
    return _FACTORY.sub("defaultdict(None, ", content, count=1)


def without_held_functions(text: str) -> str:
    """A container or object without the functions of the program that it holds; any other text unchanged.

    A line that is given the container can only call a function that it takes out, unless the container is a
    `defaultdict` that makes its items by one.
    """
    if "@" not in text or not _HOLDING.match(text) or ((match := _FACTORY.match(text)) and "@" in match[0]):
        return text
    return _HELD.sub("None", _without_strings(text))


def _without_strings(text: str) -> str:
    return _REFERENCE.sub(lambda match: match[0] if match[1] else "''", text)


def label_of(text: str) -> int | None:
    """The label of a text that is one reference and nothing else."""
    return number(text[1:]) if text.startswith("#") and text[1:].isdecimal() else None


def number(digits: str) -> int:
    """The whole number that a text stands for; ImpossibleState where it is none, or has thousands of digits."""
    try:
        return int(digits)
    except ValueError:
        raise ImpossibleState(f"{digits[:40]!r}, which is no number of an object, a position or a line") from None
