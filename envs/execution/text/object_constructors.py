"""Objects from their kind and parts: `range(0, 5)`, `iter(#1, 2)`, `defaultdict(int, {..})`.

Knows no text, no frame.
"""

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from itertools import islice
from types import CellType

from envs.execution.state.value_grammar import Unsupported
from envs.execution.text import source_values
from envs.execution.text.library_values import MAKERS


def _iterator(*parts: object) -> object:
    if not parts:
        used_up = iter(())
        next(used_up, None)
        return used_up
    source, *rest = parts
    if isinstance(source, range):
        return iter(source)
    position = rest[0] if rest else 0
    if isinstance(source, deque):
        return type(iter(source))(source, position)  # type: ignore[call-arg]
    if isinstance(source, set | frozenset):
        return _set_iterator(source, position)
    iterator = iter(source)  # type: ignore[call-overload]
    if hasattr(iterator, "__setstate__"):
        iterator.__setstate__(position)
        return iterator
    for _ in islice(iterator, int(position)):  # type: ignore[call-overload]
        pass
    return iterator


def _set_iterator(source: set[object] | frozenset[object], left: object) -> object:
    """Stands where the frame says it stands, if rebuilding the set gave it the same order."""
    assert isinstance(left, list)
    iterator = iter(source)
    for _ in range(len(source) - len(left)):
        next(iterator)
    if iterator.__reduce__()[1][0] != left:
        raise Unsupported("iterator over a set whose order does not follow from its items")
    return iterator


def _reversed(source: object, position: object) -> object:
    iterator = reversed(source)  # type: ignore[call-overload]
    if hasattr(iterator, "__setstate__"):
        iterator.__setstate__(position)
        return iterator
    for _ in islice(iterator, len(source) - 1 - int(position)):  # type: ignore[arg-type, call-overload]
        pass
    return iterator


def _enumerate(iterator: Iterable[object], start: int) -> object:
    return enumerate(iterator, start)


def _cell(*content: object) -> CellType:
    return CellType(*content)


KINDS: dict[str, Callable[..., object]] = {
    "range": range,
    "slice": slice,
    "set": set,
    "frozenset": frozenset,
    "keys": lambda source: source.keys(),
    "values": lambda source: source.values(),
    "items": lambda source: source.items(),
    "iter": _iterator,
    "reversed": _reversed,
    "enumerate": _enumerate,
    "zip": zip,
    "map": map,
    "filter": filter,
    "deque": deque,
    "defaultdict": defaultdict,
    "OrderedDict": OrderedDict,
    "Counter": Counter,
    "bytearray": bytearray,
    "cell": _cell,
    **MAKERS,
    **source_values.MAKERS,
    "super": super,
}
