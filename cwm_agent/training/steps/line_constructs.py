"""Names of constructs: what a line of a decomposed program does, as `+ int`, `str.split`, `for`, `compare in list`.

Evaluation reports by these names, and sources weight examples by them. Knows syntax and the text of values only.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence

from envs.editing.operator_text import BINARY, COMPARISONS
from envs.execution.state.frames import Frame, HeapText
from envs.execution.state.value_grammar import label_of

_OPERATORS: dict[type[ast.AST], str] = {
    **BINARY, **COMPARISONS, ast.Not: "not", ast.USub: "negative", ast.Invert: "~", ast.UAdd: "positive",
}  # fmt: skip
TRIVIAL = frozenset({"constant", "iter", "for", "+ int constant", "compare int constant", "empty"})
"""Constructs that occur everywhere; sources keep few of them."""


def construct(node: ast.AST, kinds: Mapping[str, str]) -> str:
    """The construct of a statement, with the type of its operand where that matters."""
    match node:
        case ast.Assign(targets=[ast.Name()], value=value) | ast.Expr(value=value):
            return _expression(value, kinds)
        case ast.Assign(targets=[ast.Subscript()]):
            return f"store {_kind(node.targets[0].value, kinds)}"  # type: ignore[attr-defined]
        case ast.Assign():
            return "unpack" if len(node.targets) == 1 and isinstance(node.value, ast.Name) else "swap"
        case ast.AugAssign(target=target, op=operator):
            return f"{_OPERATORS.get(type(operator), '?')}= {_kind(target, kinds)}"
        case _:
            return type(node).__name__.lower()


def _expression(value: ast.expr, kinds: Mapping[str, str]) -> str:
    match value:
        case ast.Constant():
            return "constant"
        case ast.List() | ast.Dict() | ast.Set() | ast.Tuple():
            parts: Sequence[object] = value.keys if isinstance(value, ast.Dict) else value.elts
            return f"{type(value).__name__.lower()} display" if parts else "empty"
        case ast.BinOp(left=left, op=operator, right=right):
            constant = (
                " constant" if isinstance(right, ast.Constant) and isinstance(operator, ast.Add | ast.Sub) else ""
            )
            return f"{_OPERATORS.get(type(operator), '?')} {_kind(left, kinds)}{constant}"
        case ast.UnaryOp(op=operator, operand=operand):
            return "constant" if isinstance(operand, ast.Constant) else f"{_OPERATORS.get(type(operator), '?')}"
        case ast.Compare():
            return _comparison(value, kinds)
        case ast.Call():
            return _call(value, kinds)
        case ast.Subscript(value=held, slice=index):
            return f"{'slice' if isinstance(index, ast.Slice) else 'item'} {_kind(held, kinds)}"
        case _:
            return type(value).__name__.lower()


def _comparison(value: ast.Compare, kinds: Mapping[str, str]) -> str:
    operator, right = value.ops[0], value.comparators[0]
    if isinstance(operator, ast.In | ast.NotIn):
        return f"compare {_OPERATORS[type(operator)]} {_kind(right, kinds)}"
    kind = _kind(value.left, kinds)
    constant = " constant" if kind == "int" and isinstance(right, ast.Constant) else ""
    return f"compare {kind}{constant}"


def _call(value: ast.Call, kinds: Mapping[str, str]) -> str:
    match value.func:
        case ast.Name(id=name):
            if "." in kinds.get(name, ""):
                return kinds[name]
            told_apart = name in ("len", "sorted", "list", "str", "set") and value.args
            return f"{name} {_kind(value.args[0], kinds)}" if told_apart else name
        case ast.Attribute(value=held, attr=attribute):
            return f"{_kind(held, kinds)}.{attribute}"
        case _:
            return "call"


def _kind(value: ast.expr, kinds: Mapping[str, str]) -> str:
    match value:
        case ast.Name(id=name):
            return kinds.get(name, name)
        case ast.Constant(value=constant):
            return type(constant).__name__
        case ast.Subscript(value=held):
            return _kind(held, kinds)
        case _:
            return type(value).__name__.lower()


class ConstructKinds(Mapping[str, str]):
    """Types of the variables of a frame by name, inferred from the text of their values."""

    def __init__(self, frame: Frame) -> None:
        self._locals = frame.locals
        self._heap = frame.heap

    def __getitem__(self, name: str) -> str:
        for held, text in self._locals:
            if held == name:
                return _type(text, self._heap)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._locals)

    def __len__(self) -> int:
        return len(self._locals)


def _type(text: str, heap: HeapText) -> str:
    label = label_of(text)
    if label is not None:
        return _container(dict(heap)[label])
    first = text[:1]
    if first in "'\"":
        return "str" if text[-1] == first else f"str.{text.rpartition('.')[2]}"
    if first.isdigit() or first == "-":
        return "float" if "." in text else "int"
    if first == "#":
        return f"{_container(dict(heap)[int(text[1:].partition('.')[0])])}.{text.rpartition('.')[2]}"
    return {"T": "bool", "F": "bool", "N": "None", "(": "tuple"}.get(first, text.partition("(")[0])


def _container(content: str) -> str:
    if content.startswith("["):
        return "list"
    if content.startswith("cell("):
        return "cell"
    if content.startswith("{"):
        return "dict" if ": " in content or content == "{}" else "set"
    return content.partition("(")[0]
