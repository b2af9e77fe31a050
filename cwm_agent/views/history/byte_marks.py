"""Pieces as bytes for the embedded model: each mark is one byte that UTF-8 never uses, so no text can forge one.

A whole history is `START question ASK answer END` in the embedded model's encoding: the question is the source and the
call, the answer all frames after it. START, the separator ASK behind the call and END are marks of that encoding.
"""

from collections.abc import Iterable, Iterator

from cwm_agent.views.history.frame_format import Mark, Piece, marked_source, written
from cwm_agent.views.history.history_state import HistoryState
from envs.execution.decompose.program import Program
from envs.execution.state.history_frames import HistoryFrame

MARK_BYTES: dict[Mark, int] = {
    Mark.FRAME: 0xF8,
    Mark.ACTION: 0xF9,
    Mark.RETURN: 0xFA,
    Mark.CALL: 0xFB,
    Mark.LINE: 0xFC,
    Mark.EXCEPTION: 0xFD,
    Mark.ARG: 0xFE,
}
_MARKS = {value: mark for mark, value in MARK_BYTES.items()}


def spelt(pieces: Iterable[Piece]) -> bytes:
    """Return the pieces as bytes."""
    return b"".join(_spelt(piece) for piece in pieces)


def _spelt(piece: Piece) -> bytes:
    return bytes([MARK_BYTES[piece]]) if isinstance(piece, Mark) else piece.encode("utf-8", "surrogatepass")


def pieces_of(text: bytes) -> Iterator[Piece]:
    """Yield the bytes as pieces; bytes that are no text become U+FFFD, which no valid source or JSON here contains."""
    start = 0
    for place, value in enumerate(text):
        if value in _MARKS:
            if place > start:
                yield text[start:place].decode("utf-8", "replace")
            yield _MARKS[value]
            start = place + 1
    if start < len(text):
        yield text[start:].decode("utf-8", "replace")


def question(program: Program, call: HistoryFrame) -> bytes:
    """Return the question for the model: the marked source and the call, without the separator behind it."""
    return spelt((marked_source(program), Mark.FRAME, *written(call, HistoryState())[:-1]))


def answer(frames: Iterable[HistoryFrame], standing: HistoryState) -> bytes:
    """Return the frames behind the call as bytes, each with its separator."""
    parts: list[bytes] = []
    for frame in frames:
        parts.append(spelt(written(frame, standing)))
        standing = standing.then(frame)
    return b"".join(parts)
