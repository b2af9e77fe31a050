"""The values of a real run's variables before a line, read from the texts of its frame when they are asked for.

Plain values and containers become Python values, instances of the program's classes become `Instance`. What cannot be
read raises `Unknown`.
"""

import ast
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from envs.bounded_cache import MIB, bounded_cache
from envs.execution.state.frames import Frame
from envs.execution.state.value_grammar import replace_references

_HOLDERS: Final[Mapping[str, type[Any]]] = {"deque": deque, "Counter": Counter, "OrderedDict": OrderedDict}
_FACTORIES: Final[Mapping[str, Callable[[], object]]] = {
    "bool": bool, "dict": dict, "float": float, "int": int, "list": list, "set": set, "str": str, "tuple": tuple,
}  # fmt: skip
_LONGEST: Final = 4_000
"""Characters of a value's text beyond which it is not read."""


class Unknown(Exception):
    """A value that cannot be read, or an expression that is not calculated here."""


def _unknown(*_: object) -> NoReturn:
    raise Unknown


class Instance:
    """An object of the program: its attributes can be read; how it compares is up to its class, so unknown here."""

    __slots__ = ("_fields", "_state")

    def __init__(self, state: "RunState", fields: Mapping[str, ast.expr]) -> None:
        self._state = state
        self._fields = fields

    def attribute(self, name: str) -> Any:
        """The value of a field; raises `Unknown` for what the class alone knows."""
        if name not in self._fields:
            raise Unknown
        return self._state.built(self._fields[name])

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _unknown
    __hash__ = __bool__ = __len__ = __iter__ = __contains__ = __str__ = __repr__ = _unknown


class Defaults(dict[Any, Any]):
    """A `defaultdict` that a look does not change: what is missing is made anew each time, and not kept."""

    __slots__ = ("_factory",)

    def __init__(self, items: Mapping[Any, Any], factory: Callable[[], object]) -> None:
        super().__init__(items)
        self._factory = factory

    def __missing__(self, key: object) -> object:
        return self._factory()


@dataclass(slots=True, eq=False)
class RunState:
    """The variables that a line sees, by name."""

    texts: Mapping[str, str]
    heap: Mapping[int, str]
    _values: dict[str, object] = field(default_factory=dict)
    _objects: dict[int, object] = field(default_factory=dict)

    @classmethod
    def of_frame(cls, frame: Frame) -> "RunState":
        """The state that a frame shows."""
        return cls({**dict(frame.globals), **dict(frame.locals)}, dict(frame.heap))

    def value(self, name: str) -> Any:
        """The value of a variable; raises `Unknown` where there is none that can be read."""
        if name not in self._values:
            if name not in self.texts:
                raise Unknown
            try:
                self._values[name] = self._read(self.texts[name])
            except (TypeError, ValueError, ArithmeticError):  # such as a set of frozensets, which are read as sets
                raise Unknown from None
        return self._values[name]

    def _read(self, text: str) -> object:
        tree = _tree(text)
        if tree is None:
            raise Unknown
        return self.built(tree)

    def _object(self, label: int) -> object:
        if label not in self._objects:
            self._objects[label] = self._read(self.heap.get(label, "?"))
        return self._objects[label]

    def built(self, node: ast.expr) -> Any:
        """The value of a text that was parsed."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id="inf" | "nan" as name):
                return float(name)
            case ast.Name(id=name) if name.startswith("__at"):
                return self._object(int(name[4:]))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.built(operand)
            case ast.Tuple(elts=items):
                return tuple(map(self.built, items))
            case ast.List(elts=items):
                return list(map(self.built, items))
            case ast.Set(elts=items):
                return set(map(self.built, items))
            case ast.Dict(keys=keys, values=values):
                return {self.built(key or node): self.built(value) for key, value in zip(keys, values, strict=True)}
            case ast.Call(func=ast.Name(id="set" | "frozenset"), args=items):
                return set(self.built(items[0]) if items else ())
            case ast.Call(func=ast.Name(id="range"), args=items):
                return range(*map(self.built, items))
            case ast.Call(func=ast.Name(id="defaultdict"), args=[ast.Constant(value=None), items]):
                return self.built(items)
            case ast.Call(func=ast.Name(id="defaultdict"), args=[factory, items]):
                name = factory.id if isinstance(factory, ast.Name) else ""
                return Defaults(self.built(items), _FACTORIES.get(name, _unknown))
            case ast.Call(func=ast.Name(id=name), args=[items], keywords=[]) if name in _HOLDERS:
                return _HOLDERS[name](self.built(items))
            case ast.Call(func=ast.Name(), args=[], keywords=fields):
                return Instance(self, {each.arg or "": each.value for each in fields})
        raise Unknown


@bounded_cache(32 * MIB, per_character=100)
def _tree(text: str) -> ast.expr | None:
    if len(text) > _LONGEST:
        return None
    try:
        return ast.parse(replace_references(text, lambda label: f"__at{label}"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
