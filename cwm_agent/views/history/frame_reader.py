"""Parses frames from a stream of pieces; it rejects what is no frame, with the reason, and never repairs it.

    reader = FrameReader(program, standing)
    for piece in pieces:
        if (frame := reader.feed(piece)) is not None: ...

Text may come in parts of any size. A frame longer than the limit is rejected at once.
"""

import json
from typing import Any, Literal

from cwm_agent.views.history.action_places import ActionPlaces
from cwm_agent.views.history.frame_format import MARK_EVENTS, MARKER, SAME, Mark, Piece, reference
from cwm_agent.views.history.history_state import HistoryState
from cwm_agent.views.local.effect_text import MalformedAnswer
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Bindings, Event
from envs.execution.state.history_frames import HistoryFrame

LONGEST_FRAME = 200_000
"""Most characters of one frame; a longer one is rejected."""
_SHOWN = 60
Ended = Literal["ended"]
ENDED: Ended = "ended"
_Part = Literal["event", "locals", "action", "value"]


class FrameReader:
    """Reads one frame after another; holds the parts of the present one."""

    def __init__(self, program: Program, standing: HistoryState, limit: int = LONGEST_FRAME) -> None:
        self._places = ActionPlaces.of(program)
        self._limit = limit
        self.standing = standing
        self._start()

    def _start(self) -> None:
        self._part: _Part = "event"
        self._event: Event = "line"
        self._texts: dict[str, list[str]] = {"event": [], "locals": [], "action": [], "value": []}
        self._size = 0

    def feed(self, piece: Piece) -> HistoryFrame | Ended | None:
        """Return the frame that a piece completes, or None; raise MalformedAnswer if the pieces make no frame."""
        if isinstance(piece, Mark):
            return self._mark(piece)
        self._size += len(piece)
        if self._size > self._limit:
            raise MalformedAnswer(f"a frame of more than {self._limit} characters")
        if self._part == "event" and piece:
            raise MalformedAnswer(f"text {_cut(piece)} where an event should stand")
        self._texts[self._part].append(piece)
        return None

    def _mark(self, mark: Mark) -> HistoryFrame | Ended | None:
        if self._part == "event":
            return self._begin(mark)
        following = self._next_part(mark)
        if following is None:
            raise MalformedAnswer(f"the mark {mark.value!r} inside the {self._part} of a {self._event} frame")
        if following == "event":
            return self._finish()
        self._part = following
        return None

    def _begin(self, mark: Mark) -> Ended | None:
        if mark is Mark.END and self.standing.levels and self.standing.event is not None:
            return ENDED
        if mark not in MARK_EVENTS:
            raise MalformedAnswer(f"the mark {mark.value!r} where an event should stand")
        self._event = MARK_EVENTS[mark]
        if self._event != "call" and not self.standing.levels:
            raise MalformedAnswer(f"a {self._event} frame where no function is under way")
        self._part = "locals"
        return None

    def _next_part(self, mark: Mark) -> _Part | None:
        """Return the part that a mark opens; None if the mark may not stand here."""
        shows_locals = self._event in ("call", "line")
        if self._part == "locals" and mark is Mark.ACTION:
            return "action"
        if self._part == "action" and mark is (Mark.FRAME if shows_locals else Mark.ARG):
            return "event" if shows_locals else "value"
        return "event" if self._part == "value" and mark is Mark.FRAME else None

    def _finish(self) -> HistoryFrame:
        texts = {part: "".join(pieces) for part, pieces in self._texts.items()}
        action = texts["action"].removesuffix("\n").removesuffix(MARKER)
        if "\n" in action:
            raise MalformedAnswer(f"a source line {_cut(action)} with a line break in it")
        depth, lines = self._places.located(self.standing, self._event, action)
        if self._event in ("call", "line"):
            rows = _locals(texts["locals"], dict(reference(self.standing, self._event, depth)))
            frame = HistoryFrame(event=self._event, action=action, lines=lines, locals=rows, arg=None, depth=depth)
        elif texts["locals"]:
            raise MalformedAnswer(f"locals {_cut(texts['locals'])} in a {self._event} frame, which shows none")
        else:
            frame = HistoryFrame(
                event=self._event, action=action, lines=lines, locals=(), arg=_value(texts["value"]), depth=depth
            )
        self.standing = self.standing.then(frame)
        self._start()
        return frame


def _locals(text: str, before: dict[str, str]) -> Bindings:
    found = _json(text, "locals")
    if not isinstance(found, _Rows):
        raise MalformedAnswer(f"locals {_cut(text)} that are no JSON object")
    rows: dict[str, str] = {}
    for name, value in found:
        if not isinstance(value, str) or not name.isidentifier():
            raise MalformedAnswer(f"the local {_cut(name)} is no name with a text for its value")
        if name in rows:
            raise MalformedAnswer(f"the local {_cut(name)} written twice")
        if value == SAME and name not in before:
            raise MalformedAnswer(f"the local {_cut(name)} marked as unchanged, and it had no value")
        rows[name] = before[name] if value == SAME else value
    return tuple(rows.items())


def _value(text: str) -> str:
    value = _json(text, "value")
    if not isinstance(value, str):
        raise MalformedAnswer(f"a value {_cut(text)} that is no JSON string")
    return value


class _Rows(list[tuple[str, Any]]):
    """The pairs of a JSON object as written, repeated keys included."""


def _json(text: str, what: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_Rows)
    except (ValueError, RecursionError) as error:
        raise MalformedAnswer(f"{what} {_cut(text)} that are no JSON: {str(error)[:100]}") from None


def _cut(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")
