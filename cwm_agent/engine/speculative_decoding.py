"""Guesses at what the model will say next, so that it can check several tokens in one pass; knows no network.

A pass over ten tokens costs a CPU hardly more than a pass over one, and a wrong guess changes no answer: only what
the model itself would have said is kept. Guesses come from how the last answer to the same first line began, and from
what followed the same bytes in any earlier answer, in the question, or in the answer under way.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import TypeVar

V = TypeVar("V")
LINES_KEPT = 4_096
"""First lines whose last answer is kept."""
CLUES_KEPT = 65_536
"""Runs of bytes of which it is kept what followed."""
LONG, SHORT = 6, 3
"""Bytes of a run: a long one is believed before a short one."""
_BYTES = 256


class DraftTokens:
    """What was said, kept for guessing."""

    def __init__(self) -> None:
        self._by_line: OrderedDict[bytes, list[int]] = OrderedDict()
        self._by_clue: OrderedDict[bytes, tuple[list[int], int]] = OrderedDict()

    def learn(self, question: bytes, answer: Sequence[int]) -> None:
        """Remember an answer, its tokens as they were said."""
        said = list(answer)
        _put(self._by_line, _first_line(question), said, LINES_KEPT)
        text = bytes(token for token in said if token < _BYTES)
        for size in (SHORT, LONG):
            for place in range(size, min(len(said), len(text) + 1)):
                _put(self._by_clue, text[place - size : place], (said, place), CLUES_KEPT)

    def guess(self, question: bytes, said: Sequence[int], most: int) -> list[int]:
        """At most so many tokens that may follow what was said; none where there is no clue."""
        if not said:
            return self._opening(question)[:most]
        text = bytes(token for token in said if token < _BYTES)
        for size in (LONG, SHORT):
            if len(text) >= size and (found := self._after(question, text, size, most)):
                return found
        return []

    def _opening(self, question: bytes) -> list[int]:
        """How an answer may begin: like the last one to the same line, else with the name the line binds."""
        line = _first_line(question)
        if line in self._by_line:
            return self._by_line[line]
        name, binds, _ = line.partition(b" = ")
        return list(name + b"=") if binds else []

    def _after(self, question: bytes, text: bytes, size: int, most: int) -> list[int]:
        """What followed the last bytes of the text where they stood before."""
        clue = text[-size:]
        place = text.rfind(clue, 0, -1) if size == LONG else -1
        if place >= 0:
            return _repeated(text[place + size :], most)
        place = question.rfind(clue)
        if place >= 0 and (rest := question[place + size :].partition(b"\n")[0]):
            return list(rest[:most])
        said, place = self._by_clue.get(clue, ([], 0))
        return said[place : place + most]


def _first_line(question: bytes) -> bytes:
    return question.partition(b"\n")[0]


def _repeated(text: bytes, most: int) -> list[int]:
    """The text over and over: an answer that repeats itself is likely to go on so."""
    return list((text * (most // len(text) + 1))[:most])


def _put(store: OrderedDict[bytes, V], key: bytes, value: V, most: int) -> None:
    """Keep a value, and forget what was put in longest ago."""
    store[key] = value
    store.move_to_end(key)
    if len(store) > most:
        store.popitem(last=False)
