"""Loads tasks from a path or a name: recognises each file by its content, reports bad tasks, returns the rest.

    loaded = load("repair")                            tasks of this project
    loaded = load("buggy.py")                          a file with its pytest file or doctests
    loaded = load("humanevalpack.jsonl", visible="example")

Loading parses programs and never runs them. The details of each format are in `tasks.formats`.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from tasks.errors import TOO_DEEP, BadTask, Problem, TaskError, UnknownFormat, UnknownTasks, did_you_mean
from tasks.formats import cruxeval, humanevalpack
from tasks.formats.humanevalpack import Visible
from tasks.formats.python_file import read_python_file
from tasks.formats.quixbugs import is_quixbugs, read_quixbugs
from tasks.formats.suite_places import is_test_file
from tasks.reading.bounded_files import MAX_LINE_BYTES, numbered_lines, opened
from tasks.reading.json_text import NotJson, read_object
from tasks.rows import Row, read_row
from tasks.task import RepairTask, Split, Task

HOME = Path(__file__).parent
Found = tuple[Task, Path, int | None] | Problem
"""A task with its file and line, or a problem."""


@dataclass(frozen=True, slots=True)
class RowOptions:
    """How rows of a file are read."""

    visible: Visible
    only: frozenset[str]
    """Ids of the tasks that are wanted; empty for all."""

    def wants(self, row: Row) -> bool:
        """Whether a row may be one of the tasks; rows of other formats have no id yet."""
        return not self.only or not isinstance(row.get("id"), str) or "kind" not in row or row["id"] in self.only


@dataclass(frozen=True, slots=True)
class Loaded:
    """The tasks of a path in order, and a problem for each skipped task."""

    tasks: tuple[Task, ...]
    problems: tuple[Problem, ...] = ()

    def named(self, name: str) -> Task:
        """The task with this id; UnknownTasks names the nearest id if there is none."""
        for task in self.tasks:
            if task.id == name:
                return task
        hint = did_you_mean(name, [task.id for task in self.tasks]) if self.tasks else "No task was loaded."
        raise UnknownTasks(f"No task named {name!r}. {hint}")

    def of_split(self, split: Split) -> "Loaded":
        """The repair tasks of one split, with all problems."""
        kept = (task for task in self.tasks if isinstance(task, RepairTask) and task.split == split)
        return Loaded(tuple(kept), self.problems)


def load(
    where: str | Path,
    *,
    visible: Visible = "test",
    tests: Path | None = None,
    entry: str | None = None,
    only: Collection[str] = (),
) -> Loaded:
    """Loads the tasks of a path, or of a collection of this project.

    Args:
        where: a JSONL file, a folder of them, a QuixBugs checkout, a Python file, or a name such as `repair`.
        visible: visible tests of HumanEvalPack, see tasks.formats.humanevalpack.
        tests: the test file of a Python file, or a folder of them, if it is not found by itself.
        entry: the function to repair in a Python file; by default the one that the tests call most.
        only: ids of tasks. Rows of this project with other ids are left out unread, which saves most of the time; what
            is loaded from other formats is not chosen by it.
    """
    path = locate(where)
    _check_options(path, visible, tests, entry)
    rows = RowOptions(visible, frozenset(only))
    return _unique(_read(path, rows, tests, entry))


def _check_options(path: Path, visible: str, tests: Path | None, entry: str | None) -> None:
    """Raises an error if an option is unknown or has no effect for this path."""
    if visible not in get_args(Visible):
        raise BadTask("visible", f"{visible!r} is not known. {did_you_mean(visible, get_args(Visible))}")
    if path.suffix != ".py" and (tests is not None or entry is not None):
        raise BadTask("tests" if tests else "entry", f"applies to a Python file only, not to {path}")
    if tests is not None and not tests.exists():
        raise UnknownTasks(f"No test file or folder at {str(tests)!r}.")


def collections() -> list[str]:
    """The names of the task collections and task files of this project."""
    files = sorted(HOME.glob("*/*.jsonl"))
    return sorted({path.parent.name for path in files} | {f"{path.parent.name}/{path.stem}" for path in files})


def locate(where: str | Path) -> Path:
    """The path of a path or of a collection's name; UnknownTasks if nothing exists there."""
    path = Path(where)
    if path.exists():
        return path
    if os.path.lexists(path):
        raise UnknownTasks(f"{str(where)!r} is a link that leads to no file.")
    name = str(where).removeprefix("tasks/").rstrip("/").removesuffix(".jsonl")
    if name in collections():
        return next(found for found in (HOME / name, HOME / f"{name}.jsonl") if found.exists())
    beside = [str(path.parent / other.name) for other in path.parent.glob("*")] if path.parent.is_dir() else []
    near = did_you_mean(str(where), beside + collections())
    hint = near if near.startswith("Did") else f"Collections: {', '.join(collections())}."
    raise UnknownTasks(f"No file, folder or collection {str(where)!r}. {hint}")


