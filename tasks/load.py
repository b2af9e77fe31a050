"""Tasks from a path or a name: each file recognised by what it holds, a bad task reported, the rest served.

    loaded = load("repair")                            the tasks that come with the project
    loaded = load("buggy.py")                          a file with its pytest file or doctests
    loaded = load("humanevalpack.jsonl", visible="example")

Loading parses and never runs anything. Knows every format by name and none by its details.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from tasks.errors import BadTask, Problem, TaskError, UnknownFormat, UnknownTasks, did_you_mean
from tasks.formats import cruxeval, humanevalpack
from tasks.formats.humanevalpack import Visible
from tasks.formats.python_file import is_test_file, read_python_file
from tasks.formats.quixbugs import is_quixbugs, read_quixbugs
from tasks.rows import Row, read_row
from tasks.task import RepairTask, Split, Task

HOME = Path(__file__).parent
Found = tuple[Task, Path, int | None] | Problem
"""A task with the place it was read from, or a problem."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a path held: the tasks in order, and a problem for each one that was skipped."""

    tasks: tuple[Task, ...]
    problems: tuple[Problem, ...] = ()

    def named(self, name: str) -> Task:
        """The task of that id; UnknownTasks with the nearest id where there is none."""
        for task in self.tasks:
            if task.id == name:
                return task
        hint = did_you_mean(name, [task.id for task in self.tasks]) if self.tasks else "Nothing was loaded."
        raise UnknownTasks(f"No task named {name!r}. {hint}")

    def of_split(self, split: Split) -> "Loaded":
        """The same with the repair tasks of one split only."""
        kept = (task for task in self.tasks if isinstance(task, RepairTask) and task.split == split)
        return Loaded(tuple(kept), self.problems)


def load(
    where: str | Path, *, visible: Visible = "test", tests: Path | None = None, entry: str | None = None
) -> Loaded:
    """The tasks at a path, or of a collection that comes with the project.

    Args:
        where: a JSONL file, a folder of them, a QuixBugs checkout, a Python file, or a name such as `repair`.
        visible: what HumanEvalPack shows, see tasks.formats.humanevalpack.
        tests: the pytest file of a Python file, where it is not named after it.
        entry: the function to repair in a Python file, where it is not the one that the tests call most.
    """
    path = locate(where)
    _check_options(path, visible, tests, entry)
    return _unique(_read(path, visible, tests, entry))


def _check_options(path: Path, visible: str, tests: Path | None, entry: str | None) -> None:
    """Nothing; an error where an option is unknown or would have no effect."""
    if visible not in get_args(Visible):
        raise BadTask("visible", f"{visible!r} is not known. {did_you_mean(visible, get_args(Visible))}")
    if path.suffix != ".py" and (tests is not None or entry is not None):
        raise BadTask("tests" if tests else "entry", f"can be given for a Python file only, not for {path}")
    if tests is not None and not tests.is_file():
        raise UnknownTasks(f"No test file at {str(tests)!r}.")


def collections() -> list[str]:
    """The names of the collections and files of tasks that come with the project."""
    files = sorted(HOME.glob("*/*.jsonl"))
    return sorted({path.parent.name for path in files} | {f"{path.parent.name}/{path.stem}" for path in files})


def locate(where: str | Path) -> Path:
    """The path meant by a path or a collection's name; UnknownTasks where nothing is there."""
    path = Path(where)
    if path.exists():
        return path
    name = str(where).removeprefix("tasks/").rstrip("/").removesuffix(".jsonl")
    if name in collections():
        return next(found for found in (HOME / name, HOME / f"{name}.jsonl") if found.exists())
    beside = [str(path.parent / other.name) for other in path.parent.glob("*")] if path.parent.is_dir() else []
    near = did_you_mean(str(where), beside + collections())
    hint = near if near.startswith("Did") else f"Collections: {', '.join(collections())}."
    raise UnknownTasks(f"Nothing at {str(where)!r}. {hint}")


def _read(path: Path, visible: Visible, tests: Path | None, entry: str | None) -> Iterator[Found]:
    if path.is_dir():
        yield from _folder(path, visible)
    elif path.suffix == ".py":
        yield from _served(path, lambda: read_python_file(path, tests, entry))
    elif path.suffix in (".jsonl", ".json"):
        yield from _rows(path, visible)
    else:
        raise UnknownFormat(f"{path} is neither .jsonl nor .py; convert it to rows as docs/tasks.md shows")


def _folder(path: Path, visible: Visible) -> Iterator[Found]:
    if is_quixbugs(path):
        yield from _served(path, lambda: read_quixbugs(path))
        return
    row_files = sorted(path.rglob("*.jsonl"))
    programs = [file for file in sorted(path.glob("*.py")) if not is_test_file(file)]
    if not row_files and not programs:
        raise UnknownFormat(f"{path} holds no .jsonl file, no Python program and no QuixBugs checkout")
    for file in row_files or programs:
        yield from _read(file, visible, None, None)


def _served(path: Path, read: Callable[[], Iterable[RepairTask | Problem]]) -> Iterator[Found]:
    """What a reader of files yields, its error turned into a problem."""
    try:
        for found in read():
            yield found if isinstance(found, Problem) else (found, path, None)
    except (TaskError, UnicodeDecodeError) as error:
        yield Problem.of(path, None, error if isinstance(error, TaskError) else TaskError(f"is no UTF-8: {error}"))


def _rows(path: Path, visible: Visible) -> Iterator[Found]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield _row_task(_parsed(line), visible), path, number
            except TaskError as error:
                yield Problem.of(path, number, error)


def _parsed(line: bytes) -> Row:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
        raise TaskError(f"the line is no JSON ({error}); each line must hold one whole object") from error
    if not isinstance(row, dict):
        raise TaskError(f"the line holds a {type(row).__name__}; each line must hold one object")
    return row


def _row_task(row: Row, visible: Visible) -> Task:
    if "kind" in row:
        return read_row(row)
    if row.keys() >= humanevalpack.FIELDS:
        return humanevalpack.read_humanevalpack(row, visible)
    if row.keys() >= cruxeval.FIELDS:
        return cruxeval.read_cruxeval(row)
    raise BadTask("kind", f"is missing, and the fields are of no format known: {', '.join(row) or 'none'}")


def _unique(found: Iterable[Found]) -> Loaded:
    """Tasks and problems apart, a second task of an id made a problem."""
    tasks: dict[str, Task] = {}
    places: dict[str, str] = {}
    problems: list[Problem] = []
    for item in found:
        if isinstance(item, Problem):
            problems.append(item)
            continue
        task, path, line = item
        if task.id in tasks:
            message = f"{task.id!r} is taken already, at {places[task.id]}; rename one"
            problems.append(Problem(path, line, "id", message))
            continue
        tasks[task.id] = task
        places[task.id] = f"{path}:{line}" if line else str(path)
    return Loaded(tuple(tasks.values()), tuple(problems))
