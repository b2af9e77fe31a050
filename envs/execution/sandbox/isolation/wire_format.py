"""Values as they leave a contained program: a tree of JSON lists that names exact builtin types, and nothing else.

`tree` runs beside the untrusted program: it decides by the C-level type, calls no method a program can
define, and holds its own references to the builtins it needs. An instance of a subclass (a Counter, a named
tuple, a list with an `__eq__` of its own) counts as the builtin content it has. The rest runs outside on trees that
may be hostile: `check` refuses what no value within the limits has, before anything else reads it; what follows visits
each node once, builds no set or dict from the nodes (colliding hashes would cost the reader) and never
evaluates text.

A tree is null, a bool, an int below 2**53, a finite float, a str, or a list whose head says what it is: `i` a
big int (hexadecimal), `f` nan and infinities, `c` complex, `b` bytes, `l` list, `t` tuple, `s` set, `z`
frozenset, `d` dict (keys and values in turn), `o` opaque: the name of a type that has no tree, or the reason.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from itertools import groupby
from typing import Any

from envs.bounded_cache import MIB, bounded_cache
from envs.execution.sandbox.isolation.message_fields import MalformedMessage
from envs.execution.sandbox.isolation.message_fields import text as message_text

Tree = Any
"""JSON as parsed; `Any` ends at this file's functions, which check each node."""

MOST_CHARACTERS = 256 << 10
"""Characters of the strings, bytes and long integers of a value, beyond which it does not leave."""
MOST_NODES = 128 << 10
"""Values inside a value, itself included, beyond which it does not leave; a container counts `_CONTAINER_NODES`."""
_CONTAINER_NODES = 4
_DEEPEST = 60
_EXACT_INT = 1 << 53
_HEADS: dict[type, str] = {list: "l", tuple: "t", set: "s", frozenset: "z"}


class MalformedWire(MalformedMessage):
    """A tree that no value has: what a program wrote to the result pipe by itself."""


class _TooLarge(Exception):
    """The value has more text than may leave."""


