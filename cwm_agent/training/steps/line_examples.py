"""Single lines with the values they read: the main source of the local view, drawn from the pattern tables.

Python runs each line; nothing here computes an answer. The same seed gives the same examples.
"""

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from itertools import accumulate
from random import Random

from cwm_agent.training.example import Example
from cwm_agent.training.patterns.composed_patterns import MAKERS
from cwm_agent.training.patterns.format_patterns import FORMAT_MAKERS
from cwm_agent.training.patterns.further_patterns import FURTHER_MAKERS
from cwm_agent.training.patterns.own_patterns import OWN_MAKERS
from cwm_agent.training.patterns.pattern import Drawn, pattern_family
from cwm_agent.training.steps.line_labels import LIBRARIES, MODULES, line_example, plain_weekdays
from cwm_agent.training.values import RECIPES
from cwm_agent.training.values.changed.disturbed_values import disturbed
from cwm_agent.training.values.changed.small_values import Shrinker

Drawer = Callable[[Random], Drawn]

QUERY_LIMIT = 600
ANSWER_LIMIT = 560
"""Limits in bytes; longer examples are drawn again."""

_SHARES = {
    "strings": 0.046, "formats": 0.012, "lists": 0.045, "dicts": 0.028, "sets": 0.017, "numbers": 0.041, "loops": 0.026,
    "collections": 0.026, "moves": 0.016, "tables": 0.024, "weak": 0.04, "everyday": 0.034, "echoes": 0.027,
    "ordinary": 0.062, "mixed": 0.054, "own": 0.04, "close": 0.039, "further": 0.047, "floats": 0.066, "edges": 0.043,
    "plain_words": 0.04, "slips": 0.046, "near": 0.06,
}  # fmt: skip
"""Share of the examples of each table of patterns; composed lines are the rest. `everyday` has the simplest lines on
evenly distributed operands, since a long run has hundreds of them; `weak` the kinds with the lowest accuracy;
`ordinary` lines over values of all kinds in containers, and over texts as programs read them; `mixed` values of several
kinds at once: accents, bytes, `None` among numbers, keys of several types; `own` objects of own classes, their methods,
and own lists and dicts; `close` operands that are almost equal, or beside a special number; `floats` quotients without
an end and floats of many digits; `further` members of enums and flags, classes, exceptions and functions as values,
objects in order, and longer tables; `edges` exchanged parts of lists, `None` among items, keys that are equal and of
another type, letters that only look like digits, functions within rows; `plain_words` what fresh programs
showed to be weak: parts of several letters, bits of wide numbers, words of nearly one length, tests and lookups of each
letter, forms of several fields; `slips` what programs showed to be weak when their inputs were changed a little; `near`
texts, keys and parts that almost fit, and rows in which the same items come again."""
_OWN_SHARE = 0.018
"""Share of lines that name a method or a field of an own object."""
_FORMAT_SHARE = 0.045
"""Share of lines that format values by a specification."""
_FURTHER_SHARE = 0.035
"""Share of lines that name a class, combine flags or keep several methods of one object."""


_LIBRARY_SHARES = {
    "library": 0.088, "precision": 0.073, "rare": 0.088, "modules": 0.087, "calls": 0.052, "further_library": 0.065,
    "kinds": 0.042, "sundry": 0.047, "told": 0.052, "forms": 0.054, "readable": 0.082, "nested": 0.08, "reckoned": 0.09,
    "plain_calls": 0.05,
}  # fmt: skip
"""The same for lines over library values, lines whose answer must be right to the last digit or letter, lines over
rarer values, lines over the library as ordinary programs call it, calls with long operands or shared iterators, lines
over texts in memory, long decimals, fractions, packed bits and marked texts, and the operations of every kind of value
that the other tables have for one kind only, lines that fresh programs showed to be rare, lines that tell or
arrange what others hold, values that got a written form late, long texts with near-alike parts and what programs take
from them, and values within values: tuples as keys, trees of tuples in heaps, iterators over iterators, and words that
are almost alike, lines that take several steps of arithmetic, and `plain_calls`, what fresh programs showed to be
weak: members that are numbers, dates and lines of servers in texts, floats of any size, clocks, fields by name;
functions and methods that are looked up are the rest."""
_METHOD_OWNERS = (
    *("ints", "text", "counts", "letter_counter", "int_deque", "int_default", "word_order", "distinct"),
    *("match", "compiled", "day", "moment", "timespan", "decimal"),
)
_CALL = re.compile(rf"\b({'|'.join(LIBRARIES)})\.([a-z_]+)\(")
_OWN_NAME = 0.45
"""How often the function of a module is called by its own name, or by a variable that holds it."""


