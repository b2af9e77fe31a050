"""What a statement would change of a state: whether it gives a variable, an item or a field another value.

Nothing runs. Assignments are compared with what their target holds, methods that change a list, a set or a dict with
what it holds, and a statement that leaves its block always makes a difference. Whatever else a statement does makes
its effect `Unknown`.
"""

import ast
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final

from cwm_agent.agent.repair.evidence.expression_value import Change, Error, RaisedError, Valued, value_or_error
from cwm_agent.agent.repair.evidence.run_state import Instance, RunState, Unknown

_SEQUENCES: Final = (list, deque)
_EFFECTS: Final[Mapping[str, Callable[..., bool]]] = {
    "append": lambda holder, _: _of(holder, _SEQUENCES),
    "appendleft": lambda holder, _: _of(holder, (deque,)),
    "insert": lambda holder, _place, _item: _of(holder, _SEQUENCES),
    "extend": lambda holder, items: _of(holder, _SEQUENCES) and len(items) > 0,
    "clear": lambda holder: _of(holder, (*_SEQUENCES, set, dict)) and len(holder) > 0,
    "reverse": lambda holder: _of(holder, _SEQUENCES) and list(holder) != list(holder)[::-1],
    "sort": lambda holder: _of(holder, (list,)) and holder != sorted(holder),
    "add": lambda holder, item: _of(holder, (set,)) and item not in holder,
    "discard": lambda holder, item: _of(holder, (set,)) and item in holder,
}
"""Whether a method changes the object that it is called on."""
_TAKING: Final[Mapping[str, Callable[..., object]]] = {
    "pop": lambda holder, *place: _copy(holder).pop(*place),
    "popleft": lambda holder: _copy(holder).popleft(),
    "remove": lambda holder, item: _copy(holder).remove(item),
}
"""Methods that take something away, and raise where it is not there."""


def effect(statement: ast.stmt, state: RunState) -> Change:
    """What a simple statement, or one under a condition, makes of a state; raises `Unknown`."""
    match statement:
        case ast.Return() | ast.Continue() | ast.Break() | ast.Raise():
            return Change.OTHER
        case ast.Pass():
            return Change.NONE
        case ast.Assign(targets=[target], value=value):
            return _assigned(target, value, state)
        case ast.AugAssign(target=target):
            return _assigned(target, statement, state)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=holder, attr=name), args=given, keywords=[])):
            return _called(holder, name, given, state)
        case ast.If(test=test, body=body, orelse=[]):
            return _under(test, body, state)
    raise Unknown


def _assigned(target: ast.expr, value: Valued, state: RunState) -> Change:
    found = value_or_error(value, state)
    if isinstance(found, RaisedError):
        return Change.ERROR
    match target:
        case ast.Name(id=name) if name not in state.texts:
            return Change.OTHER
        case ast.Name() | ast.Attribute():
            held = value_or_error(target, state)
        case ast.Subscript(value=holder, slice=ast.expr() as place) if not isinstance(place, ast.Slice):
            held = value_or_error(target, state)
            if isinstance(held, RaisedError):
                return Change.ERROR if held.name == "IndexError" else Change.OTHER
            if _is_missing(value_or_error(holder, state), value_or_error(place, state)):
                return Change.OTHER
        case _:
            raise Unknown
    return Change.NONE if same_value(held, found) else Change.OTHER


def _is_missing(holder: object, key: object) -> bool:
    """Whether a dict has a value for a key that it does not hold, as a Counter does."""
    return isinstance(holder, dict) and key not in holder


def _called(holder: ast.expr, name: str, given: list[ast.expr], state: RunState) -> Change:
    values = [value_or_error(each, state) for each in (holder, *given)]
    if any(isinstance(each, RaisedError) for each in values):
        return Change.ERROR
    if isinstance(values[0], Instance) or name not in {**_EFFECTS, **_TAKING}:
        raise Unknown
    try:
        if name in _EFFECTS:
            return Change.OTHER if _EFFECTS[name](*values) else Change.NONE
        _TAKING[name](*values)
    except Error:
        return Change.ERROR
    return Change.OTHER


def _under(test: ast.expr, body: list[ast.stmt], state: RunState) -> Change:
    holds = value_or_error(test, state)
    if isinstance(holds, RaisedError):
        return Change.ERROR
    if isinstance(holds, Instance):
        raise Unknown
    if not holds:
        return Change.NONE
    changes = (effect(each, state) for each in body)  # up to the first change the state is the same for all
    return next((each for each in changes if each is not Change.NONE), Change.NONE)


def same_value(one: object, other: object) -> bool:
    """Whether two values are of one type and equal; of instances, whether they are one object."""
    if isinstance(one, Instance) or isinstance(other, Instance):
        return one is other
    return type(one) is type(other) and bool(one == other)


def _of(holder: object, kinds: tuple[type, ...]) -> bool:
    if not isinstance(holder, kinds):
        raise TypeError
    return True


def _copy(holder: Any) -> Any:
    _of(holder, (*_SEQUENCES, set, dict))
    return holder.copy()
