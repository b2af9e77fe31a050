"""Lists and dicts of the program's own classes: a stack that is a list, a registry that is a dict.

A frame writes them as `#1Stack([3, 4])`, with fields of their own behind the items. `KINDS` are the classes. Each
recipe is `(rng, *values drawn before) -> object`.
"""

from collections.abc import Mapping
from random import Random
from typing import Any

from cwm_agent.training.values import everyday_texts, scalars, texts

_LISTS = (
    "Stack Queue History Path Playlist Deck Hand Matrix Vec Tokens Series Basket Batch Trail Lines Scores "
    "Polygon MyList Timeline Roster Bag Buffer Undo"
).split()
_DICTS = (
    "Registry Config Inventory Cache Table Env Settings Record Index Scope Graph Catalog AttrDict Ledger Bank Lookup "
    "MyDict Headers Store Memo Namespace Options Prices Stats"
).split()
_FIELDS = ("limit", "name", "size", "parent", "default")

_LIST_CLASSES: dict[str, Any] = {name: type(name, (list,), {"__module__": "program"}) for name in _LISTS}
_DICT_CLASSES: dict[str, Any] = {name: type(name, (dict,), {"__module__": "program"}) for name in _DICTS}
KINDS: Mapping[str, type] = {**_LIST_CLASSES, **_DICT_CLASSES}

_ITEMS = (
    scalars.small, scalars.integer, scalars.integer, scalars.tenths, scalars.whole, texts.word, texts.char,
    scalars.scalar, lambda rng: (texts.word(rng), rng.randint(0, 9)), lambda rng: [rng.randint(0, 9)],
)  # fmt: skip


def _with_fields(rng: Random, made: Any) -> Any:
    """The container, sometimes with a field beside its items."""
    if rng.random() < 0.15:
        name = rng.choice(_FIELDS)
        setattr(made, name, texts.word(rng) if name == "name" else rng.randint(0, 9) if name != "parent" else None)
    return made


def own_list(rng: Random) -> list[object]:
    """A list of one kind of item, sometimes empty."""
    item = rng.choice(_ITEMS)
    made = _LIST_CLASSES[rng.choice(_LISTS)](item(rng) for _ in range(rng.choice((0, 1, 1, 2, 2, 2, 3, 4, 6))))
    found: list[object] = _with_fields(rng, made)
    return found


def own_numbers(rng: Random) -> list[object]:
    item = rng.choice((scalars.small, scalars.integer, scalars.tenths, scalars.whole))
    found: list[object] = _LIST_CLASSES[rng.choice(_LISTS)](item(rng) for _ in range(rng.randint(1, 6)))
    return found


def own_item(rng: Random, held: object) -> object:
    """An item like those of the list; mostly one that it does not have yet."""
    items = list(held) if isinstance(held, list) else []
    if items and rng.random() < 0.5:
        return rng.choice(items)
    like = type(items[0]) if items else None
    kinds = {int: scalars.integer, float: scalars.whole, str: texts.word}
    return kinds.get(like, rng.choice((scalars.scalar, scalars.whole)))(rng)  # type: ignore[arg-type]


def own_twin(rng: Random, held: object) -> object:
    """The items of the container in a plain one or in one of its class, often with a change."""
    if isinstance(held, dict):
        made: Any = {**held, **({texts.word(rng): rng.randint(0, 9)} if rng.random() < 0.4 else {})}
        return made if rng.random() < 0.5 else type(held)(made)
    items = list(held) if isinstance(held, list) else []
    if rng.random() < 0.45:
        items.append(own_item(rng, held))
    return items if rng.random() < 0.6 or not isinstance(held, list) else type(held)(items)


_VALUES = (scalars.small, scalars.integer, texts.word, scalars.tenths, lambda rng: [texts.word(rng)], scalars.scalar)


def own_dict(rng: Random) -> dict[object, object]:
    """A dict by words, sometimes by numbers, sometimes empty."""
    key = rng.choice((texts.word, texts.word, texts.word, everyday_texts.first_name, scalars.small))
    item = rng.choice(_VALUES)
    made = {key(rng): item(rng) for _ in range(rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4)))}
    found: dict[object, object] = _with_fields(rng, _DICT_CLASSES[rng.choice(_DICTS)](made))
    return found


def own_value(rng: Random, held: object) -> object:
    """A value like those of the dict."""
    first = next(iter(held.values()), None) if isinstance(held, dict) else None
    kinds = {int: scalars.integer, float: scalars.tenths, str: texts.word}
    return kinds.get(type(first), scalars.scalar)(rng)


def few_entries(rng: Random, held: object) -> dict[object, object]:
    """Entries to update the dict with, some under keys that it has."""
    keys = [key for key in held if rng.random() < 0.5] if isinstance(held, dict) else []
    keys += [texts.word(rng) for _ in range(rng.randint(0, 2))]
    return {key: own_value(rng, held) for key in keys}