_IMPORTING = 0.8
"""How often a line is of a program that names classes of the library without their module."""
_DISTURBED = 0.18
"""How often an operand is changed a little, whatever it was drawn to fit."""
_SMALL = 0.07
"""How often all operands are made small."""
_TWICE = 0.03
"""How often one operand stands at the place of another, too."""
_RAISES_KEPT = 0.15
"""Of lines that raise because an operand was changed: tables have enough that raise."""


def _of_tables(shares: Mapping[str, float]) -> tuple[list[Drawer], list[float]]:
    """The drawers of the patterns of some tables, with their weights."""
    drawers: list[Drawer] = []
    weights: list[float] = []
    for name, share in shares.items():
        family = pattern_family(name)
        total = sum(pattern.weight for pattern in family)
        drawers += [pattern.draw for pattern in family]
        weights += [share * pattern.weight / total for pattern in family]
    return drawers, weights


def _weighed() -> tuple[list[Drawer], list[float]]:
    drawers, weights = _of_tables(_SHARES)
    rest = 1 - sum(_SHARES.values()) - _FORMAT_SHARE - _OWN_SHARE - _FURTHER_SHARE
    named = ((OWN_MAKERS, _OWN_SHARE), (FURTHER_MAKERS, _FURTHER_SHARE))
    for makers, share in ((MAKERS, rest), (FORMAT_MAKERS, _FORMAT_SHARE), *named):
        total = sum(weight for _, weight in makers)
        drawers += [maker for maker, _ in makers]
        weights += [share * weight / total for _, weight in makers]
    return drawers, list(accumulate(weights))


def lines(seed: int) -> Iterator[Example]:
    """An infinite stream of local-view examples."""
    return _drawn(Random(seed), *_weighed())


def library_lines(seed: int) -> Iterator[Example]:
    """An infinite stream of local-view examples over library values, and of lines that need precision."""
    rng = Random(seed)
    drawers, weights = _of_tables(_LIBRARY_SHARES)
    drawers.append(_looked_up)
    weights.append(1 - sum(_LIBRARY_SHARES.values()))
    return _drawn(rng, [partial(_called_by_name, drawer) for drawer in drawers], list(accumulate(weights)))


def _drawn(rng: Random, drawers: list[Drawer], weights: list[float]) -> Iterator[Example]:
    while True:
        drawn = rng.choices(drawers, cum_weights=weights)[0](rng)
        change = _change(rng.random())
        if change is not None:
            drawn = change(drawn, rng)
        example = _example(drawn, imports=rng.random() < _IMPORTING)
        if example is None or not _fits(example):
            continue
        if not example.answer.startswith(b"!"):
            yield example
        elif change is None or rng.random() < _RAISES_KEPT:
            yield _raised(example)


def _change(chance: float) -> Callable[[Drawn, Random], Drawn] | None:
    """What is changed about a line; None for most."""
    if chance < _DISTURBED:
        return _with_change
    if chance < _DISTURBED + _SMALL:
        return _made_small
    return _with_one_name if chance < _DISTURBED + _SMALL + _TWICE else None


def _example(drawn: Drawn, *, imports: bool) -> Example | None:
    with warnings.catch_warnings(), plain_weekdays() if drawn.kind == "calendar.monthrange" else nullcontext():
        warnings.simplefilter("ignore", FutureWarning)  # of regular expressions that were changed by a letter
        return line_example(drawn.statement, drawn.values, drawn.kind, constants=drawn.constants, imports=imports)


