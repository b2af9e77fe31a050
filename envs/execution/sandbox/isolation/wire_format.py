"""Values as they leave a contained program: a tree of JSON lists that names exact builtin types, and nothing else.

`tree` runs beside the untrusted program: it decides by the C-level type, calls no method a program can
define, and holds its own references to the builtins it needs. An instance of a subclass (a Counter, a named
tuple, a list whose `__eq__` lies) counts as the builtin content it has. The rest runs outside on trees that
may be hostile: it builds no set or dict from them (colliding hashes would cost the reader, not the liar) and
never evaluates text.

A tree is null, a bool, an int below 2**53, a finite float, a str, or a list whose head says what it is: `i` a
big int (hexadecimal), `f` nan and infinities, `c` complex, `b` bytes, `l` list, `t` tuple, `s` set, `z`
frozenset, `d` dict (keys and values in turn), `o` opaque: the name of a type that has no tree, or the reason.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

Tree = Any
"""JSON as parsed; `Any` ends at this file's functions, which check each node."""

_MOST_CHARACTERS = 256 << 10
_DEEPEST = 60
_EXACT_INT = 1 << 53
_HEADS: dict[type, str] = {list: "l", tuple: "t", set: "s", frozenset: "z"}


class MalformedWire(ValueError):
    """A tree that no value has: what a program wrote to the result pipe by itself."""


class _TooLarge(Exception):
    """The value has more text than may leave."""


def _make_tree() -> Callable[[object], Tree]:
    # Closure cells instead of globals: a program that patches `builtins` does not change what these names
    # mean here.
    type_of, size, finite, some = type, len, math.isfinite, next
    name_of, bases_of = type.__dict__["__name__"].__get__, type.__dict__["__mro__"].__get__
    heads, exact, deepest, most, too_large = _HEADS.copy(), _EXACT_INT, _DEEPEST, _MOST_CHARACTERS, _TooLarge
    hexadecimal, bits, decode, text_of = int.__format__, int.bit_length, bytes.decode, float.__repr__
    integer, real, text, raw, boolean, mapping, imaginary = int, float, str, bytes, bool, dict, complex
    contents: dict[type, Callable[[Any], Any]] = {
        int: int.__pos__, float: float.__pos__, complex: complex.__pos__, str: str.__str__, bytes: bytes.__iter__,
        list: list.__iter__, tuple: tuple.__iter__, set: set.__iter__, frozenset: frozenset.__iter__, dict: dict.items,
    }  # fmt: skip

    def leaf(kind: type, value: Any, spent: list[int]) -> Tree:
        if kind is integer:
            if -exact < value < exact:
                return value
            spent[0] += bits(value) // 4
            too_much(spent)
            return ["i", hexadecimal(value, "x")]
        if kind is real:
            return value if finite(value) else ["f", text_of(value)]
        if kind is imaginary:
            return ["c", leaf(real, value.real, spent), leaf(real, value.imag, spent)]
        spent[0] += size(value)
        too_much(spent)
        return value if kind is text else ["b", decode(value, "latin-1")]

    def walk(value: Any, depth: int, spent: list[int]) -> Tree:
        spent[0] += 8
        own = type_of(value)
        if value is None or own is boolean:
            return value
        kind = own if own in contents else some((base for base in bases_of(own) if base in contents), None)
        if kind is None or (kind is raw and kind is not own):
            return ["o", name_of(own)[:100]]
        inside = contents[kind](value)
        if kind not in heads and kind is not mapping:
            return leaf(kind, value if kind is raw else inside, spent)
        if depth >= deepest:
            return ["o", "nested too deep"]
        too_much(spent)
        if kind is mapping:
            return ["d", *[walk(part, depth + 1, spent) for item in inside for part in item]]
        return [heads[kind], *[walk(part, depth + 1, spent) for part in inside]]

    def too_much(spent: list[int]) -> None:
        if spent[0] > most:
            raise too_large

    def tree(value: object) -> Tree:
        """The tree of a value; opaque where its type is none of the plain builtins, or it is too large."""
        try:
            return walk(value, 0, [0])
        except too_large:
            return ["o", name_of(type_of(value)) + " too large to leave"]

    return tree


tree = _make_tree()


@lru_cache(maxsize=4096)
def literal_tree(text: str) -> str:
    """The tree, as JSON text, of a trusted literal such as `[1, 2.5]`, `set()` or `float('inf')`."""
    import ast  # outside only: in a fork it would be weight

    wide = {"set()": set(), "frozenset()": frozenset(), "float('inf')": math.inf, "float('-inf')": -math.inf}
    value = wide[text] if text in wide else ast.literal_eval(text)
    return json.dumps(tree(value))


def _parts(node: Tree, head: str) -> Iterator[Tree]:
    if head == "d" and len(node) % 2 == 0:
        raise MalformedWire("A dict with a key and no value.")
    yield from node[1:]


