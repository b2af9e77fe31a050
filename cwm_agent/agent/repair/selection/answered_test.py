"""A person's answer as a test: which result of a call is right, added to the tests of a file."""

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tasks.formats.suite_places import suites_of
from tasks.output.atomic_file import write_file
from tasks.reading.bounded_files import read_file
from tasks.reading.program_text import parse
from tasks.reading.source_file import MAX_BYTES
from tasks.task import RepairTask, defined_names

MOST_QUESTIONS = 5
"""Questions about one file; each answer excludes at least one patch."""


def add_test(
    path: Path, task: RepairTask, difference: Mapping[str, Any], expected: str, *, tests: Path | None = None
) -> Path:
    """Add a test of the input on which two patches differ to the test file of a program; returns the file's path.

    The file is made beside the program where there is none; `tests` is the one that the user named, if any.
    """
    where = next(iter(suites_of(path, tests).files), path.with_name(f"test_{path.name}"))
    old = read_file(where, MAX_BYTES).decode() if where.exists() else ""
    name = f"test_{task.entry.replace('.', '_')}_answer_"
    number = old.count(f"def {name}") + 1
    lines = _statements(task, difference, expected)
    imported = f"from {path.stem} import {', '.join(_names(task, lines))}"
    body = "".join(f"    {line}\n" if line else "\n" for line in (imported, "", *lines))
    function = f"def {name}{number}():\n{body}"
    write_file(where, f"{old.rstrip()}\n\n\n{function}" if old.strip() else function)
    return where


def _statements(task: RepairTask, difference: Mapping[str, Any], expected: str) -> list[str]:
    """The lines of the test: a call of the entry, or the statements of a test of several steps, and the comparison."""
    if not difference.get("code"):
        return [f"assert {task.entry}({difference['arguments']}) == {expected}"]
    *before, last = str(difference["code"]).splitlines()
    return [*before, f"assert {last.removeprefix('return ')} == {expected}"]


def _names(task: RepairTask, lines: Sequence[str]) -> list[str]:
    """The names of the program that some lines use."""
    used = {each.id for each in ast.walk(parse("\n".join(lines))) if isinstance(each, ast.Name)}
    return [name for name in dict.fromkeys(defined_names(parse(task.source))) if name in used]
