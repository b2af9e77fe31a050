"""Lines that name a class, combine flags or keep several methods of one object, which no table can hold.

Each maker is `(rng) -> Drawn`.
"""

import operator
from collections.abc import Callable
from enum import Flag
from random import Random
from typing import Any

from cwm_agent.training.patterns.pattern import Drawn
from cwm_agent.training.values.further import class_values, flag_members
from cwm_agent.training.values.own import acting_objects

_CHECKS = ("isinstance(a, {})", "isinstance(a, {})", "isinstance(a, {})", "type(a) is {}", "type(a) == {}")


def class_check(rng: Random) -> Drawn:
    """Whether a value belongs to a class, or a class to another; the class is named, or held alone or in a tuple."""
    chance = rng.random()
    if chance < 0.2:
        return _subclass_check(rng)
    value = class_values.any_value(rng)
    if chance < 0.5:
        held = class_values.near_classes(rng, value) if chance < 0.42 else class_values.near_class(rng, value)
        return Drawn("o = isinstance(a, b)", {"a": value, "b": held}, {}, "class.isinstance")
    kind = class_values.near_class(rng, value)
    return Drawn(f"o = {rng.choice(_CHECKS).format(kind.__name__)}", {"a": value}, {}, "class.isinstance")


def _subclass_check(rng: Random) -> Drawn:
    one = rng.choice((class_values.error_kind, class_values.error_kind, class_values.any_class))(rng)
    chance, other = rng.random(), class_values.near_class(rng, one)
    if chance < 0.5:
        return Drawn(f"o = issubclass(a, {other.__name__})", {"a": one}, {}, "class.issubclass")
    if chance < 0.7:
        return Drawn(f"o = issubclass({one.__name__}, {other.__name__})", {}, {}, "class.issubclass")
    held = class_values.near_classes(rng, one) if chance < 0.85 else other
    return Drawn("o = issubclass(a, b)", {"a": one, "b": held}, {}, "class.issubclass")


_FLAG_FORMS: tuple[tuple[str, Callable[[Any, Any], Any]], ...] = (
    ("o = a & b", operator.and_),
    ("o = a & b", operator.and_),
    ("o = a & b", operator.and_),
    ("a &= b", operator.and_),
    ("o = a | b", operator.or_),
    ("o = a | b", operator.or_),
    ("a |= b", operator.or_),
    ("o = a ^ b", operator.xor),
    ("a ^= b", operator.xor),
)


def flag_operation(rng: Random) -> Drawn:
    """Flags combined; the name of the result is one that the line shows, or made of such names."""
    while True:
        one: Any = flag_members.flag_value(rng)
        other: Any = flag_members.fellow_flag(rng, one)
        form, computed = rng.choice(_FLAG_FORMS)
        if _is_knowable(computed(one, other), [one, other]):
            return Drawn(form, {"a": one, "b": other}, {}, "flag.operation")


def _is_knowable(result: Flag, operands: list[Any]) -> bool:
    """Whether the name of the result follows from those of the operands."""
    shown = {part for each in operands for part in (each.name or "").split("|")}
    return result.name is None or all(part in shown for part in result.name.split("|"))


_MENUS = (
    (("1", "2", "3", "q"), 2),
    (("add", "remove", "list", "quit"), 1),
    (("a", "b", "c", "d"), 1),
    (("on", "off", "reset", "show"), 1),
)


def method_menu(rng: Random) -> Drawn:
    """Several methods of one object, or of two, in a dict, a list or a tuple."""
    one = acting_objects.actor(rng)
    other = one if rng.random() < 0.8 else acting_objects.actor(rng)
    names = "abcd"[: rng.randint(2, 4)]
    methods = rng.sample(acting_objects.METHODS, len(names))
    keys = rng.choices([each for each, _ in _MENUS], [weight for _, weight in _MENUS])[0]
    parts = [f"{name}.{method}" for name, method in zip(names, methods, strict=True)]
    if rng.random() < 0.6:
        text = f"{{{', '.join(f'{key!r}: {part}' for key, part in zip(keys, parts, strict=False))}}}"
    else:
        text = ("[{}]" if rng.random() < 0.5 else "({})").format(", ".join(parts))
    values = {name: rng.choice((one, one, one, other)) for name in names}
    return Drawn(f"o = {text}", values, {}, "method.menu")


_IMPORTS: dict[str, str] = {
    "math": "sqrt floor ceil gcd lcm pi factorial log comb isqrt prod hypot inf",
    "random": "",
    "sys": "",
    "collections": "Counter defaultdict deque OrderedDict namedtuple ChainMap",
    "itertools": "permutations combinations product chain accumulate count cycle islice groupby repeat zip_longest",
    "functools": "reduce partial lru_cache cache wraps cmp_to_key total_ordering",
    "heapq": "heappush heappop heapify nlargest nsmallest heapreplace",
    "bisect": "bisect bisect_left bisect_right insort",
    "operator": "itemgetter attrgetter add mul sub",
    "string": "ascii_lowercase ascii_uppercase ascii_letters digits punctuation",
    "re": "sub findall match search split compile",
    "datetime": "date datetime timedelta time",
    "copy": "copy deepcopy",
    "json": "loads dumps",
    "statistics": "mean median mode stdev",
    "decimal": "Decimal ROUND_HALF_UP",
    "fractions": "Fraction",
    "textwrap": "wrap fill dedent",
    "dataclasses": "dataclass field asdict replace",
    "enum": "Enum IntEnum auto",
    "io": "StringIO",
    "csv": "reader writer DictReader",
}
_SHORT = {"itertools": "it", "collections": "c", "functools": "ft", "statistics": "st", "datetime": "dt", "math": "m"}


def import_line(rng: Random) -> Drawn:
    """An import inside a function: of a module or of names in it, sometimes by another name."""
    module = rng.choice(list(_IMPORTS))
    chance, names = rng.random(), _IMPORTS[module].split()
    if chance < 0.35 or not names:
        return Drawn(f"import {module}", {}, {}, "import")
    if chance < 0.45:
        return Drawn(f"import {module} as {_SHORT.get(module, module[:2])}", {}, {}, "import")
    if chance < 0.52:
        name = rng.choice(names)
        return Drawn(f"from {module} import {name} as {name[0].lower()}", {}, {}, "import")
    chosen = rng.sample(names, min(len(names), rng.choice((1, 1, 2, 2, 3))))
    return Drawn(f"from {module} import {', '.join(chosen)}", {}, {}, "import")


FURTHER_MAKERS: tuple[tuple[Callable[[Random], Drawn], float], ...] = (
    (class_check, 6),
    (flag_operation, 3),
    (method_menu, 1),
    (import_line, 1),
)
