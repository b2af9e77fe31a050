"""What Python says where no operand knows an operator: the last word is that of a sequence among them.

    "x" + thing      can only concatenate str (not "Thing") to str
    thing * "x"      can't multiply sequence by non-int of type 'Thing'
    thing - "x"      unsupported operand type(s) for -: 'Thing' and 'str'

Knows names of types and which methods a class of the program has.
"""

import ast
from collections.abc import Sequence

from envs.execution.state.value_grammar import Unsupported
from envs.execution.syntax.classes.own_classes import OwnClasses
from envs.execution.syntax.classes.value_bases import VALUE_BASES

SIGNS: dict[type[ast.operator] | type[ast.cmpop], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.MatMult: "@",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.Pow: "** or pow()",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_JOINED = {"str": "str", "list": "list", "tuple": "tuple", "collections.deque": "deque"}
_BYTES = frozenset({"bytes", "bytearray"})
_SEQUENCES = frozenset({*_JOINED, *_BYTES})
_EXTENDED = frozenset({"list", "collections.deque"})
"""Sequences whose `+=` goes through what it is given."""


def refusal(op: ast.operator, kinds: Sequence[str], classes: OwnClasses, *, in_place: bool) -> str:
    """The message of the TypeError for operands of these types, of which at least one is a class of the program."""
    left, right = kinds
    if any(classes.classes.get(each) is not None and classes[each].container in VALUE_BASES for each in kinds):
        raise Unsupported("an operator of a value that a class derives from")
    if isinstance(op, ast.Add | ast.Mult):
        if any(classes.classes.get(each) is not None and classes[each].container for each in kinds):
            raise Unsupported("an operator of a container that a class derives from")
        found = _repeated(left, right, classes, in_place) if isinstance(op, ast.Mult) else None
        if isinstance(op, ast.Add) and left in _SEQUENCES:
            found = _joined(left, right, classes, in_place)
        if found:
            return found
    sign = SIGNS[type(op)]
    if in_place:
        sign = "**=" if isinstance(op, ast.Pow) else f"{sign}="
    return f"unsupported operand type(s) for {sign}: {left!r} and {right!r}"


def _joined(left: str, right: str, classes: OwnClasses, in_place: bool) -> str:
    if in_place and left in _EXTENDED:
        if any(_has(classes, right, name) for name in ("__iter__", "__getitem__")):
            raise Unsupported("an object of the program that a sequence is extended by")
        return f"{right!r} object is not iterable"
    if left in _BYTES:
        return f"can't concat {right} to {left}"
    return f'can only concatenate {_JOINED[left]} (not "{right}") to {_JOINED[left]}'


def _has(classes: OwnClasses, kind: str, method: str) -> bool:
    return kind in classes.classes and classes.find(kind, method) is not None


def _repeated(left: str, right: str, classes: OwnClasses, in_place: bool) -> str | None:
    """Where one side is a sequence; of two sides the left one, and in place no other."""
    sides = [(left, right)] if in_place else [(left, right), (right, left)]
    for sequence, times in sides:
        if sequence in _SEQUENCES:
            if _has(classes, times, "__index__"):
                raise Unsupported("an object of the program that says how often a sequence is repeated")
            return f"can't multiply sequence by non-int of type {times!r}"
    return None
