"""What a call that reads a source gives, over text: the source is made from its text, called, and written back.

Only our own source classes and Python's `random` run here, on numbers, strings and items that stay text; no code of a
program. A call whose result would be large, or whose time depends on its values, has no rule.
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from envs.execution.sources.counted_random import CountedRandom, ModuleRandom, random_at
from envs.execution.sources.memory_files import FILE_METHODS, MemoryFile, MemoryFiles
from envs.execution.sources.scripted_sources import READINGS, ScriptedClock, ScriptedInput
from envs.execution.state.value_grammar import SIZE_LIMIT, ImpossibleState, Unsupported, label_of
from envs.execution.stepper.values.value_rules import parses_values, split_items
from envs.execution.text.library_values import datetime_parts
from envs.execution.text.source_values import MAKERS

DRAWS = frozenset(
    "random uniform randint randrange choice choices shuffle sample gauss normalvariate triangular expovariate "
    "lognormvariate paretovariate weibullvariate getrandbits randbytes seed".split()
)
"""Methods of a generator that a rule follows."""
OTHER_DRAWS = frozenset({"betavariate", "gammavariate", "vonmisesvariate", "binomialvariate"})
"""Draws that take as long as chance will have it: the oracle is asked for them."""
_SIZED = {"getrandbits": 32 * SIZE_LIMIT, "randbytes": SIZE_LIMIT}
_LITERALS = (int, float, str, bytes, bool, type(None))
Heap = Mapping[int, str]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a container that a draw moves or copies and does not look at."""

    text: str


@dataclass(frozen=True, slots=True)
class SourceResult:
    """What a call came to: the value's text, or what was raised, and the new texts of what it changed."""

    value: str
    raised: str | None = None
    rows: tuple[tuple[str, str], ...] = ()
    """Rows of sources, by name."""
    contents: tuple[tuple[int, str], ...] = ()
    """Objects of the heap, by label."""


@dataclass(frozen=True, slots=True)
class GivenArguments:
    """The arguments of a call as text."""

    positional: tuple[str, ...]
    keywords: tuple[tuple[str, str], ...] = ()

    def live(self, heap: Heap) -> tuple[list[Any], dict[str, Any]]:
        values = [_live(text, heap) for text in self.positional]
        return values, {name: _live(text, heap) for name, text in self.keywords}


@parses_values
def source_of(text: str, expected: type[T]) -> T:
    """The source, generator or file that a text stands for; ImpossibleState where it is none of the expected kind."""
    kind, _, inner = text.partition("(")
    maker = MAKERS.get(kind)
    made = None if maker is None else maker(*ast.literal_eval(f"({inner[:-1]},)" if inner[:-1] else "()"))
    if not isinstance(made, expected):
        raise ImpossibleState(f"{text[:40]!r}, which is no {expected.__name__}")
    return made


def source_text(source: object) -> str:
    """The inverse of `source_of`."""
    kinds = {ModuleRandom: "random", CountedRandom: "rng", ScriptedInput: "inputs", ScriptedClock: "clock"}
    kind = {**kinds, MemoryFiles: "files", MemoryFile: "textfile"}[type(source)]
    state: str = source.state  # type: ignore[attr-defined]
    if state.startswith("?"):
        raise Unsupported(state[1:])
    if len(state) > SIZE_LIMIT:
        raise Unsupported(f"a {kind} of more than {SIZE_LIMIT} characters")
    return f"{kind}({state})"


def drawn(generator: str, method: str, given: GivenArguments, heap: Heap) -> SourceResult:
    """A draw from a generator; `generator` is its text, and the first row of the result its new one."""
    source = source_of(generator, CountedRandom)
    values, keywords = given.live(heap)
    _check_size(method, values, keywords)
    value, raised = _called(getattr(source, method), values, keywords)
    contents: tuple[tuple[int, str], ...] = ()
    label = label_of(given.positional[0]) if method == "shuffle" and given.positional else None
    if label is not None and isinstance(values[0], list):
        contents = ((label, text_of_result(values[0])),)
    return SourceResult(value, raised, (("", source_text(source)),), contents)


def made_generator(module: str, given: GivenArguments, heap: Heap) -> SourceResult:
    """`random.Random(seed)`; without a seed it takes one from the functions of `random`."""
    source = source_of(module, ModuleRandom)
    values, keywords = given.live(heap)
    if keywords or len(values) > 1 or (values and not isinstance(values[0], int | float | str | bytes | None)):
        raise Unsupported("a generator with such a seed")
    seed = source.getrandbits(64) if not values or values[0] is None else values[0]
    return SourceResult(source_text(random_at(CountedRandom, seed, 0)), None, (("@random", source_text(source)),))


