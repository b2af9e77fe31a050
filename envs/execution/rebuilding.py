"""Text to live objects: the inverse of `rendering.py`, from the page alone; what the page does not say is Unsupported.

Two passes make cycles and aliases right: a mutable container is made empty the first time it is referred to and
filled from its content, so every reference gives the same object.
"""

import ast
import builtins
import importlib
import re
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import islice

from envs.execution.values import Unsupported

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<string>[bB]?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))
      | (?P<number>-?(?:inf|nan|\d[\d.]*(?:e[+-]?\d+)?)j?\b)
      | \#(?P<label>\d+)
      | (?P<name>[^\W\d]\w*)
      | (?P<sign>[][(){},:;.=@?+-])
    )""",
    re.VERBOSE | re.DOTALL,
)
_NONSENSE = (ArithmeticError, AssertionError, AttributeError, LookupError, SyntaxError, TypeError, ValueError)
"""What making an object from text that no rendering wrote may raise."""
_CONSTANTS: dict[str, object] = {
    "None": None,
    "True": True,
    "False": False,
    "Ellipsis": Ellipsis,
    "inf": float("inf"),
    "nan": float("nan"),
}
Codes = Mapping[tuple[str, int], types.CodeType]
"""The program's functions by name and line of their `def`, to make nested functions again."""


@lru_cache(maxsize=65_536)
def _tokens(text: str) -> tuple[tuple[str, str], ...]:
    tokens, position, end = [], 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise Unsupported(f"value text that does not parse at character {position}: {text[:80]!r}")
        tokens.append((match.lastgroup, match[match.lastgroup]))
        position = match.end()
    tokens.append(("end", ""))
    return tuple(tokens)


@lru_cache(maxsize=65_536)
def _literal(text: str) -> object:
    if text.endswith("j"):
        return complex(text)
    if text.lstrip("-") in ("inf", "nan"):
        return float(text)
    return ast.literal_eval(text)


