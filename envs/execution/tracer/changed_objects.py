"""Which objects a line that ran may have changed, by what its names hold; knows no page text and runs nothing.

Functions of the program are no worry here: one that a line calls puts down its own pages, and of any other the tracer
notices that it ran. What is left is builtin code, which changes no more than what it is given.
"""

import types
from collections import defaultdict
from collections.abc import Mapping, Sequence

from envs.execution.decompose.program import FILENAME
from envs.execution.text.object_renderer import ObjectRenderer
from envs.execution.text.value_writers import CONTENTS, MOVED, SCALARS, VALUES, Waiting
from envs.execution.tracer.heap_update import differing
from envs.execution.tracer.line_transitions import LineWatch
from envs.execution.tracer.live_activations import LiveActivation

Changed = Sequence[object] | None
"""Objects that a line may have changed; None: any object."""
_PLAIN = frozenset({*CONTENTS, *VALUES}) - {map, filter, types.CellType, defaultdict, types.ModuleType, Waiting}
"""Kinds of objects whose use runs no function."""
_PLAIN_PARTS = SCALARS | {list, dict, set, tuple, frozenset, range, types.GetSetDescriptorType}
"""Kinds of class attributes that are no function."""
_READ = frozenset({list, tuple, dict, str, bytes, range})
"""Kinds of objects that do not change when an item is read or when they are taken apart."""
_ORDERING = frozenset({"__lt__", "__gt__"})
"""With these, where an object stands in the text of a set depends on what it holds."""
_UNBOUND = object()


def changed_by(ran: LiveActivation, wild: bool, namespace: Mapping[str, object], page: ObjectRenderer) -> Changed:
    """Objects of the page that the line which the function just ran may have changed.

    `wild`: a function may have run that the line does not name.
    """
    scene, held = ran.scene, ran.held
    watch = scene.watch
    called, ran.called = ran.called, False
    if wild or watch.touches is None:
        return None
    cells = [held[name] for name in scene.rebinds] if scene.rebinds else []
    if called:  # what the function did stands on its own pages
        return cells
    if watch.moves is not None and type(held.get(watch.moves)) in MOVED:
        return [held[watch.moves], *cells]
    if watch.gets is not None:
        if type(held.get(watch.gets)) in _READ:
            return cells
    elif watch.sets is not None:
        value = held.get(watch.sets)
        if type(value) is list:
            return [value, *cells]
    used: list[object] = []
    for name in watch.touches:
        value = held.get(name, _UNBOUND)
        kind = type(value)
        if kind in SCALARS:
            continue
        if kind is types.CellType:
            value = _inside(value)
            kind = type(value)
            if kind in SCALARS:
                continue
        if kind is types.BuiltinMethodType:  # it changes at most what it belongs to and what it is given
            value = value.__self__  # type: ignore[attr-defined]
            kind = type(value)
            if kind in SCALARS:
                continue
        if kind not in _PLAIN:
            itself = _may_change(value, watch, name, page)
            if itself is None:
                return None
            if not itself:
                continue
        used.append(value)
    if watch.reaches:
        reached = _reached(watch, namespace, page)
        if reached is None:
            return None
        used += reached
    if used and page.moving:
        used = differing(page, used, watch.gentle)
    elif watch.gentle:
        return cells
    return used + cells if cells else used


def _reached(watch: LineWatch, namespace: Mapping[str, object], page: ObjectRenderer) -> Changed:
    """Of the module's objects that a line reaches those that it may have changed; None where it may be any."""
    used: list[object] = []
    for name in watch.reaches:
        value = namespace.get(name, _UNBOUND)
        kind = type(value)
        if kind in _PLAIN:
            used.append(value)
        elif kind not in SCALARS:
            itself = _may_change(value, watch, name, page)
            if itself is None:
                return None
            if itself:
                used.append(value)
    return used


def _inside(cell: object) -> object:
    try:
        return cell.cell_contents  # type: ignore[attr-defined]
    except ValueError:
        return None


def _may_change(value: object, watch: LineWatch, name: str, page: ObjectRenderer) -> bool | None:
    """Whether builtin code on this line may change the object itself; None: it may change others too."""
    kind = type(value)
    if kind is types.MethodType:
        value = value.__func__  # type: ignore[attr-defined]
        kind = type(value)
    if kind is types.FunctionType:
        return False if value.__code__.co_filename == FILENAME else None  # type: ignore[attr-defined]
    if isinstance(value, type):
        return False if watch.gentle or (name == watch.calls and is_ordinary(value, page)) else None
    if isinstance(value, BaseException):
        return False if watch.gentle else None
    if kind.__base__ is object and name != watch.asks and is_ordinary(kind, page):
        return not watch.gentle
    return None


def is_ordinary(kind: type, page: ObjectRenderer) -> bool:
    """Whether making and using an object of this class runs nothing but functions of the program."""
    known = page.ordinary.get(kind)
    if known is None:
        known = page.ordinary[kind] = all(map(_is_plain_class, kind.__mro__))
    return known


def are_plain(namespace: Mapping[str, object]) -> bool:
    """Whether operators on objects of these classes run nothing but functions of the program."""
    return all(map(_has_plain_parts, [thing for thing in namespace.values() if isinstance(thing, type)]))


def _is_plain_class(kind: type) -> bool:
    if kind.__module__ != "program":
        return kind is object or (kind.__module__ == "builtins" and issubclass(kind, BaseException))
    return _ORDERING.isdisjoint(vars(kind)) and _has_plain_parts(kind)


def _has_plain_parts(kind: type) -> bool:
    if kind.__module__ != "program":
        return True
    return type(kind) is type and all(map(_is_plain_part, vars(kind).values()))


def _is_plain_part(part: object) -> bool:
    """Whether a class attribute makes nothing happen but what functions of the program do."""
    if type(part) is types.FunctionType:
        return part.__code__.co_filename == FILENAME
    if type(part) is property:
        return all(each is None or _is_plain_part(each) for each in (part.fget, part.fset, part.fdel))
    if type(part) is staticmethod or type(part) is classmethod:
        return _is_plain_part(part.__func__)
    return type(part) in _PLAIN_PARTS or part is object.__hash__
