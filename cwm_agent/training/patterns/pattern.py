"""The notation of the pattern tables, parsed into patterns from which lines are drawn; knows no particular line.

    str.find   3   S.find(A)          S=text A=part:S
    kind   weight  template           slots

Columns are separated by two or more spaces. A single capital letter is a slot or, if the slots do not define it, a name
that the line assigns. A template that is an expression is assigned to a name, sometimes to one of its operands; `do E`
is mostly a statement of its own. A slot `A=recipe:S:T` draws a value by a recipe over slots drawn before it. A plain
value is a variable or a constant in the line; `A?=` is mostly a constant, `A!=` never, `A*=` always. A slot that the
template does not name is a variable that the line does not read: it holds what another operand is made of.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random

from cwm_agent.training.text_tables import read_table
from cwm_agent.training.values import RECIPES, containers, similar_values

_COLUMNS = re.compile(r"\s{2,}")
_LETTER = re.compile(r"(?<![\w'.])([A-Z])(?![\w'])")
_SLOT = re.compile(r"([A-Z])([?!*]?)=([a-z_]+)((?::[A-Z])*)$")
_WRITTEN = {"": 0.25, "?": 0.75, "!": 0.0, "*": 1.0}
_RECEIVER = 0.03
"""How often an operand with an access behind it (`S.find`, `S[0]`) is a constant."""
_PLAIN = frozenset({int, str, float, bool, type(None)})
_ALL_WRITTEN = 0.15
"""How often a line may contain constants only; such lines are rare in programs."""
_OWN_TARGET = 0.2
_ALIASED = 0.025
_MISTAKEN = 0.015
_RELATED = 0.03
"""How often an operand has a related type: a tuple for a list, a float for an integer."""
_WIDE = 1000
"""A larger integer could make a huge string or list if the other operand changes its type."""


class BadPattern(ValueError):
    """A row of a pattern table that cannot be parsed; the message names the row and the reason."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A line with its values, ready to be run."""

    statement: str
    values: dict[str, object]
    constants: dict[str, object]
    kind: str


@dataclass(frozen=True, slots=True)
class Slot:
    """One operand: how it is drawn and how often it is a constant."""

    letter: str
    recipe: Callable[..., object]
    needs: tuple[str, ...]
    written: float
    receiver: bool
    """An access follows, as in `S.find`; a number constant is not possible there."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One form of a line."""

    kind: str
    weight: float
    pieces: tuple[str, ...]
    """Text and slot letters, alternating."""
    slots: tuple[Slot, ...]
    assigned: float
    """How often the line assigns its value; 0 for a full statement."""

    def draw(self, rng: Random) -> Drawn:
        """Draw the line with new values."""
        given: dict[str, object] = {}
        for slot in self.slots:
            given[slot.letter] = slot.recipe(rng, *[given[need] for need in slot.needs])
        chance = rng.random()
        if chance < _MISTAKEN:
            self._mistake(rng, given)
        elif chance < _MISTAKEN + _RELATED and given:
            letter = rng.choice(list(given))
            given[letter] = similar_values.related(rng, given[letter])
        names = {letter: letter.lower() for letter in (*given, *self.pieces[1::2])}
        constants = self._constants(rng, given, names)
        if chance > 1 - _ALIASED:
            self._alias(rng, given, names)
        held = {names[letter]: value for letter, value in given.items() if names[letter] not in constants}
        return Drawn(self._statement(rng, names, held), held, constants, self.kind)

    def _mistake(self, rng: Random, given: dict[str, object]) -> None:
        """Replace one operand by a value of a wrong type."""
        if given and not any(type(value) is int and abs(value) > _WIDE for value in given.values()):
            letter = rng.choice(list(given))
            made = None if rng.random() < 0.2 else containers.anything(rng)
            given[letter] = made % _WIDE if type(made) is int else made

    def _constants(self, rng: Random, given: dict[str, object], names: dict[str, str]) -> dict[str, object]:
        found: dict[str, object] = {}
        rare = rng.random() < _ALL_WRITTEN
        for slot in self.slots:
            value = given[slot.letter]
            last = len(found) == len(self.slots) - 1 and slot.written < 0.5 and not rare
            fits = writable(value) and (not slot.receiver or type(value) is str)
            if rng.random() < slot.written and fits and not last:
                names[slot.letter] = f"__{slot.letter}"
                found[f"__{slot.letter}"] = value
        return found

    def _alias(self, rng: Random, given: dict[str, object], names: dict[str, str]) -> None:
        """Make two operands the same object, under one name or two."""
        held = [slot.letter for slot in self.slots if not names[slot.letter].startswith("__")]
        alike = [(a, b) for a in held for b in held if a < b and type(given[a]) is type(given[b])]
        if alike:
            first, second = rng.choice(alike)
            given[second] = given[first]
            if rng.random() < 0.6:
                names[second] = names[first]

    def _statement(self, rng: Random, names: dict[str, str], held: dict[str, object]) -> str:
        parts = list(self.pieces)
        parts[1::2] = [names[letter] for letter in parts[1::2]]
        text = "".join(parts)
        if rng.random() >= self.assigned:
            return text
        shown = [name for name in held if name.upper() in self.pieces]
        target = rng.choice(shown) if shown and rng.random() < _OWN_TARGET else "o"
        return f"{target} = {text}"


def writable(value: object) -> bool:
    """Whether the value can be written into a line as a constant."""
    return type(value) in _PLAIN and not (isinstance(value, float) and not math.isfinite(value))


@cache
def pattern_family(name: str) -> tuple[Pattern, ...]:
    """The patterns of the table `tables/patterns/NAME.txt`."""
    return patterns(read_table(f"patterns/{name}"))


def patterns(table: str) -> tuple[Pattern, ...]:
    """The patterns of a table; raises BadPattern for a malformed row."""
    rows = (row.strip() for row in table.strip().splitlines())
    return tuple(_pattern(row) for row in rows if row and not row.startswith("#"))


def _pattern(row: str) -> Pattern:
    columns = _COLUMNS.split(row)
    if len(columns) not in (3, 4):
        raise BadPattern(f"The row {row!r} has {len(columns)} columns; give kind, weight, template and slots.")
    template = columns[2]
    pieces = tuple(_LETTER.split(template.removeprefix("do ")))
    receivers = {pieces[i] for i in range(1, len(pieces), 2) if pieces[i + 1][:1] in (".", "[")}
    slots = tuple(_slot(text, receivers, row) for text in (columns[3].split() if len(columns) == 4 else ()))
    return Pattern(kind=columns[0], weight=float(columns[1]), pieces=pieces, slots=slots, assigned=_assigned(template))


def _slot(text: str, receivers: set[str], row: str) -> Slot:
    match = _SLOT.match(text)
    if match is None or match[3] not in RECIPES:
        raise BadPattern(f"The slot {text!r} in {row!r} is not LETTER=recipe; choose a recipe of `values.RECIPES`.")
    receiver = match[1] in receivers
    written = _RECEIVER if receiver and not match[2] else _WRITTEN[match[2]]
    needs = tuple(filter(None, match[4].split(":")))
    return Slot(letter=match[1], recipe=RECIPES[match[3]], needs=needs, written=written, receiver=receiver)


def _assigned(template: str) -> float:
    if template.startswith("do "):
        return 0.08
    try:
        compile(template, "<pattern>", "eval")
    except SyntaxError:
        return 0.0
    return 0.985
