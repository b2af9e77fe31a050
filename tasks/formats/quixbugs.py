"""Reads a QuixBugs checkout as repair tasks: buggy and correct programs, with JSON cases or pytest files.

    python_programs/NAME.py     correct_python_programs/NAME.py
    json_testcases/NAME.json    python_testcases/test_NAME.py

A line of JSON cases is an array of arguments and expected result. Programs on graphs use `node.py` and have only pytest
files; their tests stay code, with the source of the Node class in front.
"""

from collections.abc import Iterator
from pathlib import Path

from tasks.comparison import Comparison
from tasks.errors import TOO_DEEP, BadTask, Problem, TaskError
from tasks.formats.pytest_file import read_pytest
from tasks.reading.bounded_files import numbered_lines, opened
from tasks.reading.json_text import NotJson, read_json
from tasks.reading.source_file import read_source
from tasks.task import CallTest, RepairTask, Test
from tasks.value import read_number, write_value

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
        except TaskError as error:
            yield Problem.of(path, None, error)
        except RecursionError:
            yield Problem(path, None, None, TOO_DEEP)


def _task(folder: Path, path: Path) -> RepairTask:
    name = path.stem
    reference = folder / CORRECT / path.name
    return RepairTask(
        id=f"quixbugs/{name}",
        source=read_source(path).text,
        entry=name,
        tests=tuple(_tests(folder, name)),
        reference=read_source(reference).text if reference.exists() else None,
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
    modules = {"node": read_source(node).text} if node else {}
    for part in read_pytest(suite, name, name, modules):
        if isinstance(part, Problem):
            raise BadTask("tests", str(part))
        yield part


def _json_cases(path: Path) -> Iterator[CallTest]:
    with opened(path) as file:
        for number, line in numbered_lines(file):
            if line is None or line.strip():
                try:
                    yield _json_case(line, path.stem)
                except (NotJson, TaskError) as error:
                    raise BadTask("tests", f"{path.name}:{number}: {error}") from error


def _json_case(line: bytes | None, name: str) -> CallTest:
    """The test of one line: a pair of arguments and expected result."""
    pair = read_json(line) if line is not None else None
    if not isinstance(pair, list) or len(pair) != 2:
        raise TaskError("is no pair of arguments and expected result")
    arguments, expected = pair
    listed = arguments if isinstance(arguments, list) else [arguments]
    # The last argument of sqrt is its tolerance; the test of QuixBugs itself uses it too.
    comparison = Comparison("json", absolute=read_number(listed[-1])) if name == "sqrt" and listed else FROM_JSON
    return CallTest(", ".join(map(write_value, listed)), write_value(expected), comparison)
