"""What a rule may decide from a value's text: its truth, how many items it has, which class an exception has.

Nothing here computes what a line computes: rules decide control flow, the oracle gives values.
"""

import ast
import builtins
import decimal
import json
import re
import statistics
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError
from functools import wraps
from io import UnsupportedOperation
from typing import ParamSpec, TypeVar

from envs.bounded_cache import MIB, bounded_cache
from envs.execution.state.value_grammar import ImpossibleState, Unsupported, label_of
from envs.execution.text.library_values import DRIVEN
from envs.execution.text.object_constructors import KINDS

_FALSE = frozenset({"None", "False", "0", "0.0", "-0.0", "0j", "''", '""', "b''", "()", "frozenset()"})
_ALWAYS_TRUE = re.compile(
    rf"(?:iter|reversed|enumerate|zip|map|cell|slice|generator|object|{'|'.join(sorted(DRIVEN))})\("
)
_NAMED = re.compile(r"[^\W\d]\w*\((?=[^\W\d]\w*=)(.*)\)$", re.DOTALL)
_NO_FLAG = re.compile(r"[^\W\d]\w*\(None, 0\)$")
_FALSE_MEMBER = re.compile(r"[^\W\d]\w*\('\w+', (?:0|0\.0|''|None|False)\)$")
_ZERO = re.compile(r"Fraction\(0, |timedelta\(0\)$|Decimal\('-?0(?:\.0*)?(?:E[+-]?\d+)?'\)$")
_ITEM = re.compile(r"""[bB]?'(?:[^'\\]|\\.)*'|[bB]?"(?:[^"\\]|\\.)*"|[\[({]|[\])}]|,""", re.DOTALL)
_ORDERED = re.compile(r"(?!Counter\(|defaultdict\(|frozenset\(|mappingproxy\()[^\W\d]\w*\(\{")
_ENTRY = re.compile(_ITEM.pattern + "|: ", re.DOTALL)
_SIZED_KIND = re.compile(
    r"(keys|values|items|deque|Counter|OrderedDict|defaultdict|bytearray|range|[^\W\d]\w*(?=\([\[{]))\((.*)\)$",
    re.DOTALL,
)
_NO_VALUE = (ValueError, LookupError, SyntaxError, TypeError, ArithmeticError, RecursionError)
"""What Python raises when these rules parse a text that is no value."""
_LIBRARY_ERRORS: dict[str, type] = {
    "dataclasses.FrozenInstanceError": FrozenInstanceError,
    "io.UnsupportedOperation": UnsupportedOperation,
    "decimal.InvalidOperation": decimal.InvalidOperation,
    "decimal.DivisionByZero": decimal.DivisionByZero,
    "json.decoder.JSONDecodeError": json.JSONDecodeError,
    "re.error": re.error,
    f"re.{re.error.__name__}": re.error,  # `PatternError` since Python 3.13
    "statistics.StatisticsError": statistics.StatisticsError,
}
_IMPORTED_ERRORS = {kind.__name__: kind for kind in _LIBRARY_ERRORS.values() if kind is not re.error}
"""The same under the names by which programs import them; several modules have an `error`."""
_BUILTIN = "builtins."
"""Stands before Python's own classes where the program has one of the name."""
Heap = Mapping[int, str]
P = ParamSpec("P")
T = TypeVar("T")


def parses_values(rule: Callable[P, T]) -> Callable[P, T]:
    """The rule, with ImpossibleState in place of Python's own errors: it gets texts that an oracle wrote."""

    @wraps(rule)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return rule(*args, **kwargs)
        except ImpossibleState:
            raise
        except _NO_VALUE as error:
            raise ImpossibleState(f"a text that is no value ({error!r})"[:200]) from error

    return checked


def split_items(text: str) -> list[str]:
    """The items of a bracketed text, each as text: `[1, (2, 3)]` gives `1` and `(2, 3)`."""
    inner = text[1:-1]
    found, depth, start = [], 0, 0
    for match in _ITEM.finditer(inner):
        sign = match[0]
        if sign in "[({":
            depth += 1
        elif sign in "])}":
            depth -= 1
        elif sign == "," and depth == 0:
            found.append(inner[start : match.start()].strip())
            start = match.end()
    last = inner[start:].strip()
    return [*found, last] if last else found


def without_strings(text: str) -> str:
    """The text with the content of its strings blanked out: every other character stays at its place."""
    return _ITEM.sub(lambda match: match[0] if len(match[0]) == 1 else " " * len(match[0]), text)