class Rebuilder:
    """Makes the objects of one page; each label gives one object, however often it is asked for."""

    def __init__(
        self, heap: Mapping[int, str], namespace: Mapping[str, object], codes: Codes, *, backwards: bool = False
    ) -> None:
        """With `backwards`, sets are filled from the last item on: what depends on that is not on the page."""
        self._backwards = backwards
        self._heap = heap
        self._namespace = namespace
        self._codes = codes
        self._made: dict[int, object] = {}
        self._making: set[int] = set()

    def value(self, text: str) -> object:
        """The object a value's text stands for."""
        try:
            return _Reader(self, _tokens(text)).whole()
        except RecursionError:
            raise Unsupported("a value nested too deep to be rebuilt") from None
        except _NONSENSE as error:
            raise Unsupported(f"value text that stands for nothing Python can make: {error}") from None

    def set_of(self, items: list[object]) -> set[object]:
        return set(items[::-1] if self._backwards else items)

    def labels(self) -> list[tuple[int, object]]:
        """All labels asked for so far and their objects."""
        return list(self._made.items())

    def held(self, label: int) -> object:
        if label in self._made:
            return self._made[label]
        if label not in self._heap:
            raise Unsupported(f"reference #{label} that the heap does not hold")
        tokens = _tokens(self._heap[label])
        shell, fill = _shell(self, tokens)
        if shell is None:
            return self._whole(label, tokens)
        self._made[label] = shell
        fill(_Reader(self, tokens))
        return shell

    def _whole(self, label: int, tokens: tuple[tuple[str, str], ...]) -> object:
        """An object that cannot be referred to before its content is known."""
        if label in self._making:
            raise Unsupported(f"a {tokens[0][1]} that holds itself")
        self._making.add(label)
        made = self._made[label] = _Reader(self, tokens).whole()
        self._making.discard(label)
        return made

    def named(self, name: str) -> object:
        """A name of the program, a builtin, or a module."""
        if name in self._namespace:
            return self._namespace[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        try:
            return importlib.import_module(name)
        except ImportError:
            raise Unsupported(f"name {name!r} that is neither the program's nor a builtin") from None

    def function(self, name: str, line: int, cells: list[object], given: list[object]) -> object:
        code = self._codes.get((f"<{name}>" if name == "lambda" else name, line))
        if code is None:
            raise Unsupported(f"function {name!r} of line {line} that the program does not hold")
        closure = tuple(cell for cell in cells if isinstance(cell, types.CellType))
        if len(closure) != len(code.co_freevars):
            raise Unsupported(f"function {name!r} of line {line} with {len(closure)} cells for {code.co_freevars}")
        return types.FunctionType(code, dict_of(self._namespace), name, tuple(given) or None, closure)


def dict_of(namespace: Mapping[str, object]) -> dict[str, object]:
    """The namespace itself where it is a dict: functions must share their globals."""
    return namespace if isinstance(namespace, dict) else dict(namespace)


Fill = Callable[["_Reader"], None]


def _shell(source: Rebuilder, tokens: tuple[tuple[str, str], ...]) -> tuple[object, Fill]:
    """An empty container to refer to while its content is read, or None for what is made in one go."""
    first, second = tokens[0][1], tokens[1][1]
    if first == "[":
        items: list[object] = []
        return items, lambda reader: items.extend(reader.listed("]"))
    if first == "{" and _is_dict(tokens):
        entries: dict[object, object] = {}
        return entries, lambda reader: entries.update(reader.entries())
    if tokens[0][0] == "name" and second == "(" and tokens[3:4] == (("sign", "="),):
        thing = _instance_of(source.named(first), first)
        return thing, lambda reader: reader.into_instance(thing)
    if first == "cell" and second == "(":
        cell = types.CellType()
        return cell, lambda reader: reader.into_cell(cell)
    return None, lambda reader: None


def _instance_of(owner: object, name: str) -> object:
    if not isinstance(owner, type):
        raise Unsupported(f"instance of {name!r}, which is no class")
    return object.__new__(owner)


def _is_dict(tokens: tuple[tuple[str, str], ...]) -> bool:
    depth = 0
    for kind, text in tokens:
        if kind != "sign":
            continue
        if text in "([{":
            depth += 1
        elif text in ")]}":
            depth -= 1
        elif text == ":" and depth == 1:
            return True
    return tokens[1][1] == "}"


class _Reader:
    """Recursive descent over one text's tokens."""

    def __init__(self, source: Rebuilder, tokens: tuple[tuple[str, str], ...]) -> None:
        self._source = source
        self._tokens = tokens
        self._at = 0

    def whole(self) -> object:
        value = self.value()
        if self._peek() != ("end", ""):
            raise Unsupported(f"text behind a value: {self._peek()[1]!r}")
        return value

    def value(self) -> object:
        value = self._simple()
        while self._peek() == ("sign", "."):
            self._next()
            try:
                value = getattr(value, self._next()[1])
            except AttributeError as error:
                raise Unsupported(f"attribute that is not there: {error}") from None
        return value

    def _simple(self) -> object:
        kind, text = self._next()
        if kind in ("string", "number"):
            return _literal(text)
        if kind == "label":
            return self._source.held(int(text))
        if kind == "name":
            return self._named(text)
        if text == "?":
            raise Unsupported(" ".join(token for _, token in self._tokens[1:]).strip() or "unknown value")
        if text in "([{":
            return self._display(text)
        raise Unsupported(f"value text that starts with {text!r}")

    def _display(self, opening: str) -> object:
        self._at -= 1
        if opening == "[":
            return self.listed("]")
        if opening == "(":
            return self._tuple_or_complex()
        return self.entries() if _is_dict(self._tokens[self._at :]) else self._source.set_of(self.listed("}"))

    def _tuple_or_complex(self) -> object:
        inside = []
        for kind, text in self._tokens[self._at + 1 : self._at + 4]:  # `(1+2j)` or `(1-2j)`
            if kind != "number" and text != "+":
                break
            inside.append(text)
        if len(inside) < 2 or not inside[-1].endswith("j"):
            return tuple(self.listed(")"))
        self._at += len(inside) + 1
        self._expect(")")
        return complex("".join(inside))

    def listed(self, closing: str) -> list[object]:
        self._next()
        items: list[object] = []
        while self._peek() != ("sign", closing):
            items.append(self.value())
            if self._peek()[1] == ",":
                self._next()
        self._next()
        return items

    def entries(self) -> dict[object, object]:
        self._next()
        entries: dict[object, object] = {}
        while self._peek() != ("sign", "}"):
            key = self.value()
            self._expect(":")
            entries[key] = self.value()
            if self._peek()[1] == ",":
                self._next()
        self._next()
        return entries

    def into_cell(self, cell: types.CellType) -> None:
        self._next()
        content = self.listed(")")
        if content:
            cell.cell_contents = content[0]

    def _named(self, name: str) -> object:
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        if self._peek() == ("sign", "@"):
            return self._nested_function(name)
        if self._peek() != ("sign", "("):
            return self._source.named(name)
        if self._tokens[self._at + 1][0] == "name" and self._tokens[self._at + 2] == ("sign", "="):
            return self._instance(name)
        return self._kind(name)

    def _kind(self, name: str) -> object:
        maker = _KINDS.get(name)
        if maker is not None:
            arguments: list[object] = self.listed(")")
            return maker(*arguments)
        owner = self._source.named(name)
        if isinstance(owner, type) and issubclass(owner, BaseException):
            error: BaseException = owner(*self.listed(")"))
            return error
        if isinstance(owner, type) and self._tokens[self._at + 1] == ("sign", ")"):
            return self._instance(name)
        raise Unsupported(f"value of kind {name!r}")

    def _instance(self, name: str) -> object:
        thing = _instance_of(self._source.named(name), name)
        self._at -= 1
        self.into_instance(thing)
        return thing

    def into_instance(self, thing: object) -> None:
        self._next()
        self._expect("(")
        while self._peek() != ("sign", ")"):
            field = self._next()[1]
            self._expect("=")
            vars(thing)[field] = self.value()
            if self._peek()[1] == ",":
                self._next()
        self._next()

    def _nested_function(self, name: str) -> object:
        self._next()
        line = int(self._next()[1])
        self._expect("(")
        parts: list[list[object]] = [[]]
        while self._peek() != ("sign", ")"):
            if self._peek()[1] == ";":
                parts.append([])
                self._next()
                continue
            parts[-1].append(self.value())
            if self._peek()[1] == ",":
                self._next()
        self._next()
        return self._source.function(name, line, parts[0], parts[1] if len(parts) > 1 else [])

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at]

    def _next(self) -> tuple[str, str]:
        token = self._tokens[self._at]
        if token[0] == "end":
            raise Unsupported("value text that breaks off")
        self._at += 1
        return token

    def _expect(self, sign: str) -> None:
        if self._next()[1] != sign:
            raise Unsupported(f"value text without the {sign!r} it needs")


