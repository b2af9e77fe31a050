"""Writes and reads Meta's trace format, as text and as tokens; knows no backend.

    prompt_text(query)           the prompt for a server that takes text
    prompt_ids(query, encode)    the same as token ids, each piece encoded by itself, so text makes no special token
    read_text(query, text)       the frame that a model wrote, or the end, or Malformed with the reason
    read_ids(query, ids, decode) the same from token ids

Source lines end with a line break in this spelling, as Meta's models write them. `opening` and `closing` spell the part
of a frame that a guide decides: its event and its line.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from cwm_agent.oracles.history_protocol import Ended, HistoryQuery, Malformed
from cwm_agent.views.history.frame_format import EVENT_MARKS, Mark, Piece, prompt
from cwm_agent.views.history.frame_reader import FrameReader
from cwm_agent.views.history.history_state import standing_after
from cwm_agent.views.local.effect_text import MalformedAnswer
from envs.execution.state.frames import Event
from envs.execution.state.history_frames import HistoryFrame
from envs.execution.state.value_grammar import Unsupported

BEGIN = "<|begin_of_text|>"
SPECIALS: dict[Mark, str] = {
    Mark.FRAME: "<|frame_sep|>",
    Mark.ACTION: "<|action_sep|>",
    Mark.RETURN: "<|return_sep|>",
    Mark.CALL: "<|call_sep|>",
    Mark.LINE: "<|line_sep|>",
    Mark.EXCEPTION: "<|exception_sep|>",
    Mark.ARG: "<|arg_sep|>",
    Mark.START: "<|trace_context_start|>",
    Mark.END: "<|end_of_text|>",
}
SPECIAL_IDS: dict[Mark, int] = {mark: 128_100 + number for number, mark in enumerate(list(SPECIALS)[:8])} | {
    Mark.END: 128_001
}
"""The ids in the tokenizer of `facebook/cwm`; another tokenizer may have other ids."""
_MARKS = {text: mark for mark, text in SPECIALS.items()}
_SPECIAL = re.compile("|".join(map(re.escape, SPECIALS.values())))


def prompt_text(query: HistoryQuery) -> str:
    """Return the program and its frames so far as one text; raise Unsupported if the source spells a special token."""
    parts = [BEGIN]
    for piece in _lines_ended(prompt(query.program, query.frames)):
        if isinstance(piece, str) and _SPECIAL.search(piece):
            raise Unsupported("a program that spells a special token; use a backend that takes token ids")
        parts.append(SPECIALS[piece] if isinstance(piece, Mark) else piece)
    return "".join(parts)


def prompt_ids(
    query: HistoryQuery, encode: Callable[[str], Sequence[int]], ids: dict[Mark, int] | None = None
) -> list[int]:
    """Return the same as token ids behind the tokenizer's first one; `encode` must make no special token of text."""
    ids = ids or SPECIAL_IDS
    found: list[int] = []
    for piece in _lines_ended(prompt(query.program, query.frames)):
        found += [ids[piece]] if isinstance(piece, Mark) else list(encode(piece))
    return found


def opening(event: Event) -> str:
    """Return the text with which a frame of that event begins; given to the model if the guide decides the event."""
    return SPECIALS[EVENT_MARKS[event]]


def closing(event: Event, line: str) -> str:
    """Return the text behind the locals of a frame whose line is given, up to its end or to the value."""
    last = Mark.FRAME if event in ("call", "line") else Mark.ARG
    return f"{SPECIALS[Mark.ACTION]}{line}\n{SPECIALS[last]}"


def read_text(query: HistoryQuery, text: str) -> HistoryFrame | Ended | Malformed:
    """Return the first frame of a text; a stop string that the server removed is added again."""
    pieces = list(split_text(text))
    if pieces and pieces[-1] not in (Mark.FRAME, Mark.END):
        pieces.append(Mark.FRAME)
    return read(query, pieces, text)


def read_ids(
    query: HistoryQuery,
    tokens: Sequence[int],
    decode: Callable[[Sequence[int]], str],
    ids: dict[Mark, int] | None = None,
) -> HistoryFrame | Ended | Malformed:
    """Return the first frame of token ids."""
    marks = {number: mark for mark, number in (ids or SPECIAL_IDS).items()}
    pieces: list[Piece] = []
    start = 0
    for place, token in enumerate([*tokens, None]):
        if token is None or token in marks:
            if place > start:
                pieces.append(decode(tokens[start:place]))
            if token is not None:
                pieces.append(marks[token])
            start = place + 1
    return read(query, pieces, "")


def read(query: HistoryQuery, pieces: Iterable[Piece], text: str) -> HistoryFrame | Ended | Malformed:
    """Return the first frame of the pieces, the end, or Malformed; never raises."""
    reader = FrameReader(query.program, standing_after(query.frames))
    try:
        for piece in pieces:
            frame = reader.feed(piece)
            if frame is not None:
                return frame
    except MalformedAnswer as error:
        return Malformed(text[:2000], str(error))
    return Malformed(text[:2000], "an answer that stops inside a frame")


def split_text(text: str) -> Iterator[Piece]:
    """Split text into pieces at special tokens."""
    start = 0
    for match in _SPECIAL.finditer(text):
        if match.start() > start:
            yield text[start : match.start()]
        yield _MARKS[match[0]]
        start = match.end()
    if start < len(text):
        yield text[start:]


def _lines_ended(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield the pieces with a line break behind each source line of a frame."""
    before: Piece | None = None
    for piece in pieces:
        yield piece + "\n" if before is Mark.ACTION and isinstance(piece, str) else piece
        before = piece
