"""The value of an expression on the values of a real run, found without running anything of the program.

Operators, comparisons, subscripts, attributes, comprehensions, and the functions and methods of Python's own values
that change nothing. Whatever else an expression holds makes it `Unknown`.
"""

import ast
import operator
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from cwm_agent.agent.repair.evidence.run_state import Instance, RunState, Unknown

_COMPARISONS: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
}
_OPERATORS: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_UNARY: Final[Mapping[type[ast.unaryop], Callable[[Any], Any]]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "abs": abs, "all": all, "any": any, "bool": bool, "chr": chr, "dict": dict, "divmod": divmod, "float": float,
    "int": int, "len": len, "max": max, "min": min, "ord": ord, "range": range, "round": round, "set": set,
    "sorted": sorted, "sum": sum, "tuple": tuple,
    "enumerate": lambda *given: list(enumerate(*given)),
    "list": list,
    "reversed": lambda given: list(reversed(given)),
    "str": lambda given: str(given) if isinstance(given, str | int | float) else _unknown(),
    "zip": lambda *given: list(zip(*given, strict=False)),
}  # fmt: skip
_METHODS: Final[Mapping[type[Any], frozenset[str]]] = {
    str: frozenset(
        "capitalize casefold count endswith find index isalnum isalpha isdecimal isdigit islower isspace istitle"
        " isupper join lower lstrip partition removeprefix removesuffix replace rfind rindex rpartition rsplit rstrip"
        " split splitlines startswith strip swapcase title upper".split()
    ),
    dict: frozenset(("copy", "get", "items", "keys", "values")),
    list: frozenset(("copy", "count", "index")),
    tuple: frozenset(("count", "index")),
    set: frozenset(
        ("copy", "difference", "intersection", "isdisjoint", "issubset", "issuperset", "symmetric_difference", "union")
    ),
}
_KEYWORDS: Final = frozenset(("default", "reverse", "start"))
_LARGEST: Final = 10**12
"""Numbers beyond this are not calculated with."""
_LONGEST: Final = 2_000
"""Items and characters beyond which a value is not calculated with."""
_MOST_ROUNDS: Final = 500
"""Rounds that all comprehensions of an expression make together."""

Valued = ast.expr | ast.AugAssign
"""What has a value: an update has the one that its target holds afterwards."""
Error = (LookupError, ValueError, ArithmeticError, TypeError, AttributeError)


class Change(Enum):
    """What an edit makes of a value."""

    NONE = "none"
    OTHER = "other"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class RaisedError:
    """In place of a value: what an expression raises."""

    name: str


def value_or_error(node: Valued, state: RunState) -> Any:
    """The value of an expression, or what it raises; raises `Unknown` itself."""
    try:
        return value_of(node, state)
    except Error as error:
        return RaisedError(type(error).__name__)
    except RecursionError:
        raise Unknown from None


def value_of(node: Valued, state: RunState) -> Any:
    """The value of an expression; raises what it raises, or `Unknown`."""
    return _Calculation(state, {}).value(node)


