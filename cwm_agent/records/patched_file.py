"""Writes a patch back to a Python file: only the edited text changes; encoding, BOM, line ends and mode stay.

Knows no agent and no task.
"""

from collections.abc import Iterable
from pathlib import Path

from envs.editing.edit import BadEdit, Edit, apply_patch
from tasks.output.atomic_file import write_file
from tasks.reading.bounded_files import read_file
from tasks.reading.source_file import MAX_BYTES, decoded


def write_patch(path: Path, patch: Iterable[Edit | str]) -> None:
    """Apply the edits of a patch to a file, which is replaced as a whole or stays as it was."""
    data = read_file(path, MAX_BYTES)
    source = decoded(data)
    if source.encoded() != data:
        raise BadEdit(f"{path} is in {source.encoding}, which cannot be written back unchanged. Save it as UTF-8.")
    for edit in patch:
        source = source.with_text(apply_patch(source.text, [edit]))
    write_file(path, source.encoded())
