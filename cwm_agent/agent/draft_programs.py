"""Drafts: programs for a task from elsewhere, such as answers of a language model, read from a JSONL file.

    {"draft": "def total(numbers): ..."}                       a program, or an answer with a block of code
    {"draft": "...", "task": "sums"}                           where the file has drafts of several tasks

A draft is treated like a proposed edit: it is imagined, ranked, run in the sandbox, and repaired further.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from cwm_agent.agent.repair.proposals.model_edits import edits_in
from cwm_agent.records.jsonl_file import numbered_rows
from envs.editing.edit import Edit
from envs.editing.fingerprint import fingerprint
from tasks import RepairTask
from tasks.errors import TaskError
from tasks.reading.bounded_files import read_file

MAX_BYTES = 64 * 2**20
MOST = 1_000
"""Drafts of one task."""


class BadDrafts(TaskError):
    """A file that holds no drafts; the message names it and the line."""


def named_drafts(path: Path) -> str:
    """The name by which settings keep a file of drafts: path and digest of its content; BadDrafts if it holds none."""
    try:
        digest = hashlib.blake2b(read_file(path, MAX_BYTES), digest_size=6).hexdigest()
    except TaskError as error:
        raise BadDrafts(f"The drafts {path}: {error}") from error
    name = f"{path}#{digest}"
    read_drafts(name)
    return name


def read_drafts(name: str) -> Mapping[str, tuple[str, ...]]:
    """The drafts of a file by the task they are for; those for any task under an empty name."""
    path = Path(name.rpartition("#")[0])
    found: dict[str, list[str]] = {}
    for number, row in numbered_rows(path):
        if isinstance(row, str):
            raise BadDrafts(f"{path}:{number} {row}.")
        draft, task = row.get("draft"), row.get("task", "")
        if not isinstance(draft, str) or not isinstance(task, str):
            raise BadDrafts(f"{path}:{number} has no text in the field 'draft' (and, if it is there, 'task').")
        found.setdefault(task, []).append(draft)
    if not found:
        raise BadDrafts(f"{path} holds no draft; write a JSON object with the field 'draft' on each line.")
    return {task: tuple(drafts[:MOST]) for task, drafts in found.items()}


def draft_edits(task: RepairTask, drafts: Mapping[str, tuple[str, ...]]) -> tuple[Edit, ...]:
    """The edits that turn a task's program into its different drafts; one without the entry function gives none."""
    known, found = fingerprint(task.source), dict[bytes, Edit]()
    for draft in (*drafts.get("", ()), *drafts.get(task.id, ())):
        for edit in edits_in(draft, task.source, task.entry):
            edited = fingerprint(edit.apply(task.source))
            if edited is not None and edited != known:
                found.setdefault(edited, edit)
    return tuple(found.values())
