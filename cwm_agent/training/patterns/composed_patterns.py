"""Lines that no table can hold: swaps and displays of any length, f-strings with text between parts, any method.

Each maker is `(rng) -> Drawn`.
"""

from collections.abc import Callable
from random import Random

from cwm_agent.training.patterns.error_patterns import aliased_append, narrow_search, wrong
from cwm_agent.training.patterns.pattern import Drawn, writable
from cwm_agent.training.values import (
    containers,
    everyday_texts,
    hard_operands,
    iterators,
    rich_values,
    scalars,
    texts,
)

Maker = Callable[[Random], Drawn]
_NAMES = "abcdefghij"


def _item_recipe(rng: Random) -> Callable[[Random], object]:
    return rng.choice(
        (
            scalars.integer,
            scalars.integer,
            scalars.small,
            texts.word,
            texts.char,
            texts.text,
            scalars.scalar,
            containers.anything,
        )
    )


def swap(rng: Random) -> Drawn:
    """`a, b = b, a`, a permutation of up to eight names, or a copy of one name to several."""
    count = rng.choices((2, 3, 4, 5, 6, 7, 8), (50, 15, 10, 10, 6, 5, 4))[0]
    names = _NAMES[:count]
    recipe = rng.choice((scalars.small, scalars.integer, texts.char, texts.word, containers.anything))
    order = rng.sample(names, count) if rng.random() < 0.9 else rng.choices(names, k=count)
    held = {name: recipe(rng) for name in sorted(set(order))}
    if count == 2 and rng.random() < 0.7:
        order = list(names[::-1])
        held = {name: recipe(rng) for name in names}
    return Drawn(f"{', '.join(names)} = ({', '.join(order)})", held, {}, "swap")


class _Atoms:
    """Draws operands that are names or constants, and stores both."""

    def __init__(self, rng: Random, written: float) -> None:
        self._rng = rng
        self._written = written
        self.values: dict[str, object] = {}
        self.constants: dict[str, object] = {}

    def atom(self, value: object) -> str:
        count = len(self.values) + len(self.constants)
        if writable(value) and self._rng.random() < self._written:
            name = f"__{_NAMES[count].upper()}"
            self.constants[name] = value
            return name
        if self.values and self._rng.random() < 0.05:
            return self._rng.choice(list(self.values))
        self.values[_NAMES[count]] = value
        return _NAMES[count]

    def drawn(self, statement: str, kind: str) -> Drawn:
        return Drawn(statement, self.values, self.constants, kind)


def _count(rng: Random) -> int:
    return rng.choices((1, 2, 3, 4, 5, 6, 8), (25, 35, 18, 10, 6, 3, 3))[0]


def sequence_display(rng: Random) -> Drawn:
    """A list or tuple of atoms."""
    atoms = _Atoms(rng, rng.choice((0.0, 0.0, 0.2, 0.6)))
    recipe = _item_recipe(rng)
    parts = [atoms.atom(recipe(rng)) for _ in range(_count(rng))]
    if rng.random() < 0.6:
        return atoms.drawn(f"o = [{', '.join(parts)}]", "display.list")
    return atoms.drawn(f"o = ({', '.join(parts)}{',' if len(parts) == 1 else ''})", "display.tuple")


def starred_display(rng: Random) -> Drawn:
    """`[*a, b]` and the like."""
    atoms = _Atoms(rng, 0.2)
    parts = [
        f"*{atoms.atom(rng.choice((containers.array, iterators.walkable, containers.group))(rng))}"
        for _ in range(rng.randint(1, 2))
    ]
    if rng.random() < 0.6:
        parts.insert(rng.randint(0, len(parts)), atoms.atom(scalars.scalar(rng)))
    if any(part.startswith("*__") for part in parts):
        atoms.values.update({name.strip("_").lower(): value for name, value in atoms.constants.items()})
        parts = [part.replace("__", "").lower() if "__" in part else part for part in parts]
        atoms.constants.clear()
    brackets = rng.choice(("[]", "[]", "()"))
    comma = "," if brackets == "()" and len(parts) == 1 else ""
    return atoms.drawn(f"o = {brackets[0]}{', '.join(parts)}{comma}{brackets[1]}", "display.star")


def dict_display(rng: Random) -> Drawn:
    atoms = _Atoms(rng, rng.choice((0.0, 0.3, 0.7)))
    key = rng.choice((texts.word, texts.word, texts.char, scalars.integer))
    recipe = _item_recipe(rng)
    rows = [
        f"{atoms.atom(key(rng))}: {atoms.atom(recipe(rng))}"
        for _ in range(rng.choices((1, 2, 3, 4), (45, 30, 15, 10))[0])
    ]
    return atoms.drawn(f"o = {{{', '.join(rows)}}}", "display.dict")