@dataclass(slots=True)
class _Calculation:
    """One expression's value: the variables of a state, and those of comprehensions around."""

    state: RunState
    own: dict[str, object]
    rounds: int = _MOST_ROUNDS
    """Rounds of comprehensions that are left."""

    def value(self, node: Valued) -> Any:
        method = _CASES.get(type(node))
        if method is None:
            raise Unknown
        return method(self, node)

    def constant(self, node: ast.Constant) -> Any:
        return node.value

    def name(self, node: ast.Name) -> Any:
        return self.own[node.id] if node.id in self.own else self.state.value(node.id)

    def unary(self, node: ast.UnaryOp) -> Any:
        return _UNARY[type(node.op)](_small(self.value(node.operand)))

    def bool_op(self, node: ast.BoolOp) -> Any:
        found: Any = None
        for each in node.values:
            found = self.value(each)
            if bool(found) is isinstance(node.op, ast.Or):
                break
        return found

    def compare(self, node: ast.Compare) -> Any:
        left: Any = self.value(node.left)
        for op, each in zip(node.ops, node.comparators, strict=True):
            right = self.value(each)
            if not _COMPARISONS[type(op)](left, right):
                return False
            left = right
        return True

    def binary(self, node: ast.BinOp) -> Any:
        return operated(node.op, self.value(node.left), self.value(node.right))

    def updated(self, node: ast.AugAssign) -> Any:
        """What a target holds after `target op= value`: a list and a deque take the items of any value."""
        held, value = self.value(node.target), self.value(node.value)
        if isinstance(node.op, ast.Add) and isinstance(held, list | deque) and not isinstance(value, Instance):
            value = type(held)(_small(value))
        return operated(node.op, held, value)

    def choice(self, node: ast.IfExp) -> Any:
        return self.value(node.body if self.value(node.test) else node.orelse)

    def subscript(self, node: ast.Subscript) -> Any:
        holder = self.value(node.value)
        if isinstance(holder, Instance):
            raise Unknown
        return holder[self.value(node.slice)]

    def slice(self, node: ast.Slice) -> Any:
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if part is None else self.value(part) for part in parts))

    def attribute(self, node: ast.Attribute) -> Any:
        owner = self.value(node.value)
        if not isinstance(owner, Instance):
            raise Unknown
        return owner.attribute(node.attr)

    def items(self, node: ast.Tuple | ast.List | ast.Set) -> Any:
        found = [self.value(each) for each in node.elts]
        return tuple(found) if isinstance(node, ast.Tuple) else set(found) if isinstance(node, ast.Set) else found

    def dictionary(self, node: ast.Dict) -> Any:
        if None in node.keys:
            raise Unknown
        return {self.value(key): self.value(each) for key, each in zip(node.keys, node.values, strict=True) if key}

    def text(self, node: ast.JoinedStr) -> Any:
        return "".join(str(self.value(each)) for each in node.values)

    def formatted(self, node: ast.FormattedValue) -> Any:
        value = self.value(node.value)
        if node.format_spec or node.conversion != -1 or not isinstance(value, str | int | float):
            raise Unknown
        return str(value)

    def call(self, node: ast.Call) -> Any:
        if any(each.arg not in _KEYWORDS for each in node.keywords):
            raise Unknown
        function = self._function(node.func)
        given = [_small(self.value(each)) for each in node.args]
        return _small(function(*given, **{each.arg or "": self.value(each.value) for each in node.keywords}))

    def _function(self, node: ast.expr) -> Callable[..., Any]:
        if isinstance(node, ast.Name) and node.id in _FUNCTIONS and node.id not in self.state.texts:
            return _FUNCTIONS[node.id]
        if isinstance(node, ast.Attribute):
            owner = self.value(node.value)
            if any(isinstance(owner, kind) and node.attr in names for kind, names in _METHODS.items()):
                found: Callable[..., Any] = getattr(_small(owner), node.attr)
                return found
        raise Unknown

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Any:
        found = [self.value(node.elt) for _ in self._rounds(node.generators)]
        return set(found) if isinstance(node, ast.SetComp) else found

    def dict_comprehension(self, node: ast.DictComp) -> Any:
        return {self.value(node.key): self.value(node.value) for _ in self._rounds(node.generators)}

    def _rounds(self, generators: list[ast.comprehension]) -> Iterator[None]:
        if not generators:
            yield
            return
        before = dict(self.own)
        for item in self.value(generators[0].iter):
            self.rounds -= 1
            if self.rounds < 0:
                raise Unknown
            self._bind(generators[0].target, item)
            if all(self.value(each) for each in generators[0].ifs):
                yield from self._rounds(generators[1:])
        self.own = before

    def _bind(self, target: ast.expr, item: Any) -> None:
        if isinstance(target, ast.Name):
            self.own[target.id] = item
        elif isinstance(target, ast.Tuple):
            for part, each in zip(target.elts, item, strict=True):
                self._bind(part, each)
        else:
            raise Unknown


_CASES: Final[Mapping[type[ast.AST], Callable[[_Calculation, Any], Any]]] = {
    ast.Constant: _Calculation.constant,
    ast.Name: _Calculation.name,
    ast.UnaryOp: _Calculation.unary,
    ast.BoolOp: _Calculation.bool_op,
    ast.Compare: _Calculation.compare,
    ast.BinOp: _Calculation.binary,
    ast.AugAssign: _Calculation.updated,
    ast.IfExp: _Calculation.choice,
    ast.Subscript: _Calculation.subscript,
    ast.Slice: _Calculation.slice,
    ast.Attribute: _Calculation.attribute,
    ast.Tuple: _Calculation.items,
    ast.List: _Calculation.items,
    ast.Set: _Calculation.items,
    ast.Dict: _Calculation.dictionary,
    ast.JoinedStr: _Calculation.text,
    ast.FormattedValue: _Calculation.formatted,
    ast.Call: _Calculation.call,
    ast.ListComp: _Calculation.comprehension,
    ast.SetComp: _Calculation.comprehension,
    ast.GeneratorExp: _Calculation.comprehension,
    ast.DictComp: _Calculation.dict_comprehension,
}


def operated(op: ast.operator, left: Any, right: Any) -> Any:
    """The value of `left op right`."""
    calculate = _OPERATORS.get(type(op))
    if calculate is None or isinstance(left, Instance) or isinstance(right, Instance):
        raise Unknown
    one, two = _small(left), _small(right)
    if isinstance(op, ast.Mult) and not (isinstance(one, int | float) and isinstance(two, int | float)):
        size = len(one) * two if isinstance(two, int) else len(two) * one if isinstance(one, int) else 0
        if size > _LONGEST:
            raise Unknown
    return _small(calculate(one, two))


def _small(value: Any) -> Any:
    if isinstance(value, int | float):
        return value if -_LARGEST < value < _LARGEST else _unknown()
    if isinstance(value, str | list | tuple | set | dict | range) and len(value) > _LONGEST:
        raise Unknown
    return value


def _unknown() -> Any:
    raise Unknown
