"""Reads the text of a result, such as Python's repr of it, in time and memory that follow its length.

Results come from programs and models that may be hostile. Reading is one pass with a budget; it evaluates nothing and
hashes nothing (`unhashed_values.py`). It reads what values are written as, and no arithmetic; `tasks.value` reads the
expected results of tasks. Knows no comparison.
"""

import ast
import re
import warnings
from collections.abc import Sequence

from tasks.errors import NotPlain
from tasks.unhashed_values import SetItems, dict_entries, set_items

MAX_CHARACTERS = 4 << 20
"""Longest text that is read."""
MAX_VALUES = 200_000
"""Most values in a result, those inside others included."""
MAX_DEPTH = 100
"""Most containers around a value."""

_TOKEN = re.compile(
    r"""\s*+(?:
        (?P<string>[bB]?(?:'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"))
      | (?P<number>0[xX][0-9a-fA-F]++|(?:\d[\d_]*+\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?[jJ]?)
      | (?P<name>[^\W\d]\w*+)
      | (?P<sign>[][(){},:+-])
      | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_CONSTANTS: dict[str, object] = {"None": None, "True": True, "False": False}
Number = int | float | complex


def read_result(text: str) -> object:
    """The value that a text is written for, with sets as `SetItems` and dicts as `DictEntries`; NotPlain for others."""
    if len(text) > MAX_CHARACTERS:
        raise NotPlain(f"a result of {len(text):,} characters is too long to read")
    try:
        return _Reader(text).whole()
    except (SyntaxError, ValueError, OverflowError) as error:
        raise NotPlain(f"{text[:60]!r} is no plain value ({error})") from error


class _Reader:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = 0
        self._left = MAX_VALUES
        self._advance()

    def _advance(self) -> None:
        match = _TOKEN.match(self._text, self._end)
        if match is None or match.lastgroup is None:
            raise NotPlain(f"{self._text[self._end : self._end + 20]!r} is no plain value")
        self._kind, self._token, self._end = match.lastgroup, match[match.lastgroup], match.end()

    def _take(self) -> str:
        token = self._token
        if self._kind == "end":
            raise NotPlain("the text breaks off")
        self._advance()
        return token

    def _at(self, *signs: str) -> bool:
        return self._kind == "sign" and self._token in signs

    def _expect(self, sign: str) -> None:
        if not self._at(sign):
            raise NotPlain(f"{sign!r} is missing before {self._token!r}")
        self._advance()

    def whole(self) -> object:
        value = self._value(0)
        if self._kind != "end":
            raise NotPlain(f"{self._token!r} stands behind a value")
        return value

    def _value(self, depth: int) -> object:
        self._left -= 1
        if self._left < 0 or depth > MAX_DEPTH:
            raise NotPlain(f"a result of more than {MAX_VALUES:,} values, or nested more than {MAX_DEPTH} deep")
        if self._kind == "string":
            return _string(self._take())
        if self._kind == "number" or self._token in ("+", "-", "nan", "inf"):
            return self._number()
        if self._kind == "name":
            return self._named(depth)
        if self._at("["):
            return self._items("]", depth)[0]
        if self._at("("):
            return self._parenthesised(depth)
        if self._at("{"):
            return self._braces(depth)
        raise NotPlain(f"{self._token!r} is no plain value")

    def _number(self) -> Number:
        """A number with its signs; a real and an imaginary part make a complex number, other arithmetic is refused."""
        number = self._signed()
        if self._at("+", "-"):
            imaginary = self._signed()
            if isinstance(number, complex) or not isinstance(imaginary, complex):
                raise NotPlain("arithmetic is no plain value")
            number += imaginary
        return number

    def _signed(self) -> Number:
        negative = False
        while self._at("+", "-"):
            negative ^= self._take() == "-"
        number = _number_of(self._take())
        return -number if negative else number

    def _items(self, closing: str, depth: int) -> tuple[list[object], bool]:
        """The values from the opening bracket to the closing one, and whether a comma stands behind the last."""
        self._advance()
        items: list[object] = []
        comma = False
        while not self._at(closing):
            items.append(self._value(depth + 1))
            comma = self._at(",")
            if not self._at(closing):
                self._expect(",")
        self._advance()
        return items, comma

    def _parenthesised(self, depth: int) -> object:
        """A tuple, or one value in parentheses."""
        items, comma = self._items(")", depth)
        return tuple(items) if comma or len(items) != 1 else items[0]

    def _braces(self, depth: int) -> object:
        """A set or a dict, which the colon behind the first item tells apart."""
        self._advance()
        keys: list[object] = []
        values: list[object] = []
        while not self._at("}"):
            keys.append(self._value(depth + 1))
            if self._at(":"):
                self._advance()
                values.append(self._value(depth + 1))
            if not self._at("}"):
                self._expect(",")
        self._advance()
        if values or not keys:
            return dict_entries(keys, values)
        return set_items(keys)

    def _named(self, depth: int) -> object:
        """A constant, `float('nan')` and its like, or a set written as a call: `frozenset({1})`, `set()`."""
        name = self._take()
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        if name not in ("float", "set", "frozenset"):
            raise NotPlain(f"{name!r} is no plain value")
        self._expect("(")
        given = None if self._at(")") else self._value(depth)
        self._expect(")")
        if name == "float" and isinstance(given, str):
            return float(given)
        return set_items(_members(given), frozen=name == "frozenset")


def _members(given: object) -> Sequence[object]:
    """The items of what a call of `set` was given."""
    if given is None:
        return ()
    if isinstance(given, list | tuple | str):
        return given
    if isinstance(given, SetItems):
        return given.items
    raise NotPlain("a set is written with its items in brackets")


def _number_of(token: str) -> Number:
    if token[:2] in ("0x", "0X"):
        return int(token, 16)
    if token[-1] in "jJ":
        return complex(token)
    return int(token) if token.replace("_", "").isdecimal() else float(token)


def _string(token: str) -> str | bytes:
    if "\\" not in token and "\n" not in token and token[0] in "'\"":
        return token[1:-1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of an escape that Python does not know
        value: str | bytes = ast.literal_eval(token)
    return value
