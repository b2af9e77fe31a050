"""A person's answer as a test: which result of a call is right, added to the tests of a file."""

from pathlib import Path

from tasks.formats.suite_places import suites_of
from tasks.output.atomic_file import write_file
from tasks.reading.bounded_files import read_file
from tasks.reading.source_file import MAX_BYTES

MOST_QUESTIONS = 5
"""Questions about one file; each answer excludes at least one patch."""


def add_test(path: Path, call: tuple[str, str], expected: str, tests: Path | None = None) -> Path:
    """Add a test of a call, an entry and its arguments, to the test file of a program; returns the file's path.

    The file is made beside the program where there is none; `tests` is the one that the user named, if any.
    """
    entry, arguments = call
    where = next(iter(suites_of(path, tests).files), path.with_name(f"test_{path.name}"))
    old = read_file(where, MAX_BYTES).decode() if where.exists() else ""
    number = old.count(f"def test_{entry}_answer_") + 1
    function = (
        f"def test_{entry}_answer_{number}():\n    from {path.stem} import {entry}\n\n"
        f"    assert {entry}({arguments}) == {expected}\n"
    )
    write_file(where, f"{old.rstrip()}\n\n\n{function}" if old.strip() else function)
    return where
