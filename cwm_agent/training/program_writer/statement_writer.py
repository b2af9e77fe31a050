"""Writes statements from idioms into a function body and tracks the types of its variables; most run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from cwm_agent.training.program_writer.expression_writer import ExpressionWriter
from cwm_agent.training.program_writer.grammar import FORMS
from cwm_agent.training.program_writer.idioms import GATHERING, STATEMENTS
from cwm_agent.training.program_writer.variable_names import fresh

_HOLE = re.compile(r"\{([^{}]+)\}")
_NAMED = re.compile(r"([=@])(\w+)(?::(\w+))?(?:\$(\d))?$")
_CHOICES = {
    "aug": ("+=", "+=", "-=", "*="),
    "strmethod": ("upper", "lower", "strip", "title", "swapcase", "capitalize", "rstrip"),
    "sortargs": ("", "", "reverse=True", "key=lambda v: -v", "key=abs"),
    "popargs": ("", "0", "-1"),
    "error": (
        "ValueError",
        "IndexError",
        "KeyError",
        "(ValueError, IndexError)",
        "Exception",
        "ZeroDivisionError",
        "TypeError",
    ),
}
_RISKY = (
    "{int} // {int}",
    "{int} % {int}",
    "{@ints}[{int}]",
    "{@counts}[{word}]",
    "{@str}.index({char})",
    "int({str})",
)
_GATHERED = {
    "int": "count", "str": "built", "ints": "collected", "strs": "collected", "counts": "dict", "table": "dict",
    "wordmap": "dict", "set": "set", "groups": "dict", "pairs": "collected", "grid": "grid",
    "maybe": "int", "bool": "bool",
}  # fmt: skip
"""Results that loops collect, and how their variables are named."""
_NAMED_AS = {
    "counts": "dict",
    "table": "dict",
    "wordmap": "dict",
    "groups": "dict",
    "pair": "tuple",
    "pairs": "collected",
}
_RETURNED = (
    "int",
    "str",
    "str",
    "ints",
    "strs",
    "counts",
    "bool",
    "pair",
    "set",
    "table",
    "pairs",
    "wordmap",
    "char",
    "float",
)


@dataclass(frozen=True, slots=True)
class Idiom:
    """A form of one or more lines."""

    lines: tuple[str, ...]
    weight: int
    tags: tuple[str, ...]
    needs: frozenset[str]


@lru_cache(maxsize=2)
def idioms(text: str) -> tuple[Idiom, ...]:
    """Parse a table of idioms."""
    found = []
    for form in text.strip().split("\n\n"):
        first, *lines = form.splitlines()
        weight, *tags = first.removeprefix("# ").split(" ")
        found.append(Idiom(tuple(lines), int(weight), tuple(tags), _needs(lines)))
    return tuple(found)


def _needs(lines: list[str]) -> frozenset[str]:
    holes = [match[1] for line in lines for match in _HOLE.finditer(line)]
    known = {match[2] for hole in holes if (match := _NAMED.match(hole)) and match[1] == "@"}
    made = {"int", "bool", "char"}
    return frozenset(known | {hole for hole in holes if hole in FORMS and hole not in made})


class BodyWriter:
    """Writes the body of one function."""

    def __init__(self, rng: Random, scope: dict[str, str], *, straight: bool = False) -> None:
        """A straight body has few branches and no loops except comprehensions."""
        self._straight = straight
        self._rng = rng
        self._scope = scope
        self._say = ExpressionWriter(rng, scope)
        self._taken = set(scope)
        self._left = rng.choice((3, 5, 7, 10, 14))
        """Number of statements that may still be written."""
        self._held: list[str] = []
        """Results of the surrounding loops."""
        self._pending: dict[str, str] = {}
        """Results of the loop that starts next; its header must not use them yet."""
        self.gathered: list[str] = []

    def statements(self, count: int, indent: str, loops: int = 0) -> Iterator[str]:
        """Lines of several statements, one idiom each."""
        for _ in range(count):
            idiom = self._choose(loops)
            yield from self._write(idiom, indent, loops)

    def written(self, idiom: Idiom, indent: str) -> Iterator[str]:
        """Lines of one idiom that is not a loop."""
        yield from self._write(idiom, indent, 0)

    def bound(self, kind: str, form: str, indent: str) -> str:
        """A line that assigns an expression of that form to a new variable."""
        name = fresh(self._rng, _NAMED_AS.get(kind, kind), self._taken)
        line = f"{indent}{name} = {self._say.fill(form, 1)}"
        self._scope[name] = kind
        return line

    def returned(self) -> str:
        """An expression to return: mostly something collected or changed."""
        rng = self._rng
        pool = [name for name in self.gathered if name in self._scope] or list(self._scope)
        name = rng.choice(pool[-3:])
        draw = rng.random()
        if draw < 0.5 or self._scope[name] not in FORMS:
            return name
        if draw < 0.65 and len(self._scope) > 1:
            return f"{name}, {rng.choice(list(self._scope))}"
        return self._say.write(rng.choice(_RETURNED), depth=2)

    def _choose(self, loops: int) -> Idiom:
        present = self._say.present()
        barred = "outer" if loops else "inner"
        looping = loops < 2 and self._left > 1 and not self._straight
        possible = [
            idiom
            for idiom in idioms(STATEMENTS)
            if idiom.needs <= present and barred not in idiom.tags and (looping or "loop" not in idiom.tags)
        ]
        loop_factor = 6 if loops == 0 and not self.gathered else 1
        block_factor = 1 if self._straight else 3
        weights = [
            idiom.weight * (loop_factor if "loop" in idiom.tags else block_factor if len(idiom.lines) > 1 else 3)
            for idiom in possible
        ]
        return self._rng.choices(possible, weights)[0]

    def _write(self, idiom: Idiom, indent: str, loops: int) -> Iterator[str]:
        self._left -= 1
        before = set(self._scope)
        inside = loops + ("loop" in idiom.tags)
        if "loop" in idiom.tags:
            yield from self._accumulators(indent)
            before |= set(self._held)
        numbered: dict[str, str] = {}
        for line in idiom.lines:
            text = line.lstrip()
            yield from self._line(text, indent + line[: len(line) - len(text)], inside, numbered)
        if "loop" in idiom.tags:
            self._held.pop()
        if len(idiom.lines) > 1 and not idiom.lines[0].startswith("{="):
            for name in [name for name in self._scope if name not in before]:
                del self._scope[name]  # it may be undefined

    def _line(self, text: str, indent: str, loops: int, numbered: dict[str, str]) -> Iterator[str]:
        if text == "{block}":
            yield from self._block(indent, loops)
        elif text == "{gather}":
            yield from self._gather(indent, loops)
        else:
            new: dict[str, str] = {}
            yield indent + _HOLE.sub(lambda match: self._hole(match[1], numbered, new), text)
            self._scope.update(new)
            if text.startswith(("for ", "while ")):
                self._scope.update(self._pending)
                self._pending.clear()

    def _block(self, indent: str, loops: int) -> Iterator[str]:
        before = set(self._scope)
        if self._held and self._rng.random() < 0.5:
            yield from self._add(self._held[-1], indent)
        else:
            count = 1 if self._left < 2 or self._rng.random() < 0.7 else 2
            yield from self.statements(count, indent, loops)
        for name in [name for name in self._scope if name not in before]:
            del self._scope[name]

    def _accumulators(self, indent: str) -> Iterator[str]:
        """Assignments of the start values of what the loop collects."""
        idiom = self._gathering(None)
        name = fresh(self._rng, _GATHERED[idiom.tags[0]], self._taken)
        yield f"{indent}{name} = {idiom.tags[1]}"
        self._pending[name] = idiom.tags[0]
        self._held.append(name)
        self.gathered.append(name)

    def _gathering(self, kind: str | None) -> Idiom:
        present = self._say.present()
        possible = [
            idiom for idiom in idioms(GATHERING) if (kind is None or idiom.tags[0] == kind) and idiom.needs <= present
        ]
        return self._rng.choices(possible, [idiom.weight for idiom in possible])[0]

    def _gather(self, indent: str, loops: int) -> Iterator[str]:
        """The body of a loop: sometimes another statement, then the collecting one, sometimes under a condition."""
        rng = self._rng
        if self._left > 0 and rng.random() < 0.4:
            yield from self.statements(1, indent, loops)
        if rng.random() < 0.45:
            yield f"{indent}if {self._say.write('bool', rng.choice((1, 1, 2)))}:"
            yield from self._add(self._held[-1], indent + "    ")
            if rng.random() < 0.35:
                yield f"{indent}else:"
                yield from self._block(indent + "    ", loops)
        else:
            yield from self._add(self._held[-1], indent)

    def _add(self, name: str, indent: str) -> Iterator[str]:
        for line in self._gathering(self._scope.get(name, "int")).lines:
            text = line.lstrip()
            filled = _HOLE.sub(lambda match: name if match[1] == "acc" else self._hole(match[1], {}, {}), text)
            yield indent + line[: len(line) - len(text)] + filled

    def _hole(self, hole: str, numbered: dict[str, str], new: dict[str, str]) -> str:
        if hole.startswith("$"):
            return numbered[hole[1:]]
        if named := _NAMED.match(hole):
            return self._named(named, numbered, new)
        if hole in _CHOICES:
            return self._rng.choice(_CHOICES[hole])
        if hole == "risky":
            possible = [form for form in _RISKY if _needs([form]) <= self._say.present()]
            return _HOLE.sub(lambda match: self._hole(match[1], numbered, new), self._rng.choice(possible))
        if hole == "any":
            return self.returned()
        if hole in FORMS and self._rng.random() < 0.75:
            return f"({self._say.write(hole, self._rng.choice((1, 1, 2)))})"
        return self._say.fill("{" + hole + "}", self._rng.choice((1, 2)))

    def _named(self, named: re.Match[str], numbered: dict[str, str], new: dict[str, str]) -> str:
        sign, kind, held, number = named.groups()
        if sign == "=":
            name = fresh(self._rng, kind, self._taken)
            new[name] = held
        else:
            name = self._say.variable(kind) or self._say.atom(kind)
        if number:
            numbered[number] = name
        return name
