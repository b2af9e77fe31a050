"""Names under which generator functions are called that were passed on: what decorators make of them, and parameters.

    def logged(func):                   `func` is a generator function, as a call gives it one;
        def inner(*given):              so is `inner`, which returns what that gives,
            return func(*given)         and `count`, which holds what `logged` returns
        return inner
    count = logged(numbers)

A name counts wherever it occurs, so this says which functions may give generators, not which do. Knows only syntax.
"""

import ast
from collections.abc import Collection, Iterator, Sequence

from envs.execution.syntax.program_structure import children_of

_ROUNDS = 4
"""How often a function is followed from one name to the next."""


def passed_generators(nodes: Sequence[ast.AST], lazy: Collection[str]) -> frozenset[str]:
    """The names of the generator functions, and of what may be one of them, or an inner function that returns its."""
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    if not any(_name(each) in lazy for call in calls for each in _given(call)):
        return frozenset(lazy)
    flow = _Flow(nodes, lazy)
    for _ in range(_ROUNDS):
        before = len(flow.lazy)
        for call in calls:
            flow.pass_on(call)
        flow.follow()
        if len(flow.lazy) == before:
            break
    return frozenset(flow.lazy)


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(word.value for word in call.keywords)]


def _name(node: ast.expr) -> str:
    """The name of a function or a method; empty for any other expression."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


class _Flow:
    """What is known so far."""

    def __init__(self, nodes: Sequence[ast.AST], lazy: Collection[str]) -> None:
        self.lazy = set(lazy)
        self._functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
        self._returned = {node.name: list(_returned(node)) for node in self._functions}
        inside = [part for node in self._functions for part in _own_statements(node)]
        self._inner = {part.name for part in inside if isinstance(part, ast.FunctionDef)}
        """Names of functions inside others: what a decorator returns. One of the module may return other things too."""
        self._assigned = [node for node in nodes if isinstance(node, ast.Assign)]

    def pass_on(self, call: ast.Call) -> None:
        """Let the parameters of a function have the generator functions that a call gives them."""
        if not any(map(self._is_lazy, _given(call))):
            return
        called = set(self._called(call.func))
        for node in self._functions:
            if node.name in called:
                names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
                for places in (names, names[1:]):  # of a method, the object stands before them
                    self.lazy |= {name for name, value in zip(places, call.args, strict=False) if self._is_lazy(value)}
                self.lazy |= {word.arg for word in call.keywords if word.arg in names and self._is_lazy(word.value)}

    def follow(self) -> None:
        """Let functions be lazy that return what a lazy one gives, and names that hold a lazy one."""
        for name, values in self._returned.items():
            if name in self._inner and any(
                isinstance(each, ast.Call) and _name(each.func) in self.lazy for each in values
            ):
                self.lazy.add(name)
        for node in self._assigned:
            if self._is_lazy(node.value):
                self.lazy |= {_name(target) for target in node.targets} - {""}

    def _is_lazy(self, node: ast.expr) -> bool:
        """Whether an expression may be a generator function: a name of one, or what a decorator makes of one."""
        if isinstance(node, ast.Call):
            made = [each for name in self._called(node.func) for each in self._returned.get(name, ())]
            return any(map(self._is_lazy, node.args)) and any(_name(each) in self.lazy for each in made)
        return _name(node) in self.lazy

    def _called(self, node: ast.expr) -> Iterator[str]:
        """The names of the functions that an expression may be: of a call, those that it returns."""
        if isinstance(node, ast.Call):
            for name in self._called(node.func):
                yield from (_name(each) for each in self._returned.get(name, ()))
            return
        yield _name(node)
        for each in self._assigned:
            if isinstance(each.value, ast.Name) and any(_name(target) == _name(node) for target in each.targets):
                yield each.value.id


def _returned(node: ast.FunctionDef) -> Iterator[ast.expr]:
    """What the function's own `return`s give: an expression, or what the function binds the returned name to."""
    own = list(_own_statements(node))
    for each in own:
        if isinstance(each, ast.Return) and each.value is not None:
            yield each.value
            name = _name(each.value)
            yield from (other.value for other in own if isinstance(other, ast.Assign) and _binds(other, name))


def _binds(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)


def _own_statements(node: ast.FunctionDef) -> Iterator[ast.AST]:
    """The statements of a function, those of inner functions and classes left out."""
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        each = waiting.pop()
        yield each
        if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            waiting += children_of(each)
