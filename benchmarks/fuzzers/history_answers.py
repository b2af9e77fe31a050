"""Fuzzes a model's answers in the history view, in each spelling: Meta's tokens, marked bytes, and plain lines."""

from functools import cache

from hypothesis import strategies as st

from benchmarks.fuzzers import small_worlds
from benchmarks.fuzzers.harness.fuzzer import Data, Fuzzer
from benchmarks.fuzzers.harness.mutations import changed_text, nested, pieces, repeated
from cwm_agent.oracles.formats import meta_tokens, plain_text_frames
from cwm_agent.oracles.history_protocol import ENDED, HistoryQuery, Malformed
from cwm_agent.views.history import byte_marks
from cwm_agent.views.history.action_places import ActionPlaces
from cwm_agent.views.history.frame_format import Mark, written
from cwm_agent.views.history.frame_reader import FrameReader
from cwm_agent.views.history.history_state import standing_after
from cwm_agent.views.local.effect_text import MalformedAnswer
from envs.execution.state.history_frames import HistoryFrame

WORDS = [
    *meta_tokens.SPECIALS.values(), "<|", "|>", '{"xs": "', '"}', '".."', "{}", "[]", "null", '"', ": ", ", ",
    "    return xs\n",
    "def f(xs):\n", " => ", "call ", "line ", "return ", "exception ", "end", "\n", "\\ud800",
    '{"a": "1", "a": "2"}', "9" * 30,
]  # fmt: skip


@cache
def _queries() -> tuple[tuple[HistoryQuery, HistoryFrame], ...]:
    """Every history of the small programs, with the frame that really follows."""
    return tuple(
        (HistoryQuery(program, real.frames[:index]), real.frames[index])
        for program, real in small_worlds.histories()
        for index in range(1, len(real.frames))
    )


def _meta_text(query: HistoryQuery, frame: HistoryFrame) -> str:
    longer = meta_tokens.prompt_text(HistoryQuery(query.program, (*query.frames, frame)))
    return longer.removeprefix(meta_tokens.prompt_text(query))


def _line_text(query: HistoryQuery, frame: HistoryFrame) -> str:
    return list(plain_text_frames.frame_lines(HistoryQuery(query.program, (*query.frames, frame))))[-1]


def _byte_text(query: HistoryQuery, frame: HistoryFrame) -> str:
    return byte_marks.spelt(written(frame, standing_after(query.frames))).decode("latin-1")


def _answers(spelling: str) -> st.SearchStrategy[Data]:
    spelt = {"meta": _meta_text, "lines": _line_text, "bytes": _byte_text}[spelling]
    right = [(at, spelt(query, frame)) for at, (query, frame) in enumerate(_queries())]
    marks = [chr(value) for value in byte_marks.MARK_BYTES.values()] if spelling == "bytes" else []
    words = [*WORDS, *marks]
    near = st.sampled_from(right).flatmap(
        lambda pair: st.tuples(st.just(pair[0]), changed_text(st.just(pair[1]), words))
    )
    deep = nested('<|line_sep|>{"a":', "1", "}") | nested("line [", "1", "]") | nested("return [", "", "]", 20_000)
    far = pieces(words, 20) | deep | repeated(WORDS)
    return (st.sampled_from(right) | near | st.tuples(st.integers(0, len(right) - 1), far)).map(list)


def _judged(query: HistoryQuery, frame: HistoryFrame, found: object, exact: bool) -> str:
    assert isinstance(found, HistoryFrame | Malformed) or found == ENDED
    if exact:
        assert isinstance(found, HistoryFrame)
        assert (found.event, found.action, found.locals, found.arg) == (
            frame.event, frame.action, frame.locals, frame.arg,
        )  # fmt: skip
    if isinstance(found, HistoryFrame):
        ActionPlaces.of(query.program).allowed(standing_after((*query.frames, found)))
        return found.event
    return "Malformed" if isinstance(found, Malformed) else "ended"


def _check_meta(data: Data) -> str:
    at, text = data
    query, frame = _queries()[at]
    return _judged(query, frame, meta_tokens.read_text(query, text), text == _meta_text(query, frame))


def _check_ids(data: Data) -> str:
    """Token ids: a number below 128,000 is a character, so that any text can be one."""
    at, text = data
    query, frame = _queries()[at]
    ids: list[int] = []
    for piece in meta_tokens.split_text(text):
        ids += [meta_tokens.SPECIAL_IDS[piece]] if isinstance(piece, Mark) else [ord(sign) % 128_000 for sign in piece]
    found = meta_tokens.read_ids(query, ids, lambda tokens: "".join(map(chr, tokens)))
    return _judged(query, frame, found, text == _meta_text(query, frame))


def _check_line(data: Data) -> str:
    at, text = data
    query, frame = _queries()[at]
    plain_text_frames.values_end(text)
    return _judged(query, frame, plain_text_frames.read_line(query, text), text == _line_text(query, frame))


def _check_bytes(data: Data) -> str:
    at, text = data
    query, frame = _queries()[at]
    reader = FrameReader(query.program, standing_after(query.frames))
    found: object = Malformed(text, "no frame")
    try:
        for piece in byte_marks.pieces_of(text.encode("latin-1", "replace")):
            got = reader.feed(piece)
            if got is not None:
                found = got
                break
    except MalformedAnswer as error:
        found = Malformed(text, str(error))
    return _judged(query, frame, found, text == _byte_text(query, frame))


FUZZERS = (
    Fuzzer("meta-text", "Meta's format as text: a frame, the end, or Malformed", lambda: _answers("meta"), _check_meta),
    Fuzzer("meta-ids", "Meta's format as token ids: the same", lambda: _answers("meta"), _check_ids),
    Fuzzer("history-bytes", "frames as marked bytes: a frame, or Malformed", lambda: _answers("bytes"), _check_bytes),
    Fuzzer("history-lines", "frames as plain lines: a frame, or Malformed", lambda: _answers("lines"), _check_line),
)