def closing(text: str, start: int) -> int:
    """Where the bracket that opens at `start` is closed: the place behind it; ImpossibleState if it is not."""
    depth = 0
    for match in _ITEM.finditer(text, start):
        depth += (match[0] in "[({") - (match[0] in "])}")
        if depth == 0:
            return match.end()
    raise ImpossibleState(f"a bracket that is not closed in {text[:80]!r}")


def key_end(text: str) -> int | None:
    """Where the key of a dict's entry ends; None for the item of a set."""
    depth = 0
    for match in _ENTRY.finditer(text):
        depth += (match[0] in "[({") - (match[0] in "])}")
        if match[0] == ": " and depth == 0:
            return match.start()
    return None


def split_entry(text: str) -> tuple[str, str]:
    """The key and the value of an entry of a dict's text."""
    end = key_end(text)
    if end is None:
        raise ValueError(f"an entry without a value: {text[:40]}")
    return text[:end], text[end + 2 :]


@parses_values
def has_key(content: str, key: str) -> bool:
    """Whether asking an object for an item makes none: it is no `defaultdict`, or has the key as it is written."""
    if not content.startswith("defaultdict("):
        return True
    entries = split_items(content.removeprefix("defaultdict"))[1]
    return any(split_entry(entry)[0] == key for entry in split_items(entries))


@bounded_cache(4 * MIB)
def _count(text: str) -> int:
    """How many items stand in brackets; a loop asks for that again at each turn."""
    return len(split_items(text))


@parses_values
def size(text: str, heap: Heap) -> int:
    """How many items a container has; Unsupported for what has no length in the frame."""
    if label_of(text) is not None:
        held = heap[int(text[1:])]
        if _NAMED.match(held) and not _SIZED_KIND.match(held):  # a named tuple is never on the heap
            raise Unsupported(f"the size of an object, {held[:40]}")
        below = _value_below(held)
        return size(held if below is None else below, heap)
    if text[0] in "[({":
        return _count(text)
    if text[0] in "'\"" or text[:2] in ("b'", 'b"'):
        return len(ast.literal_eval(text))
    if text == "set()":
        return 0
    match = _SIZED_KIND.match(text)
    if match is None and (fields := _NAMED.match(text)):
        return _count(f"({fields[1]})")
    if match is None:
        raise Unsupported(f"the size of {text[:40]}")
    return _size_of_kind(match[1], match[2], heap)


def _size_of_kind(kind: str, inner: str, heap: Heap) -> int:
    if kind == "range":
        numbers = range(*map(int, inner.split(",")))
        return (numbers[-1] - numbers[0]) // numbers.step + 1 if numbers else 0  # len() refuses the huge ones
    if kind == "defaultdict":
        return size(split_items(f"({inner})")[1], heap)
    if kind == "bytearray":
        return len(ast.literal_eval(inner))
    return size(split_items(f"({inner})")[0], heap) if inner else 0


def is_false_member(text: str) -> bool:
    """Whether a text is an enum member whose value is false; its class says whether the member is."""
    return _FALSE_MEMBER.match(text) is not None


def _is_plain_error(content: str) -> bool:
    """Whether an object is an exception of Python with a field, which no class makes false."""
    known = getattr(builtins, content.partition("(")[0].removeprefix(_BUILTIN), None)
    return isinstance(known, type) and issubclass(known, BaseException)


@parses_values
def truth(text: str, heap: Heap) -> bool:
    """Whether Python takes the value for true."""
    if label_of(text) is not None:
        content = heap[int(text[1:])]
        if content[0] in "[{" or content == "set()" or _SIZED_KIND.match(content):
            return size(content, heap) > 0
        if _ALWAYS_TRUE.match(content) or _is_plain_error(content):
            return True
        raise Unsupported(f"the truth of {content[:40]}")
    if text in _FALSE or _ZERO.match(text) or _NO_FLAG.match(text):
        return False
    if _SIZED_KIND.match(text):
        return size(text, heap) > 0
    if text.startswith("?"):
        raise Unsupported(text[1:])
    if _FALSE_MEMBER.match(text):
        raise Unsupported(f"the truth of the enum member {text[:40]}")
    return True


@parses_values
def truth_below(text: str, heap: Heap) -> bool:
    """Whether an object is true whose class derives from a container or a value: as what stands in front of it is."""
    first = _value_below(heap[int(text[1:])])
    return truth(text if first is None else first, heap)


def _value_below(content: str) -> str | None:
    """What an object of a class that derives from a number, a text or a tuple is worth, by its content."""
    kind, bracket, inner = content.partition("(")
    if not bracket or kind in KINDS or kind in ("generator", "object") or not kind.isidentifier():
        return None
    first = next(iter(split_items(f"({inner[:-1]})")), "")
    return first if first and (first[0] in _BELOW or first in ("inf", "nan")) else None