def _make_leaf() -> tuple[Callable[[type, Any, list[int]], Tree], Callable[[str, list[int]], Tree]]:
    """The functions for values without parts, and for values of which only a reason leaves."""
    # Closure cells instead of globals, here and below: a program that patches `builtins` does not change what these
    # names mean.
    size, finite, exact, too_large = len, math.isfinite, _EXACT_INT, _TooLarge
    hexadecimal, bits, decode, text_of = int.__format__, int.bit_length, bytes.decode, float.__repr__
    integer, real, text, imaginary = int, float, str, complex

    def leaf(kind: type, value: Any, left: list[int]) -> Tree:
        if kind is integer:
            if -exact < value < exact:
                return value
            spend(left, bits(value) // 4 + 2)  # with a sign
            return ["i", hexadecimal(value, "x")]
        if kind is real:
            return value if finite(value) else ["f", text_of(value)]
        if kind is imaginary:
            return ["c", leaf(real, value.real, left), leaf(real, value.imag, left)]
        spend(left, size(value))
        return value if kind is text else ["b", decode(value, "latin-1")]

    def opaque(reason: str, left: list[int]) -> Tree:
        spend(left, size(reason))
        return ["o", reason]

    def spend(left: list[int], characters: int) -> None:
        left[0] -= characters
        if left[0] < 0:
            raise too_large

    return leaf, opaque


def _make_tree() -> Callable[[object], Tree]:
    leaf, opaque = _make_leaf()
    type_of, some, raw, boolean, mapping = type, next, bytes, bool, dict
    name_of, bases_of = type.__dict__["__name__"].__get__, type.__dict__["__mro__"].__get__
    heads, deepest, too_large = _HEADS.copy(), _DEEPEST, _TooLarge
    most_characters, most_nodes, more_nodes = MOST_CHARACTERS, MOST_NODES, _CONTAINER_NODES - 1
    contents: dict[type, Callable[[Any], Any]] = {
        int: int.__pos__, float: float.__pos__, complex: complex.__pos__, str: str.__str__, bytes: bytes.__iter__,
        list: list.__iter__, tuple: tuple.__iter__, set: set.__iter__, frozenset: frozenset.__iter__, dict: dict.items,
    }  # fmt: skip

    def walk(value: Any, depth: int, left: list[int]) -> Tree:
        left[1] -= 1
        if left[1] < 0:
            raise too_large
        own = type_of(value)
        if value is None or own is boolean:
            return value
        kind = own if own in contents else some((base for base in bases_of(own) if base in contents), None)
        if kind is None or (kind is raw and kind is not own):
            return opaque(name_of(own)[:100], left)
        inside = contents[kind](value)
        if kind not in heads and kind is not mapping:
            return leaf(kind, value if kind is raw else inside, left)
        if depth >= deepest:
            return opaque("nested too deep", left)
        left[1] -= more_nodes
        if left[1] < 0:
            raise too_large
        if kind is mapping:
            return ["d", *[walk(part, depth + 1, left) for item in inside for part in item]]
        return [heads[kind], *[walk(part, depth + 1, left) for part in inside]]

    def tree(value: object) -> Tree:
        """The tree of a value; opaque where its type is none of the plain builtins, or it is too large."""
        try:
            return walk(value, 0, [most_characters, most_nodes])
        except too_large:
            return ["o", name_of(type_of(value))[:100] + " too large to leave"]

    return tree


tree = _make_tree()


@bounded_cache(8 * MIB, per_character=4)
def literal_tree(text: str) -> str:
    """The tree, as JSON text, of a trusted literal such as `[1, 2.5]`, `set()` or `float('inf')`."""
    import ast  # outside only: in a fork it would be weight

    wide = {"set()": set(), "frozenset()": frozenset(), "float('inf')": math.inf, "float('-inf')": -math.inf}
    value = wide[text] if text in wide else ast.literal_eval(text)
    return json.dumps(tree(value))


_CONTAINERS = frozenset("ltszd")
_HEXADECIMAL = re.compile("-?[0-9a-f]+")


def check(node: Tree) -> None:
    """Raise MalformedWire unless this is the tree of some value within the limits; the functions below rely on it."""
    characters, nodes = MOST_CHARACTERS, MOST_NODES
    pending = [(node, 0)]
    while pending:
        part, depth = pending.pop()
        characters -= _characters(part)
        is_container = isinstance(part, list) and part[0] in _CONTAINERS
        inside = part[1:] if is_container else ()
        nodes -= _CONTAINER_NODES if is_container else 1
        if characters < 0 or len(pending) + len(inside) > nodes or (inside and depth >= _DEEPEST):
            raise MalformedWire("a value larger, or nested deeper, than any that leaves")
        pending += [(item, depth + 1) for item in inside]


def _characters(node: Tree) -> int:
    """The characters that a node counts by itself; MalformedWire for a node that no value has."""
    match node:
        case None | bool():
            return 0
        case str():
            return len(node)
        case int() if -_EXACT_INT < node < _EXACT_INT:
            return 0
        case ["i", str(digits)] if _HEXADECIMAL.fullmatch(digits):
            return len(digits)
        case ["c", real, imaginary] if _is_float(real) and _is_float(imaginary):
            return 0
        case ["b", str(text)] if text.isascii() or max(text) <= "\xff":
            return len(text)
        case ["o", str(text)]:
            return len(text)
        case [str(head), *rest] if head in _CONTAINERS and (head != "d" or len(rest) % 2 == 0):
            return 0
    if _is_float(node):
        return 0
    raise MalformedWire("a tree that no value has")


def _is_float(node: Tree) -> bool:
    return math.isfinite(node) if isinstance(node, float) else node in (["f", "nan"], ["f", "inf"], ["f", "-inf"])


def _number(node: Tree) -> int | float | complex | None:
    """The number a leaf stands for, or None where it is no number; True counts as 1, as it does for Python."""
    if isinstance(node, int | float):
        return node
    match node:
        case ["i", digits]:
            return int(digits, 16)
        case ["f", name]:
            return float(name)
        case ["c", real, imaginary]:
            return complex(_number(real) or 0.0, _number(imaginary) or 0.0)
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
    head: str = node[0]
    if head in ("b", "o"):
        return head + json.dumps(node[1])
    parts = [key(part) for part in node[1:]]
    if head == "d":
        parts = sorted(f"{name}:{value}" for name, value in zip(parts[::2], parts[1::2], strict=True))
    elif head in ("s", "z"):
        head, parts = "s", [text for text, _ in groupby(sorted(parts))]
    return f"{head}({','.join(parts)})"


def has_opaque(node: Tree) -> bool:
    """Whether some part of the value could not leave."""
    if not isinstance(node, list):
        return False
    return node[0] == "o" or (node[0] in _CONTAINERS and any(has_opaque(part) for part in node[1:]))


def show(node: Tree) -> str:
    """The value as a person would write it: Python's repr, sets sorted, opaque parts in angle brackets."""
    number = _number(node)
    if number is not None or node is None or isinstance(node, str):
        return _digits(number) if isinstance(number, int) else repr(number if number is not None else node)
    head = node[0]
    if head == "b":
        return repr(node[1].encode("latin-1"))
    if head == "o":
        return f"<{message_text(node[1])}>"
    parts = [show(part) for part in node[1:]]
    if head == "d":
        return "{" + ", ".join(f"{k}: {v}" for k, v in zip(parts[::2], parts[1::2], strict=True)) + "}"
    if head in "sz":
        parts = [
            part for _, part in sorted((_rank(item, part), part) for item, part in zip(node[1:], parts, strict=True))
        ]
    return _bracketed(head, parts)


def _digits(number: int) -> str:
    # repr of a bool is its word; very long ints exceed the interpreter's limit for decimal text.
    return repr(number) if number.bit_length() < 10_000 else hex(number)


def _rank(node: Tree, shown: str) -> tuple[int, float, str]:
    """Numbers come first, by size; then the rest, by text."""
    number = _number(node)
    is_short = isinstance(number, float) or (isinstance(number, int) and number.bit_length() < 1000)
    return (0, number, "") if is_short and number == number else (1, 0.0, shown)  # type: ignore[return-value]


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
        return _is_close(left, right, tolerance)
    if not (isinstance(one, list) and isinstance(other, list)) or one[0] != other[0] or len(one) != len(other):
        return key(one) == key(other)
    if one[0] not in "ltd":
        return key(one) == key(other)
    if one[0] == "d" and key(["s", *one[1::2]]) == key(["s", *other[1::2]]):
        one, other = _by_key(one), _by_key(other)
    return all(close(a, b, tolerance) for a, b in zip(one[1:], other[1:], strict=True))


def _is_close(left: int | float | complex, right: int | float | complex, tolerance: float) -> bool:
    try:
        if isinstance(left, complex) or isinstance(right, complex):
            return abs(left - right) <= tolerance
        return math.isclose(left, right, rel_tol=tolerance, abs_tol=tolerance)
    except OverflowError:  # an integer beyond every float
        return left == right


def _by_key(node: Tree) -> Tree:
    """A dict's tree with its entries in the order of their keys."""
    entries = sorted(zip(node[1::2], node[2::2], strict=True), key=lambda entry: key(entry[0]))
    return ["d", *(part for entry in entries for part in entry)]


def value(node: Tree) -> Any:
    """The value of a tree, for use inside the sandbox only: hostile hashes slow the caller."""
    number = _number(node)
    if number is not None or node is None or isinstance(node, str):
        return node if isinstance(node, bool) else (number if number is not None else node)
    head = node[0]
    if head == "o":
        raise MalformedWire(f"An opaque value has no value here: {node[1][:80]}")
    if head == "b":
        return node[1].encode("latin-1")
    parts = [value(part) for part in node[1:]]
    if head == "d":
        return dict(zip(parts[::2], parts[1::2], strict=True))
    return {"l": list, "t": tuple, "s": set, "z": frozenset}[head](parts)
