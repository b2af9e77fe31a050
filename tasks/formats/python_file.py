"""Reads a plain Python file with its tests as a repair task.

The tests are those of the test files that `suite_places.py` finds or that are given, the doctests of the program, and
the asserts under its `if __name__ == "__main__":`. The entry is given, or it is the function or method that the tests
call most.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tasks.errors import BadSource, BadTask, Problem, TaskError
from tasks.formats.doctests import read_doctests
from tasks.formats.main_block import block_text, read_main_block
from tasks.formats.pytest_file import TestedModule, read_pytest
from tasks.formats.suite_places import SuitePlaces, packages_of, suites_of
from tasks.reading.program_text import parse
from tasks.reading.source_file import read_source
from tasks.task import RepairTask, check_program, defined_names, method_names


def read_python_file(path: Path, tests: Path | None = None, entry: str | None = None) -> Iterator[RepairTask | Problem]:
    """A problem for each test that cannot be read, then the task of the file."""
    source = read_source(path).text
    places = suites_of(path, tests)
    if entry is None:
        check_parses(source)
        own = f"{_doctest_lines(source)}\n{block_text(source)}"
        entry = most_called(source, "\n".join(map(_readable, places.files)) or own)
    check_program("source", source, entry)
    called = entry if is_function(source, entry) else ""
    module = TestedModule(path.stem, packages_of(path), frozenset(defined_names(parse(source))))
    read = [part for suite in places.files for part in read_pytest(suite, module, called)]
    read += [*read_doctests(path, source, called), *read_main_block(path, source, called)]
    yield from (problem for problem in read if isinstance(problem, Problem))
    found = [test for test in read if not isinstance(test, Problem)]
    if not found:
        raise BadTask("tests", _nothing_found(path, places))
    yield RepairTask(path.stem, source, entry, tuple(dict.fromkeys(found)), origin=str(path))


def _nothing_found(path: Path, places: SuitePlaces) -> str:
    """What to say of a program without tests: where they were looked for, and what to do."""
    where = ", ".join((*map(str, places.files), *places.looked_at))
    return (
        f"no test found: looked at {where}, the docstrings and the `if __name__` block of {path.name}; "
        f"write test_{path.name} beside it, or name its tests with --tests PATH"
    )


def _readable(suite: Path) -> str:
    """The text of a test file, or nothing: reading its tests reports why it cannot be read."""
    try:
        return read_source(suite).text
    except TaskError:
        return ""


def check_parses(source: str) -> None:
    """Raises BadTask if the source does not parse."""
    try:
        parse(source)
    except BadSource as error:
        raise BadTask("source", f"does not parse: {error}") from error


def most_called(source: str, tests: str) -> str:
    """The function or method that a text of tests calls most, the first of equals; BadTask if the source defines none.

    A class is chosen only where the tests call none of its methods.
    """
    module = parse(source)
    classes = {part.name for part in module.body if isinstance(part, ast.ClassDef)}
    functions = [name for name in defined_names(module) if not name.startswith("__")]
    if not functions:
        raise BadTask("entry", "the file defines no function to test")
    names = [name for name in functions if name not in classes]
    names += [name for name in method_names(module) if not name.rpartition(".")[2].startswith("__")]
    calls = Counter(re.findall(r"(\w+)\(", tests))
    chosen = max(names or functions, key=lambda name: calls[name.rpartition(".")[2]])
    return chosen if calls[chosen.rpartition(".")[2]] or not classes else max(functions, key=lambda name: calls[name])


def is_function(source: str, entry: str) -> bool:
    """Whether the entry is a name of the module that is no class, so that its calls can be tests by themselves."""
    module = parse(source)
    classes = {part.name for part in module.body if isinstance(part, ast.ClassDef)}
    return entry in defined_names(module) and entry not in classes


def _doctest_lines(source: str) -> str:
    return "\n".join(line for line in source.splitlines() if line.strip().startswith((">>>", "...")))
