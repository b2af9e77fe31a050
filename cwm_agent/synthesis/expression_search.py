"""Finds the missing body of a function from examples of it: small expressions, bottom up, and conditions between them.

Expressions are listed by size and kept once for each row of values over all examples (observational equivalence).
Where no single expression fits, a decision tree over small predicates chooses between expressions that fit a part
(Alur, Radhakrishna and Udupa, TACAS 2017). It reads examples only, never a reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

MOST_TERMS = 4000
DEEPEST = 3
"""Most conditions on the way to an expression."""
SPLITS_TRIED = 12
_ERROR = ("error",)
"""The value of an expression on an example on which it cannot be computed."""


@dataclass(frozen=True, slots=True)
class Term:
    """An expression, and its value on each example."""

    text: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class CallExample:
    """Arguments of a call, and what it returned."""

    arguments: tuple[Any, ...]
    result: Any


def find_body(parameters: Sequence[str], examples: Sequence[CallExample]) -> str | None:
    """Return statements that give every example's result; None if none are found.

    A first argument and a result that are tuples of one length are taken apart, and each part is found for itself.
    """
    if not examples:
        return None
    width = _record_width(examples)
    if width is None:
        found = _find(list(parameters), [example.arguments for example in examples], [e.result for e in examples])
        return None if found is None else f"return {found}"
    names = [f"{parameters[0]}_{index}" for index in range(width)]
    rows = [(*example.arguments[0], *example.arguments[1:]) for example in examples]
    variables = [*names, *parameters[1:]]
    parts = [_find(variables, rows, [example.result[index] for example in examples]) for index in range(width)]
    if any(part is None for part in parts):
        return None
    return f"{', '.join(names)} = {parameters[0]}\nreturn ({', '.join(str(part) for part in parts)})"


def _record_width(examples: Sequence[CallExample]) -> int | None:
    """Return the common length of the first arguments and the results, where all are tuples of it; else None."""
    values = [example.arguments[0] for example in examples] + [example.result for example in examples]
    lengths = {len(value) if isinstance(value, tuple) else -1 for value in values}
    return lengths.pop() if len(lengths) == 1 and lengths != {-1} and lengths != {1} else None


def _find(variables: Sequence[str], rows: Sequence[Sequence[Any]], wanted: Sequence[Any]) -> str | None:
    """Return an expression over the variables that has the wanted value in every row."""
    target = tuple(wanted)
    bank: dict[tuple[Any, ...], Term] = {}
    atoms = [Term(name, tuple(row[index] for row in rows)) for index, name in enumerate(variables)]
    atoms += [Term(repr(value), (value,) * len(rows)) for value in _constants(wanted)]
    levels = [_added(bank, atoms)]
    for _ in range(2):
        if _key(target) in bank or len(bank) > MOST_TERMS:
            break
        known = [term for level in levels for term in level]
        levels.append(_added(bank, _grown(known, levels[-1])))
    every = (1 << len(rows)) - 1
    return _tree(every, _fits(bank.values(), target), _conditions(levels, variables, rows), DEEPEST)


def _constants(wanted: Sequence[Any]) -> list[Any]:
    """Return small numbers, and the characters that occur in wanted texts."""
    letters = sorted({letter for value in wanted if isinstance(value, str) for letter in value})[:6]
    return [0, 1, 2, *letters]


def _added(bank: dict[tuple[Any, ...], Term], terms: Iterator[Term] | Sequence[Term]) -> list[Term]:
    """Add terms with new values to the bank and return them."""
    new = []
    for term in terms:
        key = _key(term.values)
        if key not in bank and any(value is not _ERROR for value in term.values):
            bank[key] = term
            new.append(term)
            if len(bank) > MOST_TERMS:
                break
    return new


def _key(values: Sequence[Any]) -> tuple[Any, ...]:
    """Return values with their types: 1, 1.0 and True differ. A value that holds a list, as actions do, is its text."""
    return tuple((type(value).__name__, value if _is_hashable(value) else repr(value)) for value in values)


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


_Operation = tuple[str, Callable[..., Any], tuple[type | tuple[type, ...], ...]]
_SEQUENCE = (str, tuple)
_UNARY: list[_Operation] = [
    ("len({0})", len, (_SEQUENCE,)),
    ("{0} + 1", lambda x: x + 1, (int,)),
    ("1 - {0}", lambda x: 1 - x, (int,)),
    ("{0} % 2", lambda x: x % 2, (int,)),
    ("-{0}", lambda x: -x, (int,)),
]
_BINARY: list[_Operation] = [
    ("{0} + {1}", lambda x, y: x + y, (str, str)),
    ("{0} + {1}", lambda x, y: x + y, (int, int)),
    ("{0} - {1}", lambda x, y: x - y, (int, int)),
    ("(*{0}, {1})", lambda x, y: (*x, y), (tuple, object)),
    ("{0}.count({1})", lambda x, y: x.count(y), (str, str)),
    ("{0}[{1}]", lambda x, y: x[y], (_SEQUENCE, int)),
]
_TERNARY: list[_Operation] = [
    ("{0}[:{1}] + {2} + {0}[{1} + 1:]", lambda x, y, z: x[:y] + z + x[y + 1 :], (str, int, str)),
    ("{0}[:{1}] + ({2},) + {0}[{1} + 1:]", lambda x, y, z: (*x[:y], z, *x[y + 1 :]), (tuple, int, int)),
]


def _grown(known: Sequence[Term], last: Sequence[Term]) -> Iterator[Term]:
    """Yield expressions of one operation over known ones, at least one of them from the last level."""
    new = {term.text for term in last}
    small = known[:40]
    for operations, arity in ((_UNARY, 1), (_BINARY, 2), (_TERNARY, 3)):
        for text, function, kinds in operations:
            for parts in _choices(small, arity):
                if any(part.text in new for part in parts):
                    values = tuple(_value(function, kinds, row) for row in zip(*(p.values for p in parts), strict=True))
                    yield Term(text.format(*(_bracketed(part.text) for part in parts)), values)


def _choices(terms: Sequence[Term], arity: int) -> Iterator[tuple[Term, ...]]:
    if arity == 1:
        yield from ((term,) for term in terms)
    elif arity == 2:
        yield from ((one, two) for one in terms for two in terms)
    else:  # few: each combination of three is a program
        yield from ((one, two, three) for one in terms[:8] for two in terms[:8] for three in terms[:12])


def _value(function: Callable[..., Any], kinds: Sequence[Any], arguments: Sequence[Any]) -> Any:
    """Return the function's value; the error value for arguments of other types, or where it fails."""
    for kind, argument in zip(kinds, arguments, strict=True):
        if argument is _ERROR or not isinstance(argument, kind) or (kind is int and isinstance(argument, bool)):
            return _ERROR
    try:
        return function(*arguments)
    except (IndexError, ValueError, TypeError, OverflowError):
        return _ERROR