def _read(path: Path, rows: RowOptions, tests: Path | None, entry: str | None) -> Iterator[Found]:
    if path.is_dir():
        yield from _folder(path, rows)
    elif path.suffix == ".py":
        yield from _with_problems(path, lambda: read_python_file(path, tests, entry))
    elif path.suffix in (".jsonl", ".json"):
        yield from _rows(path, rows)
    else:
        raise UnknownFormat(f"{path} is neither .jsonl, .json nor .py; convert it to JSONL rows as docs/tasks.md shows")


def _folder(path: Path, rows: RowOptions) -> Iterator[Found]:
    if is_quixbugs(path):
        yield from _with_problems(path, lambda: read_quixbugs(path))
        return
    row_files = [file for file in sorted(path.rglob("*.jsonl")) if not file.is_dir() and not _is_of_run(file)]
    programs = [file for file in sorted(path.glob("*.py")) if not is_test_file(file) and not file.is_dir()]
    if not row_files and not programs:
        raise UnknownFormat(f"{path} has no .jsonl file and no Python program, and is no QuixBugs checkout")
    for file in row_files or programs:
        yield from _read(file, rows, None, None)


def _is_of_run(file: Path) -> bool:
    """Whether a file holds the episodes of a run: what `solve` wrote is no task for the next one."""
    return file.name == "episodes.jsonl" and (file.parent / "settings.json").exists()


def _with_problems(path: Path, read: Callable[[], Iterable[RepairTask | Problem]]) -> Iterator[Found]:
    """The tasks and problems of a reader; an error of the reader becomes a problem."""
    try:
        for found in read():
            yield found if isinstance(found, Problem) else (found, path, None)
    except TaskError as error:
        yield Problem.of(path, None, error)
    except RecursionError:
        yield Problem(path, None, None, TOO_DEEP)


def _rows(path: Path, options: RowOptions) -> Iterator[Found]:
    try:
        file = opened(path)
    except TaskError as error:
        yield Problem.of(path, None, error)
        return
    with file:
        for number, line in numbered_lines(file):
            if line is None:
                yield Problem(path, number, None, f"the line is skipped: it has more than {MAX_LINE_BYTES:,} bytes")
            elif line.strip() and (found := _found(line, path, number, options)) is not None:
                yield found


def _found(line: bytes, path: Path, number: int, options: RowOptions) -> Found | None:
    """The task of a line, or its problem; None where another task is wanted."""
    try:
        row = read_object(line)
        return (_row_task(row, options.visible), path, number) if options.wants(row) else None
    except NotJson as error:
        return Problem.of(path, number, TaskError(f"the line is no JSON row ({error}); each line must hold one object"))
    except TaskError as error:
        return Problem.of(path, number, error)
    except RecursionError:
        return Problem(path, number, None, TOO_DEEP)


def _row_task(row: Row, visible: Visible) -> Task:
    if "kind" in row:
        return read_row(row)
    if row.keys() >= humanevalpack.FIELDS:
        return humanevalpack.read_humanevalpack(row, visible)
    if row.keys() >= cruxeval.FIELDS:
        return cruxeval.read_cruxeval(row)
    raise BadTask("kind", f"is missing, and no known format has these fields: {', '.join(row) or 'none'}")


def _unique(found: Iterable[Found]) -> Loaded:
    """Separates tasks and problems; a second task with the same id becomes a problem."""
    tasks: dict[str, Task] = {}
    places: dict[str, str] = {}
    problems: list[Problem] = []
    for item in found:
        if isinstance(item, Problem):
            problems.append(item)
            continue
        task, path, line = item
        if task.id in tasks:
            message = f"{task.id!r} is already used at {places[task.id]}; rename one"
            problems.append(Problem(path, line, "id", message))
            continue
        tasks[task.id] = task
        places[task.id] = f"{path}:{line}" if line else str(path)
    return Loaded(tuple(tasks.values()), tuple(problems))