_BELOW = frozenset("'\"(-0123456789")
"""How the text of a value begins, as none of a field does."""


def items_of(source: str, heap: Heap) -> list[str]:
    """The items of a source as texts; of a string its characters."""
    label = label_of(source)
    if label is not None:
        below = _value_below(heap[label])
        return items_of(heap[label] if below is None else below, heap)
    if source[0] in "[({":
        return split_items(source)
    if source[0] in "'\"":
        return [repr(character) for character in ast.literal_eval(source)]
    match = _SIZED_KIND.match(source)
    if match is None and (fields := _NAMED.match(source)):
        return [field.partition("=")[2] for field in split_items(f"({fields[1]})")]
    if match is None:
        raise Unsupported(f"the items of {source[:40]}")
    inner = split_items(f"({match[2]})")
    return items_of(inner[1] if match[1] == "defaultdict" else inner[0], heap) if inner else []


def outdated(changes: Mapping[int, str], before: Heap, heap: Heap) -> dict[int, str]:
    """Iterators that can only raise now, because their dict or set changed size.

    One whose source changes size once more is unsupported: the frame does not say whether it is back at the old size.
    """
    resized = [
        label
        for label, content in changes.items()
        if label in before and is_hashed(content) and size(content, heap) != size(before[label], before)
    ]
    found: dict[int, str] = {}
    for label in (each for each in changes if before.get(each, "").startswith("deque(")):
        if any(re.match(rf"(?:iter|backwards)\(#{label}, ", content) for content in heap.values()):
            raise Unsupported("a deque that changes under an iterator")
    for label in (each for each in changes if _keys(before.get(each, "")) != _keys(heap.get(each, ""))):
        if any(re.match(rf"(?:iter|reversed)\((?:\w+\()?#{label}[,)]", content) for content in heap.values()):
            raise Unsupported("a dict with an order of its own, or of a class, that changes under an iterator")
    for label in resized:
        source = rf"(?:keys|values|items)\(#{label}\)|#{label}"
        over = re.compile(rf"iter\(({source}), (changed|\d+|\[.*\])\)$", re.DOTALL)
        for other, content in heap.items():
            match = over.match(content)
            if match and match[2] == "changed":
                raise Unsupported("a dict or set that changes size twice under an iterator")
            if match:
                found[other] = f"iter({match[1]}, changed)"
    return found


def _keys(content: str) -> list[str] | None:
    """The keys of an OrderedDict, or of an object of a class that derives from a dict; None for anything else."""
    match = _ORDERED.match(content)
    if match is None:
        return None
    inner = content[match.end() - 1 : closing(content, match.end() - 1)]
    return [split_entry(entry)[0] for entry in split_items(inner)]


def is_hashed(content: str) -> bool:
    """Whether an object is a dict or a set, which no iterator survives that changes size under it."""
    return content.startswith(("{", "set()", "Counter(", "defaultdict(", "OrderedDict("))


def class_name(text: str) -> str:
    """The class of an exception's text."""
    return text.partition("(")[0]


def matches(raised: str, wanted: ast.expr | None, bases: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether a handler takes an exception, by class names; `bases` are those of the program's own classes."""
    if wanted is None:
        return True
    if isinstance(wanted, ast.Tuple):
        return any(matches(raised, each, bases) for each in wanted.elts)
    if not isinstance(wanted, ast.Name | ast.Attribute):
        raise Unsupported(f"a handler for {ast.unparse(wanted)}, which only running it tells")
    owner, _, name = ast.unparse(wanted).rpartition(".")
    of_module = bool(owner) and owner.partition(".")[0] not in bases
    return (foreign_name(name, bases) if of_module else name) in ancestry(class_name(raised), bases)


def ancestry(name: str, bases: Mapping[str, tuple[str, ...]]) -> list[str]:
    """A class and all it inherits from, by name; what the program hides by a class of its own has a mark."""
    if name in bases:
        above = [f"{_BUILTIN}{base}" if base == name else base for base in bases[name]]
        return [name, *[each for base in above for each in ancestry(base, bases)]]
    plain = name.removeprefix(_BUILTIN)
    found = _LIBRARY_ERRORS.get(name) or getattr(builtins, plain, None) or _IMPORTED_ERRORS.get(name)
    if not isinstance(found, type):
        raise Unsupported(f"an exception of the class {name}, which is not the program's nor a builtin")
    names = [foreign_name(each.__name__, bases) for each in found.__mro__]
    return ["error", *names] if found is re.error else names


def foreign_name(name: str, bases: Mapping[str, tuple[str, ...]]) -> str:
    """The name of a class of Python or its library, told apart from one of the program's own."""
    return f"~{name}" if name in bases else name
