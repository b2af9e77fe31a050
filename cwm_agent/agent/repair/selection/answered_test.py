"""A person's answer as a test: which result of a call is right, added to the tests of a file."""

from pathlib import Path

from tasks.bounded_files import read_file
from tasks.formats.python_file import tests_beside
from tasks.output.atomic_file import write_file
from tasks.source_file import MAX_BYTES

MOST_QUESTIONS = 5
"""Questions about one file; each answer excludes at least one patch."""


def add_test(path: Path, entry: str, arguments: str, expected: str) -> Path:
    """Add a test to the test file of a program, which is made beside it where there is none; returns its path."""
    where = tests_beside(path) or path.with_name(f"test_{path.name}")
    old = read_file(where, MAX_BYTES).decode() if where.exists() else ""
    number = old.count(f"def test_{entry}_answer_") + 1
    function = (
        f"def test_{entry}_answer_{number}():\n    from {path.stem} import {entry}\n\n"
        f"    assert {entry}({arguments}) == {expected}\n"
    )
    write_file(where, f"{old.rstrip()}\n\n\n{function}" if old.strip() else function)
    return where
