"""Frames as merge patches: what is read back equals what was written, for frames of both kinds."""

import pytest

from cwm_agent.records.frame_deltas import BadFrames, frame_deltas, frames_of, merge_patch, merged
from envs.execution.state.frames import Activation, Frame
from envs.execution.state.history_frames import HistoryFrame

FRAMES = (
    Frame("call", (Activation("f", 1, (("n", "2"), ("xs", "#1"))),), ((1, "[1, 2]"),), (("LIMIT", "9"),)),
    Frame("line", (Activation("f", 2, (("n", "2"), ("xs", "#1"))),), ((1, "[1, 2]"),), (("LIMIT", "9"),)),
    Frame("call", (Activation("f", 2), Activation("g", 7, (("__proto__", "'<b>'"),))), ((2, "{}"), (10, "[#2]"))),
    Frame("return", (Activation("f", 3, (("n", "3"),)),), (), (), arg="None"),
)
HISTORY = (
    HistoryFrame("call", "def f(n):", (1,), (("n", "2"),)),
    HistoryFrame("line", "    return n", (), (("n", "2"), ("m", "3"))),
    HistoryFrame("return", "    return n", (2, 4), (), arg="2", depth=2),
)


@pytest.mark.parametrize("frames", [FRAMES, HISTORY, ()], ids=["stack", "history", "none"])
def test_frames_are_read_back_as_they_were_written(frames: tuple[Frame | HistoryFrame, ...]) -> None:
    assert frames_of(list(frame_deltas(frames))) == list(frames)


def test_a_delta_holds_only_what_changed() -> None:
    assert list(frame_deltas(FRAMES[:2]))[1] == {"event": "line", "stack": {"0": {"line": 2}}}


def test_a_merge_patch_removes_with_null_and_changes_neither_object() -> None:
    before = {"a": 1, "b": {"c": "x", "d": "y"}}
    after = {"b": {"d": "z"}, "e": {}}
    patch = merge_patch(before, after)
    assert patch == {"a": None, "b": {"c": None, "d": "z"}, "e": {}}
    assert merged(before, patch) == after
    assert before == {"a": 1, "b": {"c": "x", "d": "y"}}


@pytest.mark.parametrize(
    "rows",
    [
        [7],
        [{}],
        [{"event": "line", "stack": {}}],
        [{"event": "line", "stack": {"x": 1}}],
        [{"action": "a", "lines": 3}],
    ],
)
def test_rows_that_are_no_frames_are_refused_by_their_number(rows: list[object]) -> None:
    with pytest.raises(BadFrames, match="frame 0"):
        frames_of(rows)
