"""Text to live objects: the inverse of `object_renderer.py`, from the frame alone.

What the frame does not say is Unsupported.

Two passes make cycles and aliases right: a mutable container is made empty the first time it is referred to and filled
from its content, so every reference gives the same object.
"""

import builtins
import collections
import importlib
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping

from envs.execution.state.value_grammar import Unsupported
from envs.execution.text.generator_text import HeldGenerator
from envs.execution.text.object_constructors import KINDS
from envs.execution.text.set_fillings import BACKWARDS, FORWARDS, SetFilling, filled_frozenset, filled_set
from envs.execution.text.value_reader import Tokens, ValueReader, instance_of, is_dict, is_value_class, tokens_of

_NONSENSE = (ArithmeticError, AssertionError, AttributeError, LookupError, SyntaxError, TypeError, ValueError)
"""What making an object from text that no rendering wrote may raise."""
_NAN = float("nan")
Codes = Mapping[tuple[str, int], types.CodeType]
"""The program's functions by name and line of their `def`, to make nested functions again."""


class ObjectBuilder:
    """Makes the objects of one frame; each label gives one object, however often it is asked for."""

    def __init__(
        self,
        heap: Mapping[int, str],
        namespace: Mapping[str, object],
        codes: Codes,
        *,
        filled: SetFilling = FORWARDS,
        single: frozenset[int] = frozenset(),
    ) -> None:
        """`backwards`, sets are filled from the last item on and each `nan` is an object of its own.

        So is each inner function that shares no variable; one that does is known by the variables, and one of the lines
        `single` is made once in a run.

        In the other ways, sets have the room and the places that another history leaves them (`set_fillings.py`). What
        depends on any of it is not in the frame.
        """
        self._filled, self._single = filled, single
        self._heap = heap
        self._namespace = namespace
        self._codes = codes
        self._made: dict[int, object] = {}
        self._making: set[int] = set()
        self._functions: dict[tuple[object, ...], object] = {}

    def value(self, text: str) -> object:
        """The object a value's text stands for."""
        try:
            return ValueReader(self, tokens_of(text)).whole()
        except RecursionError:
            raise Unsupported("a value nested too deep to be rebuilt") from None
        except _NONSENSE as error:
            raise Unsupported(f"value text that stands for nothing Python can make: {error}") from None

    def set_of(self, items: list[object]) -> set[object]:
        return filled_set(items, self._filled)

    def frozenset_of(self, items: list[object]) -> frozenset[object]:
        return filled_frozenset(items, self._filled)

    def is_library(self, name: str) -> bool:
        """Whether a name of `collections` means what it means there, and no class of the program."""
        return self._namespace.get(name, (known := getattr(collections, name))) is known

    def not_a_number(self) -> float:
        return float("nan") if self._filled == BACKWARDS else _NAN

    def labels(self) -> list[tuple[int, object]]:
        """All labels asked for so far and their objects."""
        return list(self._made.items())

    def held(self, label: int) -> object:
        if label in self._made:
            return self._made[label]
        if label not in self._heap:
            raise Unsupported(f"reference #{label} that the heap does not hold")
        tokens = tokens_of(self._heap[label])
        shell, fill = _shell(self, tokens)
        if shell is None:
            return self._whole(label, tokens)
        self._made[label] = shell
        fill(ValueReader(self, tokens))
        return shell

    def _whole(self, label: int, tokens: Tokens) -> object:
        """An object that cannot be referred to before its content is known."""
        if label in self._making:
            raise Unsupported(f"a {tokens[0][1]} that holds itself")
        self._making.add(label)
        made = self._made[label] = ValueReader(self, tokens).whole()
        self._making.discard(label)
        return made

    def named(self, name: str) -> object:
        """A name of the program, a builtin, or a module."""
        if name in self._namespace:
            return self._namespace[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        if name == "SimpleNamespace":
            return types.SimpleNamespace
        try:
            return importlib.import_module(name)
        except ImportError:
            raise Unsupported(f"name {name!r} that is neither the program's nor a builtin") from None

    def function(
        self, name: str, line: int, cells: list[object], given: list[object], *, by_name: dict[str, object]
    ) -> object:
        code = self._codes.get((f"<{name}>" if name == "lambda" else name, line))
        if code is None:
            raise Unsupported(f"function {name!r} of line {line}, where the program has none or several")
        closure = tuple(cell for cell in cells if isinstance(cell, types.CellType))
        if len(closure) != len(code.co_freevars):
            raise Unsupported(f"function {name!r} of line {line} with {len(closure)} cells for {code.co_freevars}")
        defaults = (*given, *by_name.values())
        known = (name, line, *map(id, closure), *((type(each), repr(each)) for each in defaults))
        if known not in self._functions or (self._filled == BACKWARDS and not closure and line not in self._single):
            made = types.FunctionType(code, dict_of(self._namespace), name, tuple(given) or None, closure)
            made.__kwdefaults__ = by_name or None
            self._functions[known] = made
        return self._functions[known]


def dict_of(namespace: Mapping[str, object]) -> dict[str, object]:
    """The namespace itself where it is a dict: functions must share their globals."""
    return namespace if isinstance(namespace, dict) else dict(namespace)


Fill = Callable[["ValueReader"], None]


def _shell(source: ObjectBuilder, tokens: Tokens) -> tuple[object, Fill]:
    """An empty container to refer to while its content is read, or None for what is made in one go."""
    first, second = tokens[0][1], tokens[1][1]
    if first == "[":
        items: list[object] = []
        return items, lambda reader: items.extend(reader.listed("]"))
    if first == "{" and is_dict(tokens):
        entries: dict[object, object] = {}
        return entries, lambda reader: entries.update(reader.entries())
    if second == "(" and first in _LIBRARY_SHELLS and source.is_library(first):
        return _LIBRARY_SHELLS[first](tokens)
    if first == "generator" and second == "(":
        held = HeldGenerator()
        return held, lambda reader: reader.into_generator(held)
    if first == "cell" and second == "(":
        cell = types.CellType()
        return cell, lambda reader: reader.into_cell(cell)
    if tokens[0][0] == "name" and second == "(" and first not in KINDS:
        if is_value_class(source.named(first)):
            return None, lambda reader: None
        thing = instance_of(source.named(first), first)
        return thing, lambda reader: reader.into_instance(thing)
    return None, lambda reader: None


def _deque_shell(tokens: Tokens) -> tuple[object, Fill]:
    longest = int(tokens[-3][1]) if tokens[-3][0] == "number" else None  # before `)` and the end
    queue: deque[object] = deque(maxlen=longest)

    def fill(reader: "ValueReader") -> None:
        items, *_ = reader.parts()
        queue.extend(items)  # type: ignore[arg-type]

    return queue, fill


def _defaults_shell(_: Tokens) -> tuple[object, Fill]:
    made: defaultdict[object, object] = defaultdict()

    def fill(reader: "ValueReader") -> None:
        made.default_factory, entries = reader.parts()  # type: ignore[assignment]
        made.update(entries)  # type: ignore[call-overload]

    return made, fill


def _ordered_shell(_: Tokens) -> tuple[object, Fill]:
    made: OrderedDict[object, object] = OrderedDict()

    def fill(reader: "ValueReader") -> None:
        for entries in reader.parts():
            made.update(entries)  # type: ignore[call-overload]

    return made, fill


_LIBRARY_SHELLS = {"deque": _deque_shell, "defaultdict": _defaults_shell, "OrderedDict": _ordered_shell}
"""Containers of the library that may hold a function which refers to them."""
