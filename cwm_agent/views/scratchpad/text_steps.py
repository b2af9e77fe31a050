"""Writes a text out with the places where a part is found; knows only texts.

'xabyabz'.count('ab')           xab:1 yab:2 z      the count behind each place
'xabyabz'.replace('ab', 'c')    x<ab>y<ab>z        what is replaced, in brackets that neither text has
'a/b/c'.rsplit('/', 1)          c|a/b              the pieces from the end
'xabyabz'.find('ab', 2)         1 4                every place where the part begins
'-+-'.join(['---', '-----'])    -*3 -*5            how often each item repeats its one character
Counter('abca')                 a1 b1 c1 a2        each letter with its count so far
Counter(['b', 'a', 'b'])        'b':1 'a':1 'b':2  each item with its count so far
'The AnT'.istitle()             The AnT!           up to the first letter in a wrong case
' (ab) '.strip(' ()')             (|ab|)             what is dropped before and behind what stays
wrap('one two three', 8)        3 7|5              the length of the line behind each word; `|` where a new one begins

A small network finds all places at once badly where a text repeats itself; one after the other it finds them well.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

_SHORTEST, _LONGEST = 5, 60
"""Characters of a text that is written out."""


_FEWEST_LETTERS = 5
_MOST_PLACES = 12
_MOST_ITEMS = 24
_BRACKETS = ("<>", "{}", "[]", "()")
_BORDER = "|"
_SHORT_RUN = 2
"""Characters of a run that needs no count."""


def counted(text: str, part: str) -> str | None:
    """Return the text with the count behind each place of the part."""
    if not _is_written(text, part):
        return None
    *ended, rest = text.split(part)
    return "".join(f"{before}{part}:{number} " for number, before in enumerate(ended, 1)) + rest


def replaced(text: str, part: str, most: int = -1) -> str | None:
    """Return the text with brackets around the places of the part, around the first `most` of them if not negative."""
    brackets = next((each for each in _BRACKETS if not set(each) & set(text + part)), None)
    if brackets is None or not _is_written(text, part):
        return None
    return text.replace(part, brackets[0] + part + brackets[1], most)


def split_from_the_end(text: str, part: str, most: int) -> str | None:
    """Return the pieces of a text that is split at most so often, the last one first."""
    if not _is_written(text, part) or _BORDER in text or most < 0:
        return None
    return _BORDER.join(reversed(text.rsplit(part, most)))


def places(text: str, part: str, bounds: Sequence[int | None] = ()) -> str | None:
    """Return every place where the part begins, overlapping ones too, then those within the bounds; `-` for none."""
    if not _is_written(text, part):
        return None
    found = [place for place in range(len(text)) if text.startswith(part, place)]
    if len(found) > _MOST_PLACES:
        return None
    start, stop, _ = slice(*(bounds or [None])).indices(len(text))
    within = [place for place in found if start <= place <= stop - len(part)]
    return "; ".join(" ".join(map(str, each)) or "-" for each in ([found, within] if bounds and found else [found]))


def runs(items: list[str]) -> str | None:
    """Return the lengths of items that repeat one character; None if not all do, or none of them is long."""
    if not all(item and item == item[0] * len(item) and item.isprintable() for item in items):
        return None
    return (
        " ".join(f"{item[0]}*{len(item)}" for item in items) if max(map(len, items), default=0) > _SHORT_RUN else None
    )


def tallied_items(items: Sequence[str], known: Sequence[object] | None, counts: Mapping[object, object]) -> str | None:
    """The same for the items of a list, of which also the texts are given."""
    now = Counter({each: count for each, count in counts.items() if isinstance(count, int)})
    plain = known is not None and all(isinstance(each, str | int) for each in known)
    if known is None or not plain or not _FEWEST_LETTERS <= len(items) <= _MOST_ITEMS or len(now) < len(counts):
        return None
    found = []
    for text, item in zip(items, known, strict=True):
        now[item] += 1
        found.append(f"{text}:{now[item]}")
    return " ".join(found)


def titled(text: str) -> str | None:
    """Return the text up to the first letter whose case is wrong for a title, with a mark; all of it if none is."""
    if not text.isprintable() or not _SHORTEST <= len(text) <= _LONGEST:
        return None
    for place, letter in enumerate(text):
        follows = place > 0 and _is_cased(text[place - 1])
        if _is_cased(letter) and follows == letter.isupper():
            return f"{text[: place + 1]}!"
    return text


def _is_cased(letter: str) -> bool:
    return letter.lower() != letter.upper()


def tallied(text: str, counts: Mapping[object, object]) -> str | None:
    """Return each letter with its count so far, from the counts that there are."""
    if not text.isprintable() or not _FEWEST_LETTERS <= len(text) <= _LONGEST:
        return None
    now = Counter({letter: count for letter, count in counts.items() if isinstance(count, int)})
    if len(now) < len(counts):
        return None
    found = []
    for letter in text:
        now[letter] += 1
        found.append(f"{letter}{now[letter]}")
    return " ".join(found)


def stripped(text: str, marks: str, method: str) -> str | None:
    """Return what is dropped before and behind what stays; None for texts that are not written out."""
    if not text.isprintable() or not marks or len(text) > _LONGEST:
        return None
    left = text.lstrip(marks) if method != "rstrip" else text
    kept = left.rstrip(marks) if method != "lstrip" else left
    return f"{text[: len(text) - len(left)]}|{kept}|{left[len(kept) :]}"


def wrapped(text: str, width: int) -> str | None:
    """Return how long the line is behind each word of a text that is wrapped; None for words that may be broken."""
    words = text.split()
    if not text.isprintable() or "-" in text or not words or max(map(len, words)) > width:
        return None
    found, now = "", 0
    for word in words:
        fits = now and now + 1 + len(word) <= width
        found += (" " if fits else "|") + str(now := now + 1 + len(word) if fits else len(word))
    return found[1:]


def _is_written(text: str, part: str) -> bool:
    return bool(part) and text.isprintable() and _SHORTEST <= len(text) <= _LONGEST