def set_display(rng: Random) -> Drawn:
    atoms = _Atoms(rng, 0.4)
    recipe = rng.choice((scalars.small, scalars.integer, texts.char, texts.word))
    parts = [atoms.atom(recipe(rng)) for _ in range(_count(rng))]
    return atoms.drawn(f"o = {{{', '.join(parts)}}}", "display.set")


def constant_display(rng: Random) -> Drawn:
    """A display of constants only, like the tables in programs."""
    recipe = rng.choice(
        (
            containers.flat,
            containers.flat,
            containers.words,
            containers.ints,
            containers.group,
            containers.mapping,
            containers.rows,
            containers.pairs,
        )
    )
    text = repr(recipe(rng)) if rng.random() < 0.93 else repr(containers.deep(rng))
    text = "0" if "inf" in text else text
    return Drawn(f"o = {text}", {}, {}, "display.constant")


_SPECIFIED: dict[str, tuple[Callable[[Random], object], ...]] = {
    ":>4": (scalars.integer, texts.word),
    ":<6": (scalars.integer, texts.word),
    ":02d": (hard_operands.clock,),
    ":03d": (scalars.integer,),
    ":.2f": (hard_operands.price, scalars.number),
}
"""Format specifications of f-string parts, and the recipes of values they apply to."""


def formatted(rng: Random) -> Drawn:
    """An f-string of one to four parts with words between them."""
    atoms = _Atoms(rng, 0.0)
    parts: list[str] = []
    for _ in range(rng.choices((1, 2, 3, 4), (40, 35, 15, 10))[0]):
        recipe = rng.choice((scalars.integer, texts.word, texts.text, scalars.scalar, containers.anything))
        shown = rng.choices(("", "!r", *_SPECIFIED), (78, 8, 2, 2, 5, 2, 3))[0]
        value = rng.choice(_SPECIFIED.get(shown, (recipe,)))(rng)
        parts += [_between(rng), f"{{{atoms.atom(value)}{shown}}}"]
    return atoms.drawn(f"o = f'{''.join(parts)}{_between(rng)}'", "fstring")


def _between(rng: Random) -> str:
    chance = rng.random()
    if chance < 0.3:
        return ""
    if chance < 0.65:
        return rng.choice((" ", ", ", ": ", "-", "_", "(", ")", " = ", "/", "#", ".", "!"))
    return rng.choice((" ", "")) + texts.syllables(rng) + rng.choice((" ", ": ", ""))


_OWNERS: tuple[tuple[type, Callable[[Random], object]], ...] = (
    (str, texts.text),
    (str, texts.fill),
    (list, containers.array),
    (dict, containers.mapping),
    (set, containers.distinct),
)
_METHODS = {kind: [name for name in dir(kind) if not name.startswith("_")] for kind, _ in _OWNERS}


def _misspelt(rng: Random, name: str) -> str:
    """A misspelt method name, as in mutants."""
    return rng.choice(
        (name + rng.choice(("len", "s", "_", "x", rng.choice(_METHODS[list]))), name[:-1] + "z", name[1:])
    )


def attribute(rng: Random) -> Drawn:
    """Any method, read from an object or from its class."""
    kind, recipe = rng.choice(_OWNERS)
    name = rng.choice(_METHODS[kind])
    chance = rng.random()
    if chance > 0.8:
        name = _misspelt(rng, name)
    if chance < 0.15:
        return Drawn(f"o = {kind.__name__}.{name}", {}, {}, "method")
    return Drawn(f"o = a.{name}", {"a": recipe(rng)}, {}, "method")


def unpacking(rng: Random) -> Drawn:
    """Two to eight names from a tuple, a list, a text or a map with as many items; seldom one more or less."""
    count = rng.choices((2, 3, 4, 5, 6, 7, 8), (30, 22, 16, 12, 10, 5, 5))[0]
    names = list(_NAMES[:count])
    item = rng.choice((rich_values.rich, rich_values.rich, texts.word, scalars.integer, texts.digits, scalars.scalar))
    held = [item(rng) for _ in range(count + rng.choices((0, -1, 1, 2), (94, 2, 3, 1))[0])]
    if rng.random() < 0.2:
        place = rng.randrange(count)
        names[place] = f"*{names[place]}"
        held += [item(rng) for _ in range(rng.choice((-1, 0, 0, 1, 2)))]
    chance = rng.random()
    given: object = tuple(held) if chance < 0.6 else list(held)
    if chance > 0.92:
        given = map(int, [f"{rng.randint(0, 99):0{rng.randint(1, 3)}d}" for _ in held])
    return Drawn(f"{', '.join(names)} = z", {"z": given}, {}, "unpack.wide")


