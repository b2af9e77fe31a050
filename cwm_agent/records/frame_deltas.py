"""Frames of a run as JSON that grows with what changes: the first frame whole, each later one as a merge patch.

A merge patch (RFC 7386) has the members that changed, and null for those that are gone. Frames of both kinds are
written; the report's pages read the same rows. Knows no oracle and no agent.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from envs.execution.state.frames import Activation, Frame
from envs.execution.state.history_frames import HistoryFrame

Row = dict[str, Any]


class BadFrames(ValueError):
    """Rows that are no frames; the message says which."""


def frame_row(frame: Frame | HistoryFrame) -> Row:
    """One frame as JSON; a history frame has `action` and `depth` in place of a stack."""
    row: Row = {"event": frame.event}
    if frame.arg is not None:
        row["arg"] = frame.arg
    if isinstance(frame, HistoryFrame):
        return row | {
            "action": frame.action,
            "lines": " ".join(map(str, frame.lines)),
            "depth": frame.depth,
            "locals": dict(frame.locals),
        }
    row["stack"] = {
        str(level): {"function": each.function, "line": each.line, "locals": dict(each.locals)}
        for level, each in enumerate(frame.stack)
    }
    return row | {"heap": {str(label): text for label, text in frame.heap}, "globals": dict(frame.globals)}


def frame_deltas(frames: Iterable[Frame | HistoryFrame]) -> Iterator[Row]:
    """Yield the first frame whole, and each later one as the merge patch from the frame before."""
    before: Row = {}
    for frame in frames:
        row = frame_row(frame)
        yield merge_patch(before, row)
        before = row


def frames_of(deltas: Sequence[object]) -> list[Frame | HistoryFrame]:
    """The frames that `frame_deltas` wrote; BadFrames where some row is none."""
    found: list[Frame | HistoryFrame] = []
    row: Row = {}
    for number, delta in enumerate(deltas):
        try:
            row = merged(row, _object(delta))
            found.append(_frame(row))
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise BadFrames(f"frame {number} cannot be read ({type(error).__name__}: {error})"[:200]) from error
    return found


def merge_patch(before: Mapping[str, Any], after: Mapping[str, Any]) -> Row:
    """What turns one object into another: changed members, and null for those that are gone."""
    patch: Row = {name: None for name in before if name not in after}
    for name, value in after.items():
        old = before.get(name)
        if isinstance(value, dict) and isinstance(old, dict):
            if value != old:
                patch[name] = merge_patch(old, value)
        elif value != old or name not in before:
            patch[name] = value
    return patch


def merged(before: Mapping[str, Any], patch: Mapping[str, Any]) -> Row:
    """The object that a merge patch makes of another; neither is changed."""
    found = {name: value for name, value in before.items() if name not in patch}
    for name, value in patch.items():
        old = before.get(name)
        if isinstance(value, dict):
            found[name] = merged(old if isinstance(old, dict) else {}, value)
        elif value is not None:
            found[name] = value
    return found


def _object(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"{value!r:.40} is no object")
    return value


def _frame(row: Row) -> Frame | HistoryFrame:
    if "action" in row:
        lines = tuple(int(each) for each in _text(row["lines"]).split())
        return HistoryFrame(
            row["event"],
            _text(row["action"]),
            lines,
            _bindings(row["locals"]),
            arg=row.get("arg"),
            depth=int(row["depth"]),
        )
    stack = tuple(
        Activation(_text(each["function"]), int(each["line"]), tuple(sorted(_bindings(each["locals"]))))
        for _, each in sorted(row["stack"].items(), key=lambda item: int(item[0]))
    )
    heap = tuple(sorted((int(label), _text(text)) for label, text in row["heap"].items()))
    return Frame(row["event"], stack, heap, tuple(sorted(_bindings(row["globals"]))), arg=row.get("arg"))


def _bindings(names: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name, _text(text)) for name, text in names.items())


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no text")
    return value