def _number(node: Tree) -> int | float | complex | None:
    """The number a leaf stands for, or None where it is no number; True counts as 1, as it does for Python."""
    if isinstance(node, int | float):
        return node
    if isinstance(node, list) and len(node) == 2 and node[0] in ("i", "f") and isinstance(node[1], str):
        try:
            return int(node[1], 16) if node[0] == "i" else float(node[1])
        except ValueError:
            raise MalformedWire(f"Not a number: {node[1][:40]!r}.") from None
    if isinstance(node, list) and len(node) == 3 and node[0] == "c":
        real, imaginary = _number(node[1]), _number(node[2])
        if isinstance(real, int | float) and isinstance(imaginary, int | float):
            return complex(real, imaginary)
    return None


def _number_key(value: int | float | complex) -> str:
    if isinstance(value, complex):
        return _number_key(value.real) if not value.imag else f"c{value!r}"
    if isinstance(value, float) and not (math.isfinite(value) and value.is_integer()):
        return f"r{value!r}"
    return f"n{int(value):x}"


def key(node: Tree) -> str:
    """Text that two trees share exactly when Python calls their values equal (and nan equal to itself)."""
    number = _number(node)
    if number is not None:
        return _number_key(number)
    if node is None:
        return "N"
    if isinstance(node, str):
        return "s" + json.dumps(node)
    head = _head(node)
    if head in ("b", "o"):
        return head + json.dumps(node[1])
    parts = [key(part) for part in _parts(node, head)]
    if head == "d":
        parts = sorted(f"{name}:{value}" for name, value in zip(parts[::2], parts[1::2], strict=True))
    elif head in ("s", "z"):
        head, parts = "s", sorted(set(parts))
    return f"{head}({','.join(parts)})"


def _head(node: Tree) -> str:
    if not (isinstance(node, list) and node and node[0] in ("b", "o", "l", "t", "s", "z", "d")):
        raise MalformedWire(f"No value looks like this: {str(node)[:80]}")
    if node[0] in "bo" and not (len(node) == 2 and isinstance(node[1], str)):
        raise MalformedWire(f"No value looks like this: {str(node)[:80]}")
    head: str = node[0]
    return head


def has_opaque(node: Tree) -> bool:
    """Whether some part of the value could not leave."""
    if not isinstance(node, list) or _number(node) is not None:
        return False
    head = _head(node)
    return head == "o" or (head != "b" and any(has_opaque(part) for part in node[1:]))


def show(node: Tree) -> str:
    """The value as a person would write it: Python's repr, sets sorted, opaque parts in angle brackets."""
    number = _number(node)
    if number is not None or node is None or isinstance(node, str):
        return _digits(number) if isinstance(number, int) else repr(number if number is not None else node)
    head = _head(node)
    if head == "b":
        return repr(node[1].encode("latin-1", "replace"))
    if head == "o":
        return f"<{node[1]}>"
    parts = [show(part) for part in _parts(node, head)]
    if head == "d":
        return "{" + ", ".join(f"{k}: {v}" for k, v in zip(parts[::2], parts[1::2], strict=True)) + "}"
    return _bracketed(head, parts if head in "lt" else [show(part) for part in sorted(node[1:], key=_rank)])


def _digits(number: int) -> str:
    # repr of a bool is its word; very long ints exceed the interpreter's limit for decimal text.
    return repr(number) if number.bit_length() < 10_000 else hex(number)


def _rank(node: Tree) -> tuple[int, float, str]:
    number = _number(node)
    if isinstance(number, float) or (isinstance(number, int) and number.bit_length() < 1000):
        return 0, number, ""
    return 1, 0.0, show(node)


def _bracketed(head: str, parts: list[str]) -> str:
    inside = ", ".join(parts)
    if head == "l":
        return f"[{inside}]"
    if head == "t":
        return f"({inside},)" if len(parts) == 1 else f"({inside})"
    plain = f"{{{inside}}}" if parts else "set()"
    return plain if head == "s" else f"frozenset({plain if parts else ''})"


def close(one: Tree, other: Tree, tolerance: float) -> bool:
    """Whether two trees are equal but for numbers, which may differ by `tolerance`, absolute or relative."""
    left, right = _number(one), _number(other)
    if left is not None and right is not None:
        if isinstance(left, complex) or isinstance(right, complex):
            return abs(left - right) <= tolerance
        try:
            return math.isclose(left, right, rel_tol=tolerance, abs_tol=tolerance)
        except OverflowError:
            return left == right
    if not (isinstance(one, list) and isinstance(other, list)) or one[:1] != other[:1] or len(one) != len(other):
        return key(one) == key(other)
    if _head(one) not in "ltd":
        return key(one) == key(other)
    return all(close(a, b, tolerance) for a, b in zip(one[1:], other[1:], strict=True))


def value(node: Tree) -> Any:
    """The value of a tree, for use inside the sandbox only: hostile hashes slow the caller."""
    number = _number(node)
    if number is not None or node is None or isinstance(node, str):
        return node if isinstance(node, bool) else (number if number is not None else node)
    head = _head(node)
    if head == "o":
        raise MalformedWire(f"An opaque value has no value here: {node[1][:80]}")
    if head == "b":
        return node[1].encode("latin-1")
    parts = [value(part) for part in _parts(node, head)]
    if head == "d":
        return dict(zip(parts[::2], parts[1::2], strict=True))
    return {"l": list, "t": tuple, "s": set, "z": frozenset}[head](parts)
