"""Writes out which text each part of a regular expression takes; knows expressions and texts only.

search(r'(\\w+)-\\d', 'a b-2')      ..a :2 (\\w+>b:3) ->-:4 \\d>2:5    the text before, each part, its text, its end
fullmatch(r'([a-z]\\d{2})', 'x1')  ([a-z]>x:1 \\d{2}!                where no match goes on, written as if it did
search('a|b', 'xb')                ..x:1 a! b>b:2                    branches that fail come first
search(r'a\\d', 'cab')             ..c:1 a>a:2 \\d! ..ab:3 $!        where a match begins and fails; the end without one
match('.*', 'nine words')          .*>nine :5words:10                long texts are counted five by five
findall(r'(\\d)x', '1x 2x')        <(1)x> <(2)x>                     matches and groups in the text
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise

from cwm_agent.views.scratchpad.expression_parts import NotTakenApart, NumberedExpression, Part, numbered

_TICK = 5
"""Characters of a long text that are counted at a time."""
_SHORT = 8
"""Characters that are counted at once."""
_MOST_STARTS = 3
"""Most places where a search begins to match and fails that are written out."""
_MOST_CHARACTERS = 90


def one_match(method: str, pattern: str, flags: int, text: str, *, place: int = 0) -> str | None:
    """Return the steps of a match, a search or a match of the whole text from a place on; None for odd expressions."""
    if len(text) > _MOST_CHARACTERS or "\n" in pattern or place > len(text):
        return None
    try:
        expression = numbered(pattern, flags)
    except NotTakenApart:
        return None
    real = getattr(re.compile(pattern, flags), method)(text, place)
    found = getattr(expression.compiled, method)(text, place)
    if (real and real.span()) != (found and found.span()):
        return None
    before = _counted(text[:place])
    if method == "search":
        before += _scanned(expression, flags, text, place, found.start() if found else len(text))
    elif found is None:
        return _on_one_row(before + _attempt(expression, flags, text, place)[0])
    return _on_one_row(before + (_branch(expression.branches, found) if found else "$!"))


def _on_one_row(work: str) -> str:
    return work.replace("\n", "\\n")


def of_match(pattern: str, flags: int, text: str, span: tuple[int, int]) -> str | None:
    """Return the parts of a match by its positions."""
    if len(text) > _MOST_CHARACTERS or "\n" in pattern:
        return None
    try:
        expression = numbered(pattern, flags)
    except NotTakenApart:
        return None
    found = expression.compiled.fullmatch(text, *span)
    return None if found is None else _on_one_row(_counted(text[: span[0]]) + _branch(expression.branches, found))


def all_matches(pattern: str, flags: int, text: str) -> str | None:
    """Return the text with each match between angle brackets, and each group of it between round ones."""
    if len(text) > _MOST_CHARACTERS:
        return None
    found, place = [], 0
    for match in re.compile(pattern, flags).finditer(text):
        found += [text[place : match.start()], f"<{_with_groups(match)}>"]
        place = match.end()
    return _on_one_row("".join([*found, text[place:]]))


def _with_groups(match: re.Match[str]) -> str:
    places = [match.span(number) for number in range(1, (match.re.groups or 0) + 1)]
    taken = [place for place in places if place[0] >= 0]
    if taken != sorted(taken) or any(a[1] > b[0] for a, b in pairwise(taken)):
        return match[0]  # groups inside groups
    found, at = [], match.start()
    for start, end in taken:
        found += [match.string[at:start], f"({match.string[start:end]})"]
        at = end
    return "".join([*found, match.string[at : match.end()]])


def _counted(text: str) -> str:
    """The text before a position, with the number of its characters; nothing for the very beginning."""
    return f"{_ended(text, len(text))} " if text else ""


def _ended(text: str, end: int) -> str:
    """A piece of text and the place where it ends; a long one in pieces."""
    if len(text) <= _SHORT:
        return f"{text}:{end}"
    start = end - len(text)
    return "".join(f"{text[at : at + _TICK]}:{min(start + at + _TICK, end)}" for at in range(0, len(text), _TICK))


def _branch(branches: tuple[tuple[Part, ...], ...], match: re.Match[str]) -> str:
    """The branch that was taken, behind the first parts of those that failed before it."""
    found: list[str] = []
    for parts in branches:
        if all(match.start(part.number) >= 0 for part in parts):
            return " ".join([*found, *(_part(part, match) for part in parts)])
        found += [f"{next(parts[0].parts())}!"] if parts else []
    return " ".join(found)


def _part(part: Part, match: re.Match[str]) -> str:
    if part.branches:
        return f"{part.text}{_branch(part.branches, match)})"
    return f"{part.text}>{_ended(match[part.number], match.end(part.number))}"


def _scanned(expression: NumberedExpression, flags: int, text: str, place: int, stop: int) -> str:
    """The text up to a match, or to its end; the first places where a match begins and fails stand among it."""
    found: list[str] = []
    tried = ((start, *_attempt(expression, flags, text, start)) for start in range(place, stop))
    for start, attempt, _ in islice((each for each in tried if each[2]), _MOST_STARTS):
        found += [_skipped(text[place:start], start), attempt, " "]
        place = start
    return "".join([*found, _skipped(text[place:stop], stop)])


def _skipped(gap: str, end: int) -> str:
    return f"..{_ended(gap, end)} " if gap else ""


def _attempt(expression: NumberedExpression, flags: int, text: str, place: int) -> tuple[str, bool]:
    """The parts of each branch that match at a place, written as those of a match, up to the one that does not.

    Beside them whether any part matches.
    """
    found: list[str] = []
    begins = False
    for branch in expression.branches:
        leaves = [leaf for part in branch for leaf in _leaves(part)]
        sources = [leaf.part.source() for leaf in leaves]
        count, best = 0, None
        while count < len(leaves) and (longer := _beginning(tuple(sources[: count + 1]), flags).match(text, place)):
            count, best, begins = count + 1, longer, True
        if best is not None:
            found += [leaf.taken(flags, best, at) for at, leaf in enumerate(leaves[:count])]
        found.append(f"{leaves[count].opening}{sources[count]}!" if count < len(leaves) else "$!")
    return " ".join(found), begins


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A smallest part, with the groups that begin before it and end behind it; a choice is one of them."""

    opening: str
    part: Part
    closing: str

    def taken(self, flags: int, match: re.Match[str], at: int) -> str:
        start, end = match.span(_name(at))
        if self.part.branches:
            choice = numbered(self.part.source(), flags)
            inner = choice.compiled.fullmatch(match.string, start, end)
            work = self.part.source() if inner is None else _branch(choice.branches, inner)
        else:
            work = f"{self.part.text}>{_ended(match[_name(at)], end)}"
        return f"{self.opening}{work}{self.closing}"


def _leaves(part: Part) -> list[_Leaf]:
    if len(part.branches) != 1 or not part.branches[0]:
        return [_Leaf("", part, "")]
    first, *others = [leaf for inner in part.branches[0] for leaf in _leaves(inner)]
    found = [replace(first, opening=part.text + first.opening), *others]
    return [*found[:-1], replace(found[-1], closing=found[-1].closing + ")")]


@lru_cache(maxsize=256)
def _beginning(parts: tuple[str, ...], flags: int) -> re.Pattern[str]:
    return re.compile("".join(f"(?P<{_name(at)}>{part})" for at, part in enumerate(parts)), flags)


def _name(place: int) -> str:
    return f"part_{place}_"
