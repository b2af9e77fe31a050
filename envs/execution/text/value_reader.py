"""Value text read token by token, by recursive descent; what a label or a name stands for is asked of the source."""

import ast
import builtins
import re
import types
from collections import OrderedDict, defaultdict
from enum import EnumMeta
from typing import Any, Protocol

from envs.bounded_cache import MIB, bounded_cache
from envs.execution.state.value_grammar import Unsupported
from envs.execution.text.generator_text import HeldGenerator
from envs.execution.text.library_values import made_member, made_named_tuple
from envs.execution.text.object_constructors import KINDS

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<string>[bB]?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))
      | (?P<number>-?(?:inf|nan|\d+(?:\.\d+)?(?:e[+-]?\d+)?)j?\b)
      | \#(?P<label>\d+)
      | (?P<name>[^\W\d]\w*)
      | (?P<sign>[][(){},:;.=@?+-])
    )""",
    re.VERBOSE | re.DOTALL,
)
_CONSTANTS: dict[str, object] = {
    "None": None,
    "True": True,
    "False": False,
    "Ellipsis": Ellipsis,
    "inf": float("inf"),
}
_UNNAMED: dict[str, type] = {
    "NoneType": type(None),
    "ellipsis": type(...),
    "function": types.FunctionType,
    "method": types.MethodType,
    "builtin_function_or_method": types.BuiltinFunctionType,
}
"""Types of Python that its module of builtins does not give, though they say that they are there."""
Tokens = tuple[tuple[str, str], ...]


@bounded_cache(8 * MIB, per_character=50)
def tokens_of(text: str) -> tuple[tuple[str, str], ...]:
    tokens, position, end = [], 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise Unsupported(f"value text that does not parse at character {position}: {text[:80]!r}")
        tokens.append((match.lastgroup, match[match.lastgroup]))
        position = match.end()
    tokens.append(("end", ""))
    return tuple(tokens)


@bounded_cache(4 * MIB, per_character=4)
def _literal(text: str) -> object:
    if text.endswith("j"):
        return complex(text)
    if text.lstrip("-") in ("inf", "nan"):
        return float(text)
    return ast.literal_eval(text)


class Source(Protocol):
    """Gives the objects that labels and names in a text stand for."""

    def held(self, label: int) -> object: ...
    def named(self, name: str) -> object: ...
    def function(
        self, name: str, line: int, cells: list[object], given: list[object], *, by_name: dict[str, object]
    ) -> object: ...
    def set_of(self, items: list[object]) -> set[object]: ...
    def frozenset_of(self, items: list[object]) -> frozenset[object]: ...
    def not_a_number(self) -> float: ...


def instance_of(owner: object, name: str) -> object:
    """A new object of a class, of which nothing is set yet."""
    if not isinstance(owner, type):
        raise Unsupported(f"instance of {name!r}, which is no class")
    if owner is types.SimpleNamespace:
        return types.SimpleNamespace()
    if issubclass(owner, OrderedDict):
        return OrderedDict.__new__(owner)
    if issubclass(owner, defaultdict):
        return defaultdict.__new__(owner)
    if issubclass(owner, list | dict):
        return list.__new__(owner) if issubclass(owner, list) else dict.__new__(owner)
    return owner.__new__(owner) if issubclass(owner, BaseException) else object.__new__(owner)


def is_value_class(owner: object) -> bool:
    """Whether it is a class whose objects have a value that only `__new__` gives them, and fields."""
    if not isinstance(owner, type) or not issubclass(owner, _VALUES) or isinstance(owner, EnumMeta):
        return False
    return not hasattr(owner, "_fields") and owner.__module__ == "program"


_VALUES: tuple[type, ...] = (int, float, str, tuple)


def is_dict(tokens: tuple[tuple[str, str], ...]) -> bool:
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


class ValueReader:
    """Recursive descent over one text's tokens."""

    def __init__(self, source: Source, tokens: Tokens) -> None:
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
            name = self._next()[1]
            try:
                value = _UNNAMED[name] if value is builtins and name in _UNNAMED else getattr(value, name)
            except AttributeError as error:
                raise Unsupported(f"attribute that is not there: {error}") from None
        if self._peek() == ("sign", "(") and isinstance(value, type) and issubclass(value, BaseException):
            return value(*self.listed(")"))  # an exception of a module: `dataclasses.FrozenInstanceError('..')`
        return value

    def _simple(self) -> object:
        kind, text = self._next()
        if text == "nan":
            return self._source.not_a_number()
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
        return self.entries() if is_dict(self._tokens[self._at :]) else self._source.set_of(self.listed("}"))

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

    def parts(self) -> list[object]:
        """What stands in the brackets behind a kind, `deque(..)`."""
        self._next()
        return self.listed(")")

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

    def _frozenset(self) -> frozenset[object]:
        self._next()
        items = self.listed("}")
        self._expect(")")
        return self._source.frozenset_of(items)

    def _kind(self, name: str) -> object:
        if name == "frozenset" and self._tokens[self._at + 1] == ("sign", "{"):
            return self._frozenset()
        maker = KINDS.get(name)
        if maker is not None:
            arguments: list[object] = self.listed(")")
            return maker(*arguments)
        owner = self._source.named(name)
        if isinstance(owner, EnumMeta):
            member, *value = self.listed(")")
            return made_member(owner, member, value[0] if value else None)
        if isinstance(owner, type) and issubclass(owner, BaseException):
            if isinstance(owner.__init__, types.FunctionType):  # its fields are those that the text says
                return self._instance(name)
            error: BaseException = owner(*self.listed(")"))
            return error
        if is_value_class(owner) or (isinstance(owner, type) and self._tokens[self._at + 1] == ("sign", ")")):
            return self._instance(name)
        raise Unsupported(f"value of kind {name!r}")

    def _instance(self, name: str) -> object:
        owner = self._source.named(name)
        if isinstance(owner, type) and issubclass(owner, tuple) and hasattr(owner, "_fields"):
            return made_named_tuple(owner, self._fields())
        if is_value_class(owner):
            return self._with_value(owner)
        thing = instance_of(self._source.named(name), name)
        self._at -= 1
        self.into_instance(thing)
        return thing

    def _with_value(self, owner: Any) -> object:
        """An object of a class that derives from a number, a text or a tuple: `Celsius(20.5, place='attic')`."""
        self._expect("(")
        items, fields = self._named_items()
        base = next(each for each in _VALUES if issubclass(owner, each))
        if len(items) != 1 or type(items[0]) is not base:
            raise Unsupported(f"a {owner.__name__} that is not written by its value")
        made = base.__new__(owner, items[0])  # type: ignore[call-arg]
        vars(made).update(fields)
        return made

    def _fields(self) -> list[object]:
        """The values of `(x=1, y=2)`."""
        self._expect("(")
        values: list[object] = []
        while self._peek() != ("sign", ")"):
            self._next()
            self._expect("=")
            values.append(self.value())
            if self._peek()[1] == ",":
                self._next()
        self._next()
        return values

    def into_instance(self, thing: object) -> None:
        items, fields = self._parts()
        vars(thing).update(fields)
        if isinstance(thing, BaseException):
            _fill_exception(thing, items)
        elif isinstance(thing, list) and len(items) == 1 and isinstance(items[0], list):
            list.extend(thing, items[0])
        elif isinstance(thing, OrderedDict) and len(items) == 1 and isinstance(items[0], dict):
            for key, value in items[0].items():
                OrderedDict.__setitem__(thing, key, value)
        elif isinstance(thing, defaultdict) and len(items) == 2 and isinstance(items[0], dict):
            dict.update(thing, items[0])
            thing.default_factory = items[1]  # type: ignore[assignment]
        elif isinstance(thing, dict) and len(items) == 1 and isinstance(items[0], dict):
            dict.update(thing, items[0])
        elif items:
            raise Unsupported(f"an object of {type(thing).__name__} with items")

    def into_generator(self, held: HeldGenerator) -> None:
        items, fields = self._parts()
        held.items, held.fields = tuple(items), fields

    def _parts(self) -> tuple[list[object], dict[str, object]]:
        """The items and fields between the brackets behind a kind."""
        self._next()
        self._expect("(")
        return self._named_items()

    def _named_items(self) -> tuple[list[object], dict[str, object]]:
        """Items, and those that have a name, up to the bracket that closes."""
        items: list[object] = []
        fields: dict[str, object] = {}
        while self._peek() != ("sign", ")"):
            if self._tokens[self._at][0] == "name" and self._tokens[self._at + 1] == ("sign", "="):
                field = self._next()[1]
                self._next()
                fields[field] = self.value()
            else:
                items.append(self.value())
            if self._peek()[1] == ",":
                self._next()
        self._next()
        return items, fields

    def _nested_function(self, name: str) -> object:
        """A function by its line, with its cells and its defaults: `g@3(#1; 2, by=#4)`."""
        self._next()
        line = int(self._next()[1])
        self._expect("(")
        cells: list[object] = []
        while self._peek()[1] not in (")", ";"):
            cells.append(self.value())
            if self._peek()[1] == ",":
                self._next()
        if self._next()[1] == ")":
            return self._source.function(name, line, cells, [], by_name={})
        given, by_name = self._named_items()
        return self._source.function(name, line, cells, given, by_name=by_name)

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


def _fill_exception(thing: BaseException, items: list[object]) -> None:
    """Give an exception its arguments, and what its built-in class keeps of them beside (`errno`, `value`, `code`)."""
    thing.args = tuple(items)
    base = next(each for each in type(thing).__mro__ if each.__module__ == "builtins")
    try:
        base.__init__(thing, *items)  # type: ignore[misc]
    except TypeError as error:
        raise Unsupported(str(error)) from error
    if isinstance(thing, OSError) and len(items) > 1:
        thing.errno, thing.strerror = items[:2]  # type: ignore[assignment]