def _bracketed(text: str) -> str:
    return text if text.isidentifier() or " " not in text or text[0] in "('" else f"({text})"


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of the variables: the rows where it holds, and those where it can be computed, as bits."""

    text: str
    holds: int
    computed: int


def _conditions(levels: Sequence[Sequence[Term]], variables: Sequence[str], rows: Sequence[Any]) -> list[Condition]:
    """Return conditions that split the examples: types of variables, and comparisons of small numbers."""
    every = (1 << len(rows)) - 1
    tests = [
        Condition(f"isinstance({name}, str)", _bits(isinstance(row[index], str) for row in rows), every)
        for index, name in enumerate(variables)
    ]
    numbers = [term for level in levels[:2] for term in level if any(type(value) is int for value in term.values)]
    for one in numbers[:60]:
        for two in numbers[:60]:
            if one.text != two.text:
                pairs = [
                    (x, y) if type(x) is type(y) is int else None for x, y in zip(one.values, two.values, strict=True)
                ]
                computed = _bits(pair is not None for pair in pairs)
                equal = _bits(pair is not None and pair[0] == pair[1] for pair in pairs)
                less = _bits(pair is not None and pair[0] < pair[1] for pair in pairs)
                tests.append(Condition(f"{one.text} == {two.text}", equal, computed))
                tests.append(Condition(f"{one.text} < {two.text}", less, computed))
    kept: dict[tuple[int, int], Condition] = {}
    for test in tests:
        if test.holds and test.holds != test.computed:
            kept.setdefault((test.holds, test.computed), test)
    return list(kept.values())


def _bits(flags: Iterable[bool]) -> int:
    return sum(1 << place for place, flag in enumerate(flags) if flag)


def _tree(rows: int, fits: dict[int, Term], tests: Sequence[Condition], depth: int) -> str | None:
    """Return an expression that is right in these rows, with at most `depth` conditions.

    `fits` has the shortest expression for each set of rows in which one is right.
    """
    best = max(fits, key=lambda right: ((right & rows).bit_count(), -len(fits[right].text)), default=0)
    if best & rows == rows:
        return fits[best].text
    if depth == 0 or not best & rows:
        return None
    parts = list({right & rows for right in fits} - {0})
    scored = sorted(
        ((_split_score(test, rows, parts), -len(test.text), place) for place, test in enumerate(tests)), reverse=True
    )
    for score, _, place in scored[:SPLITS_TRIED]:
        if score <= (best & rows).bit_count():
            return None
        test = tests[place]
        one = _tree(rows & test.holds, fits, tests, depth - 1)
        other = None if one is None else _tree(rows & ~test.holds, fits, tests, depth - 1)
        if one is not None and other is not None:
            return f"({one} if {test.text} else {other})"
    return None


def _split_score(test: Condition, rows: int, parts: Sequence[int]) -> int:
    """Return how many rows are right at best when each side of a split has one expression; 0 for no split."""
    yes, no = rows & test.holds, rows & ~test.holds
    if not yes or not no or rows & ~test.computed:
        return 0
    return max([(right & yes).bit_count() for right in parts]) + max([(right & no).bit_count() for right in parts])


def _fits(terms: Iterable[Term], target: Sequence[Any]) -> dict[int, Term]:
    """Return the shortest expression for each set of rows in which one has the target's value."""
    found: dict[int, Term] = {}
    for term in terms:
        right = _bits(type(x) is type(y) and x == y for x, y in zip(term.values, target, strict=True))
        if right and (right not in found or len(term.text) < len(found[right].text)):
            found[right] = term
    return found
