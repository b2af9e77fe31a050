"""Writing frames and reading them back is the identity; what is no frame is refused with the reason."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from history_worlds import ODD_TEXTS, TWINS, random_histories, recorded, small
from markov_programs import PROGRAMS

from cwm_agent.views.history.action_places import END, Action, ActionPlaces
from cwm_agent.views.history.byte_marks import answer, pieces_of, question, spelt
from cwm_agent.views.history.frame_format import MARKER, Mark, Piece, marked_source, prompt
from cwm_agent.views.history.frame_reader import ENDED, Ended, FrameReader
from cwm_agent.views.history.history_state import HistoryState, standing_after
from cwm_agent.views.local.effect_text import MalformedAnswer
from envs.execution.decompose.program import Program
from envs.execution.state.history_frames import History, HistoryFrame


def read_back(program: Program, pieces: Sequence[Piece]) -> list[HistoryFrame | Ended]:
    reader = FrameReader(program, HistoryState())
    return [frame for piece in pieces if (frame := reader.feed(piece)) is not None]


def written(program: Program, found: History) -> list[Piece]:
    return list(prompt(program, found.frames))[3:]


@pytest.mark.parametrize("level", ["plain", "operations"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_small_program_comes_back_as_it_was(name: str, level: str) -> None:
    """Where a definition stands several times in the same words, a frame of one may name lines of the others too."""
    program, found = small(name, level)
    back, words = read_back(program, written(program, found)), [line.strip() for line in program.lines]
    if not any(words.count(line) > 1 for line in words if line.startswith("def ")):
        assert back == list(found.frames)
        return
    for said, real in zip(back, found.frames, strict=True):
        assert isinstance(said, HistoryFrame)
        assert set(real.lines) <= set(said.lines) <= {at for at, line in enumerate(words, 1) if line in real.action}
        assert replace(said, lines=real.lines) == real


def test_300_random_histories_come_back_as_they_were_and_each_step_is_allowed() -> None:
    """Where two lines of the same text can both follow, the frame read names both."""
    for program, found in random_histories(300, seed=3):
        pieces = written(program, found)
        assert list(pieces_of(spelt(pieces))) == pieces
        standing, places = HistoryState(), ActionPlaces.of(program)
        for said, real in zip(read_back(program, pieces), found.frames, strict=True):
            assert isinstance(said, HistoryFrame)
            assert set(real.lines) <= set(said.lines)
            assert (said.event, said.action, said.locals, said.arg, said.depth) == (
                real.event, real.action, real.locals, real.arg, real.depth,
            )  # fmt: skip
            assert not standing.levels or Action(real.event, real.action) in places.allowed(standing)
            standing = standing.then(real)


def test_texts_that_look_like_the_format_come_back_as_they_were() -> None:
    program, found = recorded(ODD_TEXTS, "'<|end_of_text|> ..'")
    pieces = written(program, found)
    assert read_back(program, pieces) == list(found.frames)
    assert read_back(program, list(pieces_of(spelt(pieces)))) == list(found.frames)
    values = [piece for piece in pieces if isinstance(piece, str) and piece.startswith("{")]
    assert not any("<|" in value for value in values)


def test_unchanged_values_are_dots_within_a_function_and_written_out_after_a_call() -> None:
    source = "def g(n):\n    return n\ndef f(a, b):\n    b = 1\n    g(a)\n    return b\n"
    program, found = recorded(source, "5, 2")
    texts = [piece for piece in written(program, found) if isinstance(piece, str) and piece.startswith("{")]
    assert texts == [
        '{"a": "5", "b": "2"}', '{"a": "..", "b": ".."}', '{"a": "..", "b": "1"}',
        '{"n": "5"}', '{"n": ".."}', '{"a": "5", "b": "1"}',
    ]  # fmt: skip


def test_the_marker_stands_on_the_entry_line_and_is_stripped_as_a_suffix() -> None:
    program, found = recorded("def f(x):\n    return 'TRACE'\n", "1")
    assert marked_source(program).splitlines()[0] == "def f(x):" + MARKER
    pieces = [piece + MARKER + "\n" if piece == "def f(x):" else piece for piece in written(program, found)]
    assert read_back(program, pieces) == list(found.frames)


def test_text_may_come_byte_by_byte() -> None:
    program, found = small("recursion")
    parts = [part for piece in written(program, found) for part in (piece if isinstance(piece, str) else [piece])]
    assert read_back(program, parts) == list(found.frames)


def test_the_same_text_on_two_lines_is_told_apart_by_what_can_follow() -> None:
    """The third line reads like the second, and only one of them can follow."""
    program, found = recorded("def f(a, b):\n    a, b = b, a\n    a, b = b, a\n    return a\n", "1, 2")
    assert [frame.lines for frame in read_back(program, written(program, found))][1:3] == [(2,), (3,)]  # type: ignore[union-attr]


def test_where_two_lines_of_one_text_can_follow_both_are_said() -> None:
    program, found = recorded(TWINS, "2")
    frames = read_back(program, written(program, found))
    assert [frame.lines for frame in frames][2:] == [(3, 5), (6,), (6,)]  # type: ignore[union-attr]


def test_a_jump_that_cannot_be_names_the_lines_of_that_text_and_no_line_names_none() -> None:
    program, found = recorded(TWINS, "2")
    standing = standing_after(found.frames[:1])
    assert ActionPlaces.of(program).located(standing, "line", "    return y") == (1, (6,))
    assert ActionPlaces.of(program).located(standing, "line", "    y = 2") == (1, ())


def test_the_end_is_read_and_allowed_where_an_exception_leaves() -> None:
    program, found = small("uncaught")
    standing = standing_after(found.frames)
    assert FrameReader(program, standing).feed(Mark.END) == ENDED
    assert ActionPlaces.of(program).allowed(standing) == {END}


def test_question_and_answer_together_are_the_prompt() -> None:
    program, found = small("recursion")
    whole = spelt(list(prompt(program, found.frames))[1:])
    said = answer(found.frames[1:], standing_after(found.frames[:1]))
    assert question(program, found.frames[0]) + b"\xf8" + said == whole


_LINE = ('{"x": "1"}', Mark.ACTION, "    return y", Mark.FRAME)


@pytest.mark.parametrize(
    ("pieces", "reason"),
    [
        pytest.param(["words"], "where an event should stand", id="text first"),
        pytest.param([Mark.ACTION], "where an event should stand", id="another mark first"),
        pytest.param([Mark.LINE, "{}", Mark.FRAME], "inside the locals", id="no action"),
        pytest.param([Mark.LINE, Mark.LINE], "inside the locals", id="two events"),
        pytest.param([Mark.LINE, "{", *_LINE[1:]], "no JSON", id="broken JSON"),
        pytest.param([Mark.LINE, "", *_LINE[1:]], "no JSON", id="no locals"),
        pytest.param([Mark.LINE, "[1]", *_LINE[1:]], "no JSON object", id="another JSON"),
        pytest.param([Mark.LINE, '{"x": 1}', *_LINE[1:]], "no name with a text", id="a value that is no text"),
        pytest.param([Mark.LINE, '{"x y": "1"}', *_LINE[1:]], "no name with a text", id="a name that is none"),
        pytest.param([Mark.LINE, '{"x": "1", "x": "2"}', *_LINE[1:]], "twice", id="a name twice"),
        pytest.param([Mark.LINE, '{"z": ".."}', *_LINE[1:]], "had no value", id="as before, from nowhere"),
        pytest.param([Mark.LINE, "[" * 100_000, *_LINE[1:]], "no JSON", id="deep JSON"),
        pytest.param([Mark.LINE, "9" * 100_000, *_LINE[1:]], "no JSON", id="a huge number"),
        pytest.param([Mark.LINE, "{}", Mark.ACTION, "a\nb", Mark.FRAME], "line break", id="two lines"),
        pytest.param(
            [Mark.RETURN, "{}", Mark.ACTION, "x", Mark.ARG, '"1"', Mark.FRAME], "shows none", id="return locals"
        ),
        pytest.param([Mark.RETURN, Mark.ACTION, "x", Mark.FRAME], "inside the action", id="return without a value"),
        pytest.param([Mark.RETURN, Mark.ACTION, "x", Mark.ARG, "1", Mark.FRAME], "no JSON string", id="a bare value"),
        pytest.param([Mark.LINE, "x" * 300_000], "more than", id="endless"),
    ],
)
def test_what_is_no_frame_is_refused_with_the_reason(pieces: list[Piece], reason: str) -> None:
    program, found = recorded(TWINS, "2")
    reader = FrameReader(program, standing_after(found.frames[:1]))
    with pytest.raises(MalformedAnswer, match=reason):
        assert [reader.feed(piece) for piece in pieces]


def test_nothing_but_a_call_can_begin() -> None:
    program, _ = recorded(TWINS, "2")
    for mark in (Mark.LINE, Mark.RETURN, Mark.EXCEPTION, Mark.END):
        with pytest.raises(MalformedAnswer):
            FrameReader(program, HistoryState()).feed(mark)


def test_the_end_of_a_finally_may_be_reported_as_an_exception_leaves_it() -> None:
    source = "def f(n):\n    try:\n        m = n % 0\n    finally:\n        m = m + 5\n        n += m\n    return n\n"
    program, found = recorded(source, "1")
    standing, places = HistoryState(), ActionPlaces.of(program)
    for frame in found.frames:
        assert not standing.levels or Action(frame.event, frame.action) in places.allowed(standing)
        standing = standing.then(frame)
