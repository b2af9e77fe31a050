"""Constrained decoding of one frame, token by token, with log-probabilities; knows no network.

The decoder forces the part of a frame that the guide decides. It takes the likeliest event that the guide allows, and
of a line it takes the likeliest token that still leads to an allowed line. A single allowed action is therefore given,
and its log-probability is still measured. A `FrameTokens` says how tokens spell a frame: bytes here, a tokenizer's ids
in `cwm_history.py`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from cwm_agent.views.history.action_places import Action
from cwm_agent.views.history.byte_marks import MARK_BYTES
from cwm_agent.views.history.frame_format import EVENT_MARKS, Mark

Chance = Callable[[int], float]
"""Log-probability of a token."""
Part = Literal["event", "locals", "action", "value"]


@dataclass(frozen=True, slots=True)
class FrameTokens:
    """How a model's tokens spell a frame."""

    marks: Mapping[Mark, int]
    line: Callable[[str], Sequence[int]]
    """Returns the tokens of a source line, without the mark that closes it."""
    stray: Callable[[int], bool]
    """Whether a token is neither text nor one of the marks; such a token ends a frame."""

    def event(self, event: str) -> int | None:
        """Return the mark that opens a frame of that event; None for `end`."""
        return next((self.marks[mark] for each, mark in EVENT_MARKS.items() if each == event), None)

    def closing(self, opened: int) -> int:
        """Return the mark behind the source line of a frame, by the mark that opened the frame."""
        return self.marks[Mark.FRAME if opened in (self.event("call"), self.event("line")) else Mark.ARG]


BYTES = FrameTokens(MARK_BYTES, lambda line: line.encode("utf-8", "surrogatepass"), lambda token: token > 255)


@dataclass(slots=True)
class FrameDecoder:
    """Decodes one frame."""

    allowed: frozenset[Action] | None
    end: int
    """The token that ends the history."""
    limit: int
    """Most tokens of a frame; decoding stops there."""
    vocabulary: FrameTokens = BYTES
    decoded: list[int] = field(default_factory=list)
    logprob: float = 0.0
    """Sum over the tokens that the model chose itself."""
    action_logprob: float = 0.0
    done: bool = False
    _part: Part = "event"
    _lines: list[tuple[int, ...]] | None = None
    """Lines that the tokens so far can still become, each with the mark that closes it; None allows every line."""
    _place: int = 0

    def choose(self, likeliest: int, chance: Chance) -> int:
        """Return the next token; `likeliest` is the likeliest of all tokens."""
        choices = self._choices()
        token = likeliest if choices is None else max(choices, key=chance)
        surely = float(chance(token))
        if choices is None or len(choices) > 1:
            self.logprob += surely
        if self._part in ("event", "action"):
            self.action_logprob += surely
        self._take(token)
        return token

    def _choices(self) -> list[int] | None:
        """Return the tokens that the guide allows; None for all."""
        if self._part == "event" and self.allowed is not None:
            return sorted({self._opening(action) for action in self.allowed})
        if self._part == "action" and self._lines is not None:
            return sorted({line[self._place] for line in self._lines})
        return None

    def _take(self, token: int) -> None:
        self.decoded.append(token)
        astray = self._part != "event" and token in self._openings
        if self._part == "event":
            self._begin(token)
        elif self._part == "locals" and token == self.vocabulary.marks[Mark.ACTION]:
            self._part = "action"
        elif self._part == "action":
            self._narrow(token)
        closed = token in (self.vocabulary.marks[Mark.FRAME], self.end) or self.vocabulary.stray(token)
        if closed or astray or len(self.decoded) >= self.limit:
            self.done = True

    @property
    def _openings(self) -> list[int]:
        """Return the marks that open a frame and occur nowhere else."""
        return [self.vocabulary.marks[mark] for mark in EVENT_MARKS.values()]

    def _opening(self, action: Action) -> int:
        found = self.vocabulary.event(action.event)
        return self.end if found is None else found

    def _begin(self, token: int) -> None:
        if token not in self._openings:
            self.done = True  # the end, or nothing that can begin a frame
            return
        if self.allowed is not None:
            texts = sorted({action.text for action in self.allowed if self._opening(action) == token})
            self._lines = [(*self.vocabulary.line(text), self.vocabulary.closing(token)) for text in texts]
        self._part = "locals"

    def _narrow(self, token: int) -> None:
        if self._lines is not None:
            self._lines = [line for line in self._lines if line[self._place] == token]
            self._place += 1
        if token == self.vocabulary.marks[Mark.ARG]:
            self._part = "value"


def text_of(tokens: Iterable[int]) -> bytes:
    """Return the tokens as bytes, without the end token."""
    return bytes(token for token in tokens if token < 256)
