"""Objects with methods, and bound methods as values: handlers, events in a queue, actions in a table.

A frame writes a bound method as its object with the name behind it, as in `#2Clerk(name='Ann').serve`. Objects of one
world share a queue or a log, as in simulations. `KINDS` are the classes. Each recipe is `(rng, *values drawn before)`.
"""

import heapq
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import make_dataclass
from itertools import count
from random import Random
from typing import Any

from cwm_agent.training.values import everyday_texts, scalars, texts

_NAMES = (
    "Clerk Visitor Sensor Robot Printer Worker Agent Machine Listener Watcher Elevator Truck Server Client Reader "
    "Writer Timer Lamp Door Turtle Patient Doctor Driver Waiter Parser Editor Logger Button Alarm Gate Pump Engine "
    "Crane Buyer Seller Bidder Guard Pilot Chef Tenant Student Teacher Monitor Router Switchboard Meter Ferry Bus Taxi"
).split()
_WORLDS = (
    "Scheduler EventLoop Simulation Calendar Agenda Dispatcher Clock EventBus Warehouse Station Harbor Shop".split()
)
METHODS = (
    "arrive leave run step write read notify handle start stop fire apply update tick serve finish move close open_ "
    "send receive on_event on_click report reset wake sleep depart pay refund check accept reject print_page cook"
).split()
"""Names that every such object has as methods."""
_FIELDS = "name speed state busy count log owner level queue items total prefix stock done table".split()
_LISTS = frozenset({"log", "items"})
_TEXTS = frozenset({"name", "state", "owner", "prefix"})


def _method(name: str) -> Callable[..., None]:
    def act(self: object, *values: object) -> None:
        """Nothing runs it: lines hold the method and do not call it."""

    act.__name__ = act.__qualname__ = name
    return act


def _classes(rng: Random) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in (*_NAMES, *_WORLDS):
        chosen = ["queue", "log"] if rng.random() < 0.3 else rng.sample(_FIELDS[1:], rng.randint(0, 3))
        fields = ["heap", "number", "now"][: rng.randint(1, 3)] if name in _WORLDS else ["name", *chosen]
        if name not in _WORLDS and rng.random() < 0.2:
            rng.shuffle(fields)
        found[name] = make_dataclass(name, fields, namespace={each: _method(each) for each in METHODS})
    return found


_CLASSES = _classes(Random(5))
KINDS: Mapping[str, type] = _CLASSES


def _field(rng: Random, name: str, world: object, log: list[object]) -> object:
    if name == "queue":
        return world
    if name in _LISTS:
        return log
    if name in _TEXTS:
        return rng.choice((texts.word, everyday_texts.first_name, lambda rng: f"{texts.char(rng)}{rng.randint(0, 9)}"))(
            rng
        )
    if name in ("busy", "done"):
        return rng.random() < 0.5
    return {} if name == "table" else scalars.small(rng)


def _log(rng: Random) -> list[object]:
    entry = rng.choice((lambda: (scalars.small(rng), texts.word(rng)), lambda: texts.word(rng)))
    return [entry() for _ in range(rng.choice((0, 0, 0, 1, 2, 4)))]


def _world(rng: Random, heap: list[object]) -> object:
    kind = _CLASSES[rng.choice(_WORLDS)]
    values = {"heap": heap, "number": count(rng.randint(0, 9)), "now": rng.randint(0, 20)}
    return kind(**{name: values[name] for name in kind.__dataclass_fields__})


def _acting(rng: Random, world: object, log: list[object], kind: Any = None) -> object:
    kind = kind or _CLASSES[rng.choice(_NAMES)]
    return kind(**{name: _field(rng, name, world, log) for name in kind.__dataclass_fields__})


def actor(rng: Random) -> object:
    """An object with methods, often with a queue of its world."""
    log = _log(rng)
    if rng.random() < 0.3:
        return rng.choice(event_queue(rng) or [_event(rng, (), [0, _acting(rng, None, log), ()])])[-2].__self__  # type: ignore[index]
    return _acting(rng, rng.choice((None, _world(rng, []))), log)