def read_clock(clock: str, function: str, given: GivenArguments, heap: Heap) -> SourceResult:
    """A reading of `time.time` and similar functions, of `datetime.datetime.now` or `datetime.date.today`."""
    source = source_of(clock, ScriptedClock)
    values, keywords = given.live(heap)
    module, _, name = function.rpartition(".")
    if module == "time":
        if name not in READINGS or keywords:
            raise Unsupported(f"the clock read by {function}")
        value, raised = _called(getattr(source, name), values, keywords)
        return SourceResult(value, raised, (("@clock", source_text(source)),))
    if values or keywords:
        raise Unsupported("a time in a time zone")
    try:
        moment, kind = source.datetime(), module.rpartition(".")[2]
    except (ArithmeticError, ValueError, OSError) as error:  # a time that no date has
        return SourceResult("None", _raised(error), (("@clock", source_text(source)),))
    parts = datetime_parts(moment) if kind == "datetime" else (moment.year, moment.month, moment.day)
    return SourceResult(f"{kind}({', '.join(map(str, parts))})", None, (("@clock", source_text(source)),))


def read_input(lines: str) -> SourceResult:
    """The next line of `input()`."""
    source = source_of(lines, ScriptedInput)
    value, raised = _called(source.take, [], {})
    return SourceResult(value, raised, (("@input", source_text(source)),))


def opened(files: str, given: GivenArguments, heap: Heap) -> SourceResult:
    """`open(name, mode)`."""
    source = source_of(files, MemoryFiles)
    values, keywords = given.live(heap)
    try:
        file = source.open(*values, **keywords)
    except OSError as error:
        if error.errno is None:
            raise Unsupported(str(error)) from None
        return SourceResult("None", _raised(error))
    except (TypeError, ValueError) as error:
        return SourceResult("None", _raised(error))
    return SourceResult(source_text(file), None, (("@files", source_text(source)),))


def used_file(files: str, label: int, method: str, given: GivenArguments, *, heap: Heap) -> SourceResult:
    """A method of an open file; `__next__` gives its next line."""
    source, file = source_of(files, MemoryFiles), source_of(heap[label], MemoryFile)
    file.files = source
    values, keywords = given.live(heap)
    if method not in FILE_METHODS | {"__next__"} or keywords:
        raise Unsupported(f"the method {method!r} of a file")
    value, raised = _called(getattr(file, method), values, keywords)
    return SourceResult(value, raised, (("@files", source_text(source)),), ((label, source_text(file)),))


def _called(
    function: Callable[..., object], values: Sequence[Any], keywords: Mapping[str, Any]
) -> tuple[str, str | None]:
    """The text of what a call returns, and of what it raises."""
    try:
        return text_of_result(function(*values, **keywords)), None
    except (ArithmeticError, LookupError, TypeError, ValueError, OSError, EOFError, StopIteration) as error:
        return "None", _raised(error)


def _raised(error: BaseException) -> str:
    parts = (*error.args, error.filename) if isinstance(error, OSError) and error.filename is not None else error.args
    kind = type(error)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    return f"{name}({', '.join(map(repr, parts))})"


def _check_size(method: str, values: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    count = values[0] if values and method in _SIZED else keywords.get("k", values[-1] if values else 0)
    asked = method in ("choices", "sample", *_SIZED)
    if asked and isinstance(count, int) and count > _SIZED.get(method, SIZE_LIMIT):
        raise Unsupported(f"{count} items drawn at once")


def _live(text: str, heap: Heap) -> Any:
    """An argument: a number or string as it is, a list or tuple of items, a range."""
    label = label_of(text)
    content = text if label is None else heap.get(label, "")
    if label is not None and not content.startswith("["):
        raise Unsupported("a source that is given an object other than a list")
    if content.startswith("[") or (content.startswith("(") and not content.endswith("j)")):
        items = [_item(part) for part in split_items(content)]
        return items if content[0] == "[" else tuple(items)
    if content.startswith("range("):
        return range(*ast.literal_eval(content[len("range") :]))
    found = _item(content)
    if isinstance(found, Item):
        raise Unsupported(f"a source that is given {text[:40]}")
    return found


def _item(text: str) -> Any:
    try:
        value = float(text) if text.lstrip("-") in ("inf", "nan") else ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError):
        return Item(text)
    return value if type(value) in _LITERALS else Item(text)


def text_of_result(value: object) -> str:
    """The text of what a call gave: a number, a string, an item, or a new list of them."""
    if isinstance(value, Item):
        return value.text
    if isinstance(value, list):
        return f"[{', '.join(map(text_of_result, value))}]"
    if type(value) not in _LITERALS:
        raise Unsupported(f"a draw that gives a {type(value).__name__}")
    return repr(value)
