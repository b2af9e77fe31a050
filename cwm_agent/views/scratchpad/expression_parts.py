"""Takes a regular expression apart into the parts that stand one after the other; knows no text that it matches.

(\\d+)-(?:a|b)*    a group with the part `\\d+`, the part `-`, the part `(?:a|b)*`

A group without a quantifier is taken apart in turn; anything else is one part. Every part becomes a group of an
expression that matches the same, so that Python tells which text each part takes. Expressions that refer back to a
group, or set flags, are not taken apart.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_ATOM = re.compile(
    r"(?P<escape>\\.)|(?P<set>\[\^?\]?(?:[^\]\\]|\\.)*\])|(?P<open>\()|(?P<or>\|)|(?P<anchor>[\^$])|(?P<plain>[^)])",
    re.DOTALL,
)
_QUANTIFIER = re.compile(r"(?:[*+?]|\{\d*,?\d*\})[?+]?")
_OPENING = re.compile(r"\((?:\?:|\?P<\w+>)?")
_REFERENCE = re.compile(r"\\[1-9]|\(\?P=|\(\?[aiLmsux-]+[:)]|\(\?\(")
_LITERAL = re.compile(r"[^\\^$.\[(|]|\\[^\w]", re.DOTALL)


class NotTakenApart(Exception):
    """An expression of a kind that this module does not know."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an expression; a group without a quantifier has branches of parts."""

    text: str
    number: int
    """The group of the numbered expression that it is."""
    branches: tuple[tuple["Part", ...], ...] = ()

    def parts(self) -> Iterator[str]:
        """The texts of its smallest parts; a choice between branches is one part."""
        if len(self.branches) == 1:
            for part in self.branches[0]:
                yield from part.parts()
        else:
            yield self.source()

    def source(self) -> str:
        """The part as it stands in the expression."""
        branches = ["".join(part.source() for part in parts) for parts in self.branches]
        return f"{self.text}{'|'.join(branches)})" if branches else self.text


@dataclass(frozen=True, slots=True)
class NumberedExpression:
    """An expression whose parts are groups."""

    branches: tuple[tuple[Part, ...], ...]
    compiled: re.Pattern[str]


@lru_cache(maxsize=256)
def numbered(pattern: str, flags: int) -> NumberedExpression:
    """Return the expression with a group for each part; raise NotTakenApart if it cannot have one."""
    if _REFERENCE.search(pattern) or flags & re.VERBOSE:
        raise NotTakenApart(pattern)
    reader = _Reader(pattern)
    branches = reader.branches()
    if reader.place < len(pattern):
        raise NotTakenApart(pattern)
    try:
        return NumberedExpression(branches, re.compile(_written(branches), flags))
    except re.error:
        raise NotTakenApart(pattern) from None


def _written(branches: tuple[tuple[Part, ...], ...]) -> str:
    return "|".join("".join(map(_grouped, parts)) for parts in branches)


def _grouped(part: Part) -> str:
    return f"({_written(part.branches) if part.branches else part.text})"


class _Reader:
    """Reads the parts of one expression and numbers their groups."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self.place = 0
        self._number = 0

    def branches(self) -> tuple[tuple[Part, ...], ...]:
        """The branches up to the end of the expression or of the group."""
        found: list[tuple[Part, ...]] = []
        parts: list[Part] = []
        while (match := _ATOM.match(self._pattern, self.place)) is not None:
            if match["or"]:
                self.place += 1
                found.append(tuple(parts))
                parts = []
            else:
                parts.append(self._group() if match["open"] else self._single(match))
        return (*found, tuple(parts))

    def _new(self) -> int:
        self._number += 1
        return self._number

    def _single(self, match: re.Match[str]) -> Part:
        """A character or a set with its quantifier, or several plain characters in a row."""
        start, self.place = match.start(), match.end()
        if self._quantified():
            return Part(self._pattern[start : self.place], self._new())
        while _LITERAL.fullmatch(match[0]) and (following := _LITERAL.match(self._pattern, self.place)):
            if following[0] == ")" or _QUANTIFIER.match(self._pattern, following.end()):
                break
            self.place = following.end()
        return Part(self._pattern[start : self.place], self._new())

    def _quantified(self) -> bool:
        match = _QUANTIFIER.match(self._pattern, self.place)
        if match is not None:
            self.place = match.end()
        return match is not None

    def _group(self) -> Part:
        start, before = self.place, self._number
        opening = _OPENING.match(self._pattern, start)
        assert opening is not None
        if self._pattern[start + 1 : start + 2] == "?" and opening.end() == start + 1:
            raise NotTakenApart(self._pattern)  # looks ahead or behind
        number = self._new()
        self.place = opening.end()
        branches = self.branches()
        if self._pattern[self.place : self.place + 1] != ")":
            raise NotTakenApart(self._pattern)
        self.place += 1
        if not self._quantified():
            return Part(opening[0], number, branches)
        self._number = before  # one part, with the groups that it holds itself
        text = self._pattern[start : self.place]
        number = self._new()
        self._number += re.compile(text).groups
        return Part(text, number)
