"""Lines over objects of own classes that name one of their methods or fields, which no table can hold.

Each maker is `(rng) -> Drawn`.
"""

from collections.abc import Callable
from dataclasses import fields
from random import Random
from typing import Any

from cwm_agent.training.patterns.pattern import Drawn
from cwm_agent.training.values import rich_values, scalars, texts
from cwm_agent.training.values.own import acting_objects, twin_objects

Recipe = Callable[[Random], object]

_NUMBER: Recipe = scalars.small
_METHOD_FORMS: tuple[tuple[str, tuple[tuple[str, Recipe], ...], float], ...] = (
    ("o = (a, b, x.{}, d)", (("a", _NUMBER), ("b", _NUMBER), ("d", lambda rng: rng.choice(((), (), (1,), ("a",))))), 4),
    ("o = (a, x.{}, d)", (("a", _NUMBER), ("d", lambda rng: rng.choice(((), (2,))))), 2),
    ("o = (a, x.{})", (("a", rich_values.rich),), 2),
    ("o = (x.{}, a)", (("a", rich_values.rich),), 1),
    ("o = [x.{}]", (), 1),
    ("o = {{a: x.{}}}", (("a", texts.word),), 1),
    ("o = x.{}", (), 2),
    ("a.append(x.{})", (("a", acting_objects.deeds),), 2),
    ("a.append((b, x.{}))", (("a", acting_objects.deeds), ("b", _NUMBER)), 2),
    ("a[b] = x.{}", (("a", acting_objects.deed_table), ("b", texts.word)), 2),
    ("a.setdefault(b, []).append((c, x.{}))", (("a", lambda rng: {}), ("b", texts.word), ("c", _NUMBER)), 1.5),
    ("a.setdefault(b, []).append(x.{})", (("a", lambda rng: {}), ("b", texts.word)), 1),
    (
        "y.table.setdefault(b, []).append((c, x.{}))",
        (("y", acting_objects.keeper), ("b", texts.word), ("c", _NUMBER)),
        1.5,
    ),
    ("y.table[b] = x.{}", (("y", acting_objects.keeper), ("b", texts.word)), 0.7),
    ("heapq.heappush(a, (b, x.{}))", (("a", lambda rng: []), ("b", _NUMBER)), 1),
    ("heapq.heappush(a, (b, c, x.{}, ()))", (("a", acting_objects.event_queue), ("b", _NUMBER), ("c", _NUMBER)), 2),
    ("o = x.{}.__name__", (), 0.5),
    ("o = getattr(x, a)", (("a", acting_objects.deed_name),), 1),
    ("o = hasattr(x, a)", (("a", acting_objects.deed_name),), 0.5),
)
_WEIGHTS = [weight for *_, weight in _METHOD_FORMS]


def named_method(rng: Random) -> Drawn:
    """A line that looks up a method of an object and keeps it: in a tuple, a list, a heap or a dict."""
    form, operands, _ = rng.choices(_METHOD_FORMS, _WEIGHTS)[0]
    values = {name: recipe(rng) for name, recipe in operands}
    method = rng.choice(acting_objects.METHODS)
    return Drawn(form.format(method), {**values, "x": acting_objects.actor(rng)}, {}, "method.kept")


def replaced_field(rng: Random) -> Drawn:
    """`replace` of a field of a data class, or the field itself."""
    one: Any = twin_objects.own_nested(rng)
    if not hasattr(one, "__dataclass_fields__"):
        one = twin_objects.own_part(rng)
    field = rng.choice(fields(one)).name
    value = getattr(one, field)
    other = texts.word(rng) if isinstance(value, str) else rng.randint(0, 60)
    if rng.random() < 0.75:
        return Drawn(f"o = replace(a, {field}=b)", {"a": one, "b": other}, {}, "dataclass.replace")
    return Drawn(f"o = a.{field} == b", {"a": one, "b": rng.choice((value, other))}, {}, "dataclass.field")


OWN_MAKERS: tuple[tuple[Callable[[Random], Drawn], float], ...] = ((named_method, 4), (replaced_field, 1))
