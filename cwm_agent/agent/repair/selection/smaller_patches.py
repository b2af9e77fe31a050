"""Patches with one edit less, for finding out which edits are needed. Runs nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from envs.domains.repair_core import RepairState
from envs.editing.edit import BadEdit, Edit, apply_patch
from envs.editing.fingerprint import fingerprint
from tasks.reading.program_text import source_lines


def smaller_patches(source: str, patch: Sequence[Edit]) -> Iterator[RepairState]:
    """The programs that lack one edit of a patch, and compile; an edit that later ones build on cannot be left out."""
    for at in range(len(patch) if len(patch) > 1 else 0):
        try:
            edits = _without(source, patch, at)
            edited = None if edits is None else apply_patch(source, edits)
        except BadEdit:
            continue
        if edits is not None and edited is not None and fingerprint(edited) is not None:
            yield RepairState(edited, edits)


def _without(source: str, patch: Sequence[Edit], at: int) -> tuple[Edit, ...] | None:
    """The patch without the edit at a place, later edits moved; None where a later edit changes its text."""
    text = apply_patch(source, patch[:at])
    dropped = patch[at]
    start = _offset(text, dropped)
    end, shift = start + len(dropped.after), len(dropped.before) - len(dropped.after)
    found, shorter, text = list(patch[:at]), text, dropped.apply(text)
    for edit in patch[at + 1 :]:
        place, grown = _offset(text, edit), len(edit.after) - len(edit.before)
        if place >= end:
            moved = _placed(edit, shorter, place + shift)
        elif place + len(edit.before) <= start:
            moved, start, end = edit, start + grown, end + grown
        else:
            return None
        text, shorter = edit.apply(text), moved.apply(shorter)
        found.append(moved)
    return tuple(found)


def _offset(text: str, edit: Edit) -> int:
    return sum(map(len, source_lines(text)[: edit.line - 1])) + edit.column


def _placed(edit: Edit, text: str, offset: int) -> Edit:
    """The edit at a character offset of a text."""
    lines = source_lines(text[:offset] + "|")  # `|` keeps an empty last line
    return replace(edit, line=len(lines), column=len(lines[-1]) - 1)