def _iterator(*parts: object) -> object:
    if not parts:
        used_up = iter(())
        next(used_up, None)
        return used_up
    source, *rest = parts
    if isinstance(source, range):
        return iter(source)
    position = rest[0] if rest else 0
    if isinstance(source, set | frozenset):
        return _set_iterator(source, position)
    iterator = iter(source)  # type: ignore[call-overload]
    if hasattr(iterator, "__setstate__"):
        iterator.__setstate__(position)
        return iterator
    for _ in islice(iterator, int(position)):  # type: ignore[call-overload]
        pass
    return iterator


def _set_iterator(source: set[object] | frozenset[object], left: object) -> object:
    """Stands where the page says it stands, if rebuilding the set gave it the same order."""
    assert isinstance(left, list)
    iterator = iter(source)
    for _ in range(len(source) - len(left)):
        next(iterator)
    if iterator.__reduce__()[1][0] != left:
        raise Unsupported("iterator over a set whose order does not follow from its items")
    return iterator


def _reversed(source: object, position: object) -> object:
    iterator = reversed(source)  # type: ignore[call-overload]
    iterator.__setstate__(position)
    return iterator


def _enumerate(iterator: Iterable[object], start: int) -> object:
    return enumerate(iterator, start)


def _cell(*content: object) -> types.CellType:
    return types.CellType(*content)


_KINDS: dict[str, Callable[..., object]] = {
    "range": range,
    "slice": slice,
    "set": set,
    "frozenset": frozenset,
    "keys": lambda source: source.keys(),
    "values": lambda source: source.values(),
    "items": lambda source: source.items(),
    "iter": _iterator,
    "reversed": _reversed,
    "enumerate": _enumerate,
    "zip": zip,
    "map": map,
    "filter": filter,
    "deque": deque,
    "defaultdict": defaultdict,
    "OrderedDict": OrderedDict,
    "Counter": Counter,
    "bytearray": bytearray,
    "cell": _cell,
}
