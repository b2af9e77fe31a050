"""One frame said byte by byte: which token may come next, and what was said, scored; knows no network.

A guide's part of the frame is forced here: among the events it allows the likeliest is said, and among the lines it
allows each byte is the likeliest that still leads to one of them. A single action is thereby given, and its
log-probability read all the same.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

from cwm_agent.views.history.format import EVENT_MARKS, Mark
from cwm_agent.views.history.places import Action
from cwm_agent.views.history.spelling import MARK_BYTES

Chance = Callable[[int], float]
"""Log-probability of a token."""
_EVENTS: dict[str, int] = {event: MARK_BYTES[mark] for event, mark in EVENT_MARKS.items()}
_FRAME, _ACTION, _ARG = MARK_BYTES[Mark.FRAME], MARK_BYTES[Mark.ACTION], MARK_BYTES[Mark.ARG]
_SHOWING_LOCALS = (_EVENTS["call"], _EVENTS["line"])
Part = Literal["event", "locals", "action", "value"]


@dataclass(slots=True)
class Speaker:
    """A frame under way."""

    allowed: frozenset[Action] | None
    end: int
    """The token that says the history is over."""
    limit: int
    """Tokens of a frame beyond which it is given up."""
    said: list[int] = field(default_factory=list)
    logprob: float = 0.0
    """Of what was the model's own choice."""
    action_logprob: float = 0.0
    done: bool = False
    _part: Part = "event"
    _lines: list[bytes] | None = None
    """Lines that may still be meant, each with the mark that closes it; None leaves all open."""
    _place: int = 0

    def choose(self, likeliest: int, chance: Chance) -> int:
        """The next token, given the likeliest one of all."""
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
        """The tokens that the guide leaves; None for all."""
        if self._part == "event" and self.allowed is not None:
            return sorted({_EVENTS.get(action.event, self.end) for action in self.allowed})
        if self._part == "action" and self._lines is not None:
            return sorted({line[self._place] for line in self._lines})
        return None

    def _take(self, token: int) -> None:
        self.said.append(token)
        if self._part == "event":
            self._begin(token)
        elif self._part == "locals" and token == _ACTION:
            self._part = "action"
        elif self._part == "action":
            self._narrow(token)
        if token in (_FRAME, self.end) or token > 255 or len(self.said) >= self.limit:
            self.done = True

    def _begin(self, token: int) -> None:
        if token not in _EVENTS.values():
            self.done = True  # the end, or nothing that can begin a frame
            return
        closing = bytes([_FRAME if token in _SHOWING_LOCALS else _ARG])
        if self.allowed is not None:
            texts = {action.text for action in self.allowed if _EVENTS.get(action.event) == token}
            self._lines = [text.encode("utf-8", "surrogatepass") + closing for text in sorted(texts)]
        self._part = "locals"

    def _narrow(self, token: int) -> None:
        if self._lines is not None:
            self._lines = [line for line in self._lines if line[self._place] == token]
            self._place += 1
        if token == _ARG:
            self._part = "value"


def text_of(tokens: Iterable[int]) -> bytes:
    """The bytes of what was said; the end vanishes."""
    return bytes(token for token in tokens if token < 256)
