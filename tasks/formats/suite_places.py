"""Where the tests of a program are looked for: beside it, and in the test folders of the project around it.

The project ends at the first folder above the program that has a `pyproject.toml`, `setup.py`, `setup.cfg` or `.git`;
without one, the folder above the program's own counts. Reads names and texts of files, and runs nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from tasks.errors import TaskError
from tasks.reading.source_file import read_source

ROOT_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
MOST_LEVELS = 6
"""Folders above the program that may be the root of its project."""
FOLDERS = ("tests", "test")
MOST_FILES = 500
"""Test files of a project that are looked at."""


@dataclass(frozen=True, slots=True)
class SuitePlaces:
    """The test files of a program, and the places that were looked at."""

    files: tuple[Path, ...]
    looked_at: tuple[str, ...]


def suites_of(path: Path, given: Path | None = None) -> SuitePlaces:
    """The test files of a program: the given one, all of a given folder that import it, or those of its project.

    A file that is named after the program (`test_NAME.py`, `NAME_test.py`) comes before files that only import it.
    """
    if given is not None and not given.is_dir():
        return SuitePlaces((given,), (str(given),))
    folders = [given] if given is not None else list(_folders(path))
    names = (f"test_{path.name}", f"{path.stem}_test.py")
    for folder in folders:
        found = [file for file in _files(folder, path) if file.name in names]
        if found:
            return SuitePlaces(tuple(found), (str(folder),))
    looked_at = tuple(str(folder / name) for folder in folders for name in names)
    importing = [file for folder in folders if folder != path.parent for file in _files(folder, path)]
    return SuitePlaces(tuple(file for file in importing if _imports(file, path)), looked_at)


def project_root(path: Path) -> Path:
    """The root of the project that a file is in."""
    above = list(islice(path.resolve().parents, MOST_LEVELS))
    marked = (folder for folder in above if any((folder / mark).exists() for mark in ROOT_MARKS))
    return next(marked, above[min(1, len(above) - 1)])


def packages_of(path: Path) -> frozenset[str]:
    """The packages that a file is in, by their names: its folders that have an `__init__.py`."""
    found = []
    for folder in islice(path.resolve().parents, MOST_LEVELS):
        if not (folder / "__init__.py").is_file():
            break
        found.append(folder.name)
    return frozenset(found)


def fixture_files(suite: Path) -> list[Path]:
    """The `conftest.py` files that apply to a test file, the outermost first."""
    root, found = project_root(suite), []
    for folder in islice(suite.resolve().parents, MOST_LEVELS):
        if (folder / "conftest.py").is_file():
            found.append(folder / "conftest.py")
        if folder == root:
            break
    return found[::-1]


def _folders(path: Path) -> Iterator[Path]:
    """The program's own folder, and the test folders of each folder up to the project's root."""
    root = project_root(path)
    yield path.parent
    for folder in (path.parent, *islice(path.parent.resolve().parents, MOST_LEVELS)):
        yield from (folder / name for name in FOLDERS if (folder / name).is_dir())
        if folder.resolve() == root:
            return


def _files(folder: Path, path: Path) -> Iterator[Path]:
    """The test files of a folder; those below it too, unless it is the program's own folder."""
    found = folder.glob("*.py") if folder == path.parent else folder.rglob("*.py")
    for file in islice(sorted(islice(found, MOST_FILES)), MOST_FILES):
        if is_test_file(file) and file.stem not in ("conftest", "__init__") and file.is_file():
            yield file


def is_test_file(path: Path) -> bool:
    """Whether a Python file belongs to a test suite and is no program to repair."""
    return path.name.startswith("test_") or path.stem.endswith("_test") or path.stem in ("conftest", "__init__")


def _imports(file: Path, path: Path) -> bool:
    """Whether a test file names the program in an import."""
    try:
        text = read_source(file).text
    except TaskError:
        return False
    name = re.escape(path.stem)
    return re.search(rf"^[ \t]*(?:from[ \t]+(?:[\w.]*\.)?{name}[ \t]+import|import[ \t]+(?:[\w.]*\.)?{name}\b"
                     rf"|from[ \t]+[\w.]+[ \t]+import[ \t]+.*\b{name}\b)", text, re.MULTILINE) is not None  # fmt: skip