def _with_change(drawn: Drawn, rng: Random) -> Drawn:
    """The line with one of its operands changed a little; names for one object still name one."""
    held = {**drawn.values, **drawn.constants}
    if not held:
        return drawn
    old = held[rng.choice(list(held))]
    new = disturbed(rng, old)
    values, constants = (
        {name: new if value is old else value for name, value in each.items()}
        for each in (drawn.values, drawn.constants)
    )
    return replace(drawn, values=values, constants=constants)


def _made_small(drawn: Drawn, rng: Random) -> Drawn:
    """The line with small operands; names for one object still name one."""
    small = Shrinker(rng).small
    made: dict[int, object] = {}
    for value in (*drawn.values.values(), *drawn.constants.values()):
        if id(value) not in made:
            made[id(value)] = small(value)
    values, constants = (
        {name: made[id(value)] for name, value in each.items()} for each in (drawn.values, drawn.constants)
    )
    return replace(drawn, values=values, constants=constants, kind=f"small {drawn.kind}")


def _with_one_name(drawn: Drawn, rng: Random) -> Drawn:
    """The line with one name at the places of two, as in `a * a`, if their values are of one type."""
    names = list(drawn.values)
    pairs = [(a, b) for a in names for b in names if a != b and type(drawn.values[a]) is type(drawn.values[b])]
    if not pairs or any(quote in drawn.statement for quote in "'\""):
        return drawn
    kept, other = rng.choice(pairs)
    values = {name: value for name, value in drawn.values.items() if name != other}
    statement = re.sub(rf"\b{other}\b", kept, drawn.statement)
    return replace(drawn, statement=statement, values=values, kind=f"twice {drawn.kind}")


def _called_by_name(drawer: Drawer, rng: Random) -> Drawn:
    """A line where `heapq.heappop(a)` is sometimes `heappop(a)`, or `g(a)` with `g=heapq.heappop`."""
    drawn = drawer(rng)
    called = _CALL.search(drawn.statement)
    if called is None or rng.random() > _OWN_NAME:
        return drawn
    if rng.random() < 0.5 and called[1] in MODULES and called[2] not in MODULES:  # `bisect` is a module too
        return replace(drawn, statement=drawn.statement.replace(called[0], f"{called[2]}(", 1))
    values = {**drawn.values, "g": getattr(LIBRARIES[called[1]], called[2])}
    return replace(drawn, statement=drawn.statement.replace(called[0], "g(", 1), values=values)


def _looked_up(rng: Random) -> Drawn:
    """A function of a module or of a builtin type, a method of a value or a field of a record that a line looks up."""
    chance = rng.random()
    if chance < 0.25:
        record = RECIPES["named_record"](rng)
        field = rng.choice(record._fields)  # type: ignore[attr-defined]
        values = {"a": record} if chance < 0.18 else {"a": record, "b": rng.randint(0, 20)}
        return Drawn(f"o = a.{field}" if chance < 0.18 else f"o = a._replace({field}=b)", values, {}, "lookup.field")
    if chance < 0.55:
        value = RECIPES[rng.choice(_METHOD_OWNERS)](rng)
        names = [name for name in dir(value) if not name.startswith("_") and callable(getattr(value, name))]
        return Drawn(f"o = a.{rng.choice(names)}", {"a": value}, {}, "lookup.method")
    owners = {**LIBRARIES, **{kind.__name__: kind for kind in (str, int, list, dict, set, float)}}
    owner = rng.choice(list(owners))
    known = dir(owners[owner]) if owner in MODULES else getattr(owners[owner], "__all__", dir(owners[owner]))
    names = [name for name in known if name[0].islower() and callable(getattr(owners[owner], name))]
    return Drawn(f"o = {owner}.{rng.choice(names)}", {}, {}, "lookup.function")


def _fits(example: Example) -> bool:
    """Whether the example is short enough and contains no memory address."""
    sizes = len(example.query) <= QUERY_LIMIT and len(example.answer) <= ANSWER_LIMIT
    return sizes and b" at 0x" not in example.answer


def _raised(example: Example) -> Example:
    """The example with a kind of its own if it raises, because then the exception is the hard part."""
    name = example.answer[1:].partition(b"(")[0].decode()
    return Example(example.context, example.query, example.answer, f"raises.{name}")
