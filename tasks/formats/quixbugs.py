"""Reads a QuixBugs checkout as repair tasks: buggy and correct programs, with JSON cases or pytest files.

    python_programs/NAME.py     correct_python_programs/NAME.py
    json_testcases/NAME.json    python_testcases/test_NAME.py

A line of JSON cases is an array of arguments and expected result. Programs on graphs use `node.py` and have only pytest
files; their tests stay code, with the source of the Node class in front.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from tasks.comparison import Comparison
from tasks.errors import BadTask, Problem, TaskError
from tasks.formats.pytest_file import read_pytest
from tasks.task import CallTest, RepairTask, Test
from tasks.value import write_value

BUGGY, CORRECT, CASES, SUITES = (
    "python_programs",
    "correct_python_programs",
    "json_testcases",
    "python_testcases",
)

FROM_JSON = Comparison("json", relative=1e-6)
"""JSON has only lists, so tuples and generators are compared as lists; floats as by pytest.approx."""


def is_quixbugs(folder: Path) -> bool:
    """Whether the folder has the two program folders of QuixBugs."""
    return (folder / BUGGY).is_dir() and (folder / CORRECT).is_dir()


def read_quixbugs(folder: Path) -> Iterator[RepairTask | Problem]:
    """A task or a problem for each program."""
    for path in sorted((folder / BUGGY).glob("*.py")):
        if path.stem in ("node", "__init__") or path.stem.endswith("_test"):
            continue
        try:
            yield _task(folder, path)
        except (TaskError, OSError, UnicodeDecodeError) as error:
            yield Problem.of(path, None, error if isinstance(error, TaskError) else TaskError(str(error)))


def _task(folder: Path, path: Path) -> RepairTask:
    name = path.stem
    reference = folder / CORRECT / path.name
    return RepairTask(
        id=f"quixbugs/{name}",
        source=path.read_text(encoding="utf-8"),
        entry=name,
        tests=tuple(_tests(folder, name)),
        reference=reference.read_text(encoding="utf-8") if reference.exists() else None,
        origin="QuixBugs, jkoppel/QuixBugs",
        licence="MIT",
    )


def _tests(folder: Path, name: str) -> Iterator[Test]:
    cases = folder / CASES / f"{name}.json"
    if cases.exists():
        yield from _json_cases(cases)
        return
    suite = folder / SUITES / f"test_{name}.py"
    if not suite.exists():
        raise BadTask("tests", f"neither {CASES}/{name}.json nor {SUITES}/test_{name}.py exists")
    node = next((path for path in (folder / SUITES / "node.py", folder / BUGGY / "node.py") if path.exists()), None)
    modules = {"node": node.read_text(encoding="utf-8")} if node else {}
    for part in read_pytest(suite, name, name, modules):
        if isinstance(part, Problem):
            raise BadTask("tests", str(part))
        yield part


def _json_cases(path: Path) -> Iterator[CallTest]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            arguments, expected = json.loads(line)
        except (ValueError, TypeError) as error:
            raise BadTask("tests", f"{path.name}:{number} is no pair of arguments and expected result") from error
        listed = arguments if isinstance(arguments, list) else [arguments]
        # The last argument of sqrt is its tolerance; the test of QuixBugs itself uses it too.
        comparison = Comparison("json", absolute=float(listed[-1])) if path.stem == "sqrt" else FROM_JSON
        yield CallTest(", ".join(map(write_value, listed)), write_value(expected), comparison)
