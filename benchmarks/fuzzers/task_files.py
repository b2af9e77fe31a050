"""Fuzzes the loaders of tasks, in every format: a bad task is a problem with its place, and the others are loaded."""

import json
import tempfile
from pathlib import Path

from hypothesis import strategies as st

from benchmarks.fuzzers.harness.fuzzer import Data, Fuzzer
from benchmarks.fuzzers.harness.mutations import changed_json, changed_text, json_values, nested, pieces, repeated
from tasks.errors import TaskError
from tasks.loading import load
from tasks.rows import read_row, write_row

SOURCE = (
    "def f(x, k=2):\n    '''Doc.\n\n    >>> f(2)\n    3\n    >>> f(-1)\n    Traceback (most recent call last):\n"
    "    ValueError: no\n    '''\n    return x + 1\n"
)
SUITE = (
    "import pytest\nfrom prog import f\n\n\n@pytest.mark.parametrize('x, y', [(1, 2), (2, 3)])\ndef test_f(x, y):\n"
    "    assert f(x) == y\n\n\ndef test_raises():\n    with pytest.raises(ValueError):\n        f(-1)\n"
    "    assert abs(f(1) - 2.0) < 1e-6\n    assert list(f(1)) == [1, 2] * 3\n"
)
ROWS = [
    {"kind": "repair", "id": "r", "source": "def f(x):\n    return x\n", "entry": "f", "origin": "o", "split": "dev",
     "tests": [{"arguments": "1, [2] * 3", "expected": "[3]", "comparison": {"kind": "close", "absolute": 0.1}},
               {"code": "assert f(1) == 2"}], "hidden": [], "known_patch": ["x 1:1: 'a' -> 'b'"]},
    {"kind": "trace", "id": "t", "source": "def f(x):\n    return x\n", "entry": "f", "arguments": "1",
    "expected": "1"},
    {"kind": "permutation", "id": "p", "start": [1, 0, 2], "goal": [0, 1, 2], "generators": "swaps", "distance": 1},
    {"kind": "permutation", "id": "q", "start": [1, 0], "goal": [0, 1], "generators": [[1, 0]], "distance": 1},
    {"id": "c", "code": "def f(x):\n    return x\n", "input": "'a'", "output": "'a'"},
    {"task_id": "Python/0", "declaration": "def f(x):\n", "buggy_solution": "    return x\n", "entry_point": "f",
     "canonical_solution": "    return x + 1\n", "bug_type": "b", "example_test": "assert f(1) == 2",
     "test": "def check(candidate):\n    assert candidate(1) == 2\n    assert not candidate((1, 2) * 4)\n\ncheck(f)\n"},
]  # fmt: skip
CASES = '[[1, [2, 3]], 4]\n[[-1], null]\n[["a"], {"b": 1.5}]\n'
WORDS = ["def f(x):\n", "    ", "assert ", "f(", ")", "==", "1", "(1,) * 99999", "(0,) + ", "9 ** 9 ** 9",
    "'a' * 10**8", "[[0]*9]*9",
         ">>> ", "@pytest.mark.parametrize(", "'x'", "class Test:\n", "\n", "import f as g\n", "lambda: ",
         "check(f)", "[", "]"]  # fmt: skip
FOLDERS = {"prog": "python_programs/f.py", "right": "correct_python_programs/f.py", "cases": "json_testcases/f.json",
           "suite": "python_testcases/test_f.py", "node": "python_testcases/node.py"}  # fmt: skip


def _lines() -> st.SearchStrategy[Data]:
    """Files of JSON rows, as text."""
    row = st.sampled_from(ROWS)
    rows = row | changed_json(row, WORDS) | json_values()
    lines = st.lists(rows.map(json.dumps), max_size=4).map("\n".join)
    deep = nested('{"kind":', "1", "}") | nested("[", "1", "]", 20_000)
    return lines | changed_text(lines, ['{"kind": ', '"repair"', "}", "\ufeff", "NaN", "1e999", "\\u0000"]) | deep


def _programs() -> st.SearchStrategy[Data]:
    """A Python program beside its pytest file."""
    source = (
        st.just(SOURCE) | changed_text(st.just(SOURCE), WORDS) | pieces(WORDS) | repeated(["def f(x): pass\n", "("])
    )
    suite = st.just(SUITE) | changed_text(st.just(SUITE), WORDS) | pieces(WORDS) | nested("f(", "1", ")", 300)
    return st.tuples(source, suite).map(list)


def _checkouts() -> st.SearchStrategy[Data]:
    """A QuixBugs checkout of one program, with JSON cases or a pytest file."""
    text = st.just(SOURCE) | changed_text(st.just(SOURCE), WORDS)
    cases = (
        st.just(CASES) | changed_text(st.just(CASES), ["[", "]", "[[", "1", "null", "{}", "\n"]) | nested("[", "", "]")
    )
    suite = st.just(SUITE) | changed_text(st.just(SUITE), WORDS)
    parts = {"prog": text, "right": text}
    return st.fixed_dictionaries(parts, optional={"cases": cases, "suite": suite, "node": text})


def _loaded(files: dict[str, str], where: str) -> str:
    with tempfile.TemporaryDirectory() as name:
        for path, text in files.items():
            file = Path(name) / path
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            found = load(Path(name) / where)
        except TaskError as error:
            return type(error).__name__
    for task in found.tasks:
        again = read_row(json.loads(json.dumps(write_row(task))))
        assert write_row(again) == write_row(task), task
    for problem in found.problems:
        assert len(str(problem)) < 20_000, "a message of more than 20,000 characters"
    return f"{min(2, len(found.tasks))} tasks, {min(2, len(found.problems))} problems"


def _check_lines(data: Data) -> str:
    return _loaded({"rows.jsonl": data}, "rows.jsonl")


def _check_program(data: Data) -> str:
    return _loaded({"prog.py": data[0], "test_prog.py": data[1]}, "prog.py")


def _check_checkout(data: Data) -> str:
    return _loaded({FOLDERS[name]: text for name, text in data.items()}, ".")


FUZZERS = (
    Fuzzer(
        "task-rows",
        "a file of rows: tasks that are read back equal, and problems",
        _lines,
        _check_lines,
        calls_per_character=2_000,
    ),
    Fuzzer(
        "task-programs",
        "a program with its suite: a task, or problems",
        _programs,
        _check_program,
        calls_per_character=20_000,
    ),
    Fuzzer(
        "task-checkouts",
        "a QuixBugs checkout: tasks, or problems",
        _checkouts,
        _check_checkout,
        calls_per_character=2_000,
    ),
)