def deed(rng: Random) -> object:
    """A bound method."""
    return getattr(actor(rng), rng.choice(METHODS))


def keeper(rng: Random) -> object:
    """An object that keeps others' methods in a table by words, which is often empty."""
    kinds = [kind for kind in _CLASSES.values() if "table" in kind.__dataclass_fields__]
    made: Any = _acting(rng, None, [], rng.choice(kinds))
    made.table = {texts.word(rng): [(rng.randint(0, 9), deed(rng))] for _ in range(rng.choice((0, 0, 1)))}
    found: object = made
    return found


def deed_name(rng: Random) -> str:
    return rng.choice(METHODS)


def _event(rng: Random, shape: tuple[str, ...], parts: list[Any]) -> tuple[object, ...]:
    """A time, perhaps a number that breaks ties, a method and its arguments."""
    time, one, given = parts
    method = getattr(one, rng.choice(METHODS))
    number = (rng.randint(0, 20),) if "number" in shape else ()
    return (time, *number, method, given)


def _given(rng: Random) -> tuple[object, ...]:
    return rng.choice(((), (), (), (rng.randint(0, 9),), (texts.word(rng),)))


def event_queue(rng: Random) -> list[object]:
    """A heap of events of one world; the world holds it."""
    shape = ("number",) if rng.random() < 0.7 else ()
    found: list[Any] = []
    world = _world(rng, found) if rng.random() < 0.6 else None
    log, kind = _log(rng), _CLASSES[rng.choice(_NAMES)] if rng.random() < 0.8 else None
    times = rng.sample(range(30), rng.choice((0, 1, 1, 2, 2, 2, 3, 3)))
    found.extend(_event(rng, shape, [time, _acting(rng, world, log, kind), _given(rng)]) for time in times)
    heapq.heapify(found)
    return found


def event(rng: Random) -> tuple[object, ...]:
    held: list[Any] = event_queue(rng)
    if held:
        return tuple(rng.choice(held))
    return _event(rng, ("number",), [scalars.small(rng), actor(rng), _given(rng)])


def next_event(rng: Random, held: object) -> object:
    """An event as those of the queue are, of one of their objects or of another of the same class."""
    first = held[0] if isinstance(held, list) and held else None
    if not isinstance(first, tuple) or len(first) < 3 or not hasattr(first[-2], "__self__"):
        return event(rng)
    one = first[-2].__self__
    if rng.random() < 0.6:
        fields = {name: getattr(one, name) for name in type(one).__dataclass_fields__}
        one = type(one)(**{**fields, **({"name": texts.word(rng)} if "name" in fields else {})})
    shape = ("number",) if len(first) == 4 else ()
    return _event(rng, shape, [rng.randint(0, 40), one, _given(rng)])


def deeds(rng: Random) -> list[object]:
    """Methods in a list, alone or with a number before them; some of one object."""
    one = actor(rng)
    made = [
        getattr(rng.choice((one, one, _acting(rng, None, []))), rng.choice(METHODS))
        for _ in range(rng.choice((0, 1, 1, 2, 2, 3)))
    ]
    return [(rng.randint(0, 9), each) for each in made] if rng.random() < 0.4 else [*made]


def deed_pair(rng: Random) -> tuple[object, ...]:
    """A method with a word, a number or arguments."""
    return rng.choice(
        (lambda: (rng.randint(0, 9), deed(rng)), lambda: (texts.word(rng), deed(rng)), lambda: (deed(rng), ()))
    )()


def deed_table(rng: Random) -> dict[str, object]:
    """Methods by words, or lists of them."""
    one, listed = actor(rng), rng.random() < 0.4
    made = {texts.word(rng): getattr(one, rng.choice(METHODS)) for _ in range(rng.choice((0, 1, 1, 2, 2, 3)))}
    return {word: [each] for word, each in made.items()} if listed else {**made}


def deed_deque(rng: Random) -> deque[object]:
    return deque(deeds(rng))


def actors(rng: Random) -> list[object]:
    """Objects of one class that share a log."""
    log, kind = _log(rng), _CLASSES[rng.choice(_NAMES)]
    return [_acting(rng, None, log, kind) for _ in range(rng.randint(1, 3))]
