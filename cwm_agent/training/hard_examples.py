"""Examples that the network got wrong in a batch wait here and are shown again; knows no network and no source.

Late in a run nearly all answers are right, so a step learns from a few dozen of its examples. Each is drawn once,
and its kind is rare. Showing them again, some hundred steps later, costs a few rows of a batch and no generation.
"""

from collections import Counter
from collections.abc import Iterator
from random import Random

import numpy as np
from numpy.typing import NDArray

from cwm_agent.engine.tokenizer import BYTES
from cwm_agent.training.example import Example
from cwm_agent.training.packing import Field, Role, Row, fill_rows, pack

MOST_WRONG = 6
"""Wrong tokens of an answer beyond which it is left out: digits that no text determines stay wrong for ever."""
MOST_SHOWN = 4
"""Times that an example is shown again while it stays wrong."""
FEWEST = 4096
"""Examples that must wait before any is shown again, so that some hundred steps lie between."""
MOST = 16 * FEWEST
"""Examples that may wait; a further one takes the place of any of them."""
MOST_COUNTED = 2**20
"""Examples whose showings are counted; the counts are dropped beyond."""


class HardExamples:
    """The examples that wait to be shown again, and how often each was noted."""

    def __init__(self, length: int, seed: int, *, fewest: int = FEWEST) -> None:
        self.length, self.fewest = length, fewest
        self._rng = Random(seed)
        self._waiting: list[Example] = []
        self._noted: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self._waiting)

    def note(self, rows: NDArray[np.int16], wrong: NDArray[np.bool_]) -> None:
        """Keep the examples of a batch with wrong answer tokens; `wrong` has the shape (rows, length)."""
        for number in np.flatnonzero(wrong.any(axis=1)):
            for example in mistaken(rows[:, number], wrong[number]):
                self._keep(example)

    def _keep(self, example: Example) -> None:
        key = hash((example.context, example.query))
        self._noted[key] += 1
        if self._noted[key] > MOST_SHOWN:
            return
        if len(self._noted) > MOST_COUNTED:
            self._noted.clear()
        if len(self._waiting) < MOST:
            self._waiting.append(example)
        else:
            self._waiting[self._rng.randrange(MOST)] = example

    def rows(self, most: int) -> list[Row]:
        """At most that many full rows of examples drawn at random, which wait no longer; fewer if too few wait."""
        found: list[Row] = []
        while len(found) < most and len(self._waiting) > self.fewest:
            drawn, rest = _filled(self._drawn(), self.length)
            self._waiting += rest
            found.append(pack(drawn, self.length, BYTES))
        return found

    def _drawn(self) -> Iterator[Example]:
        """The waiting examples in random order; each is taken out."""
        while self._waiting:
            at = self._rng.randrange(len(self._waiting))
            self._waiting[at], self._waiting[-1] = self._waiting[-1], self._waiting[at]
            yield self._waiting.pop()


def _filled(examples: Iterator[Example], length: int) -> tuple[list[Example], list[Example]]:
    """Examples that fill one row, and the drawn one that did not fit."""
    taken: list[Example] = []

    def noted() -> Iterator[Example]:
        for example in examples:
            taken.append(example)
            yield example

    row = next(fill_rows(noted(), length))
    return row, taken[len(row) :]


def mistaken(row: Row, wrong: NDArray[np.bool_]) -> Iterator[Example]:
    """The examples of a row with some, but not many, wrong answer tokens; `wrong` has one place a token."""
    segments = row[Field.SEGMENT]
    counts = np.bincount(segments[wrong])
    for number in np.flatnonzero((counts > 0) & (counts <= MOST_WRONG)):
        places = np.flatnonzero(segments == number)
        context = int(row[Field.CONTEXT, places[0]])
        tokens = row[Field.TOKEN, places].astype(np.uint8).tobytes()  # START, ASK and END lie beyond a byte
        ask = 1 + int(np.flatnonzero(row[Field.ROLE, places] == Role.ANSWER)[0])
        shared = b"" if context == number else row[Field.TOKEN, segments == context].astype(np.uint8).tobytes()
        yield Example(shared, tokens[1 : ask - 1], tokens[ask:-1], "hard")