def starred_call(rng: Random) -> Drawn:
    """A builtin function with the items of a tuple; no table holds it, since operands of another type never end."""
    numbers = [rng.randint(1, 12) for _ in range(2)]
    if rng.random() < 0.6:
        return Drawn("o = f(*a)", {"f": rng.choice((pow, pow, divmod, max)), "a": tuple(numbers)}, {}, "call.star")
    if rng.random() < 0.5:
        return Drawn("o = pow(*a)", {"a": tuple(numbers)}, {}, "call.star")
    return Drawn("o = f(*a, *b)", {"f": pow, "a": (numbers[0],), "b": (numbers[1],)}, {}, "call.star")


_RESULTS: tuple[Callable[[Random], object], ...] = (
    *(
        rich_values.rich,
        rich_values.rich_list,
        rich_values.rich_dict,
        rich_values.short_price,
        scalars.integer,
        texts.text,
    ),
    *(containers.counts, containers.ints, containers.words, scalars.boolean, hard_operands.quoted, containers.group),
    *(scalars.integer, texts.word, scalars.real, containers.lists_by_key, rich_values.spot),
)


def results(rng: Random) -> Drawn:
    """A tuple of two to nine values of any kinds, as functions return them; seldom a list."""
    atoms = _Atoms(rng, rng.choice((0.0, 0.0, 0.0, 0.2)))
    count = rng.choices((2, 3, 4, 5, 6, 7, 8, 9), (20, 22, 18, 14, 10, 7, 5, 4))[0]
    parts = ", ".join(atoms.atom(rng.choice(_RESULTS)(rng)) for _ in range(count))
    return atoms.drawn(f"o = ({parts})" if rng.random() < 0.9 else f"o = [{parts}]", "display.results")


_KEYS = (
    "name total count mean items first last best worst errors log state balance size owner path kind price day left "
    "right users score rows order title values label done open closed initials slug longest shortest average"
).split()


def record_display(rng: Random) -> Drawn:
    """A dict of three to nine results by name, or a list of eight to fourteen texts, as functions return them."""
    atoms = _Atoms(rng, 0.0)
    if rng.random() < 0.75:
        keys = rng.sample(_KEYS, rng.randint(3, 9))
        parts = ", ".join(f"{key!r}: {atoms.atom(rng.choice(_RESULTS)(rng))}" for key in keys)
        return atoms.drawn(f"o = {{{parts}}}", "display.record")
    names = "abcdefghijklmn"[: rng.randint(8, 14)]
    held = {name: rng.choice((texts.word, texts.text, everyday_texts.first_name, texts.digits))(rng) for name in names}
    return Drawn(f"o = [{', '.join(names)}]", dict(held), {}, "display.record")


_TABLES: tuple[Callable[[Random], object], ...] = (
    *(rich_values.rows_of_dicts, rich_values.spot_numbers, rich_values.word_pairs, rich_values.nested_dict),
    *(containers.lists_by_key, rich_values.quarters, containers.int_rows, containers.pairs, containers.long_ints),
)


def table_display(rng: Random) -> Drawn:
    """A table of constants within others, as programs begin with."""
    text = repr(rng.choice(_TABLES)(rng))
    return Drawn("o = []" if "inf" in text else f"o = {text}", {}, {}, "display.table")


def told_error(rng: Random) -> Drawn:
    """An f-string with an error among its parts."""
    values: dict[str, object] = {"a": everyday_texts.real_error(rng)}
    shown = rng.choice(("{a}", "{a}", "{a!r}"))
    if rng.random() < 0.7:
        values["b"] = rng.choice((scalars.small, texts.word, everyday_texts.any_line))(rng)
        shown = rng.choice((f"{{b}}: {shown}", f"{_between(rng)}{{b}}{_between(rng)}{shown}", f"#{{b}} {shown}"))
    return Drawn(f"o = f'{shown}'", values, {}, "fstring.error")


MAKERS: tuple[tuple[Maker, float], ...] = (
    (results, 12),
    (record_display, 7),
    (table_display, 3),
    (told_error, 4),
    (unpacking, 16),
    (starred_call, 2),
    (swap, 8),
    (sequence_display, 7),
    (starred_display, 1),
    (dict_display, 2),
    (set_display, 1),
    (constant_display, 3),
    (formatted, 4),
    (aliased_append, 2.5),
    (wrong, 8),
    (narrow_search, 3),
    (attribute, 2),
)
