"""Delivers a patch to its user: as a diff that `git apply` takes, or written into the file that it was found for.

A file is changed only if it and its tests are what was solved, its tests are run once more afterwards, and what it held
before is kept. Knows no search.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from cwm_agent.agent.episodes.episode import Episode
from cwm_agent.agent.episodes.task_digest import digest_of
from cwm_agent.records.patched_file import write_patch
from envs.domains.evaluation import Evaluator
from envs.editing.edit import BadEdit, apply_patch
from envs.execution.sandbox.sandbox import Sandbox
from tasks import Loaded, RepairTask
from tasks.output.atomic_file import write_file
from tasks.reading.bounded_files import read_file
from tasks.reading.source_file import MAX_BYTES

NO_END = "\\ No newline at end of file\n"
"""What a diff says of a last line without a line end."""


class PatchRefused(BadEdit):
    """A file that a patch is not written to; the message says why."""


def git_diff(path: Path, source: str, episode: Episode) -> str:
    """The patch of an episode as a diff that `git apply` takes in the working folder."""
    name = Path(os.path.relpath(path)).as_posix()
    before, after = source, apply_patch(source, episode.patch)
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), f"a/{name}", f"b/{name}")
    return "".join(_ended(lines))


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n{NO_END}"


def write_solved(path: Path, episode: Episode, folder: Path, loads: Callable[[], Loaded]) -> Path:
    """Write the patch of an episode into its file and test it there; returns the file that keeps the old text.

    `loads` reads the file and its tests again, as they were read before. PatchRefused where they changed since they
    were solved, or a test fails after the change; then the file is as it was.
    """
    if digest_of(_task(path, loads)) != episode.content:
        raise PatchRefused(f"{path} or its tests changed while they were solved; nothing was written. Solve it again.")
    old = read_file(path, MAX_BYTES)
    backup = folder / f"{path.name}.before"
    write_file(backup, old)
    write_patch(path, episode.patch)
    with Sandbox(packages=episode.settings.get("packages", ())) as sandbox:
        passes = Evaluator(_task(path, loads), sandbox).original.solved
    if not passes:
        write_file(path, old)
        raise PatchRefused(f"A test of {path} failed after the patch was written, so the old text was put back.")
    return backup


def _task(path: Path, loads: Callable[[], Loaded]) -> RepairTask:
    found = [task for task in loads().tasks if isinstance(task, RepairTask)]
    if not found:
        raise PatchRefused(f"{path} holds no task any more; nothing was written.")
    return found[0]
