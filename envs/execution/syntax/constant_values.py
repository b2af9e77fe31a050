"""What a default stands for where the program's text tells it: `LIMIT`, `60 * 60`, `float("inf")`, `Color.RED`, `len`.

A name counts if one plain assignment of the module binds it, and nothing else in the program does; so do functions and
classes of the module and builtins. Values that can change are left out: what they are only a frame tells.
"""

import ast
import builtins
import operator
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache

from envs.execution.syntax.bindings import binds
from envs.execution.syntax.classes.library_classes import library_classes
from envs.execution.syntax.program_structure import nodes_of_program

_PLAIN = (int, float, str, bytes, bool, type(None))
_OPERATORS: Mapping[type[ast.operator], Callable[[int | float, int | float], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_LARGEST = 1 << 40
"""Of what is computed here."""


_LONGEST = 400
"""Characters of a text that is repeated here."""


class _Unknown(ValueError):
    """An expression whose value the text does not tell."""


class ConstantValues:
    """The constants of one program."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._assigned = dict(_assignments(tree))
        self._defined = {
            node.name: node.lineno
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and all(map(_keeps_class, node.decorator_list))
        }
        self._imports_math = any(
            isinstance(node, ast.Import) and any(each.name == "math" and not each.asname for each in node.names)
            for node in tree.body
        )
        self._enums = library_classes(tree).enums

    @cached_property
    def _times(self) -> Counter[str]:
        """How often the program binds each name; most candidates of a repair are never asked for a constant."""
        return Counter(name for node in nodes_of_program(self._tree) for name in _bound(node))

    def text(self, node: ast.expr) -> str | None:
        """The text of a value as a frame shows it; None where the program's text does not tell it."""
        match node:
            case ast.Name(id=name) if self._defined_once(name, node.lineno) or self._is_builtin(name):
                return name
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner in self._enums:
                facts = self._enums[owner]
                return f"{owner}({name!r}, {facts.members[name]})" if name in facts.members else None
        try:
            return repr(self._value(node, 0))
        except (_Unknown, ArithmeticError, TypeError):
            return None

    def _defined_once(self, name: str, line: int) -> bool:
        """Whether a name means a function or class of the module; in front of it one of Python's own may have it."""
        if name not in self._defined or self._times[name] != 1:
            return False
        return self._defined[name] < line or not hasattr(builtins, name)

    def _is_builtin(self, name: str) -> bool:
        return not self._times[name] and callable(getattr(builtins, name, None))

    def _value(self, node: ast.expr, depth: int) -> object:
        match node:
            case ast.Constant(value=value) if isinstance(value, _PLAIN):
                return value
            case ast.Tuple(elts=parts):
                return tuple([self._value(each, depth) for each in parts])
            case ast.Name(id=name) if name in self._assigned and self._times[name] == 1 and depth < 5:
                return self._value(self._assigned[name], depth + 1)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -self._number(inner, depth)
            case ast.BinOp(left=left, op=ast.Mult(), right=ast.Constant(value=int(count))) if _is_text(left):
                if count * len(text := str(self._value(left, depth))) <= _LONGEST:
                    return text * count
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _small(_OPERATORS[type(op)](self._number(left, depth), self._number(right, depth)))
            case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=("inf" | "-inf" | "Infinity") as text)]):
                if not node.keywords and not self._times["float"]:
                    return float(str(text))
            case ast.Attribute(value=ast.Name(id="math"), attr="inf"):
                if self._imports_math and self._times["math"] == 1:
                    return float("inf")
        raise _Unknown

    def _number(self, node: ast.expr, depth: int) -> int | float:
        value = self._value(node, depth)
        if type(value) is int or type(value) is float:
            return value
        raise _Unknown


def _keeps_class(decorator: ast.expr) -> bool:
    """Whether what a decorator gives is still the class of that name."""
    named = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(named).rpartition(".")[2] in ("dataclass", "total_ordering", "unique")


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _small(value: object) -> object:
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise _Unknown
    return value


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield from () if isinstance(node.ctx, ast.Load) else (node.id,)
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    else:
        yield from binds(node)


def _assignments(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value


@lru_cache(maxsize=64)
def constant_values(tree: ast.Module) -> ConstantValues:
    """The constants of a parsed program, found once."""
    return ConstantValues(tree)
