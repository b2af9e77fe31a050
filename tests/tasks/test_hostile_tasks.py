"""Task files are data: whatever stands in one, reading it is bounded, names file and line, and loses nothing else."""

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks import CallTest, FunctionTest, NotPlain, RepairTask, load, read_value, suites
from tasks.errors import OverBudget
from tasks.reading.bounded_files import numbered_lines
from tasks.reading.constant_folding import MAX_UNITS

GOOD: dict[str, object] = {
    "kind": "repair",
    "id": "double",
    "source": "def double(x):\n    return x\n",
    "entry": "double",
    "tests": [{"arguments": "2", "expected": "4"}],
}
PRIME = 2**61 - 1
"""Python's hash of an integer is its remainder by this number, so its multiples share a hash."""


def expecting(text: str) -> dict[str, object]:
    return {**GOOD, "id": "bad", "tests": [{"arguments": "1", "expected": text}]}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("(0,) * 400_000 + (0,) * 400_000 + (0,) * 400_000", id="sum-of-tuples"),
        pytest.param("+".join(["'" + "a" * 10_000 + "'"] * 100), id="repeated-concatenation"),
        pytest.param("[" + "'a' * 100_000, " * 20 + "]", id="many-repetitions"),
        pytest.param("(" * 30 + "0" + ",) * 10" * 30, id="nested-repetitions"),
        pytest.param("((0,) * 1000,) * 2000", id="repetition-of-a-repetition"),
        pytest.param("'ab' * 10 ** 9", id="text-repetition"),
        pytest.param("10 ** 9 * [0]", id="repetition-swapped"),
        pytest.param("b'a' * 10 ** 9 + b''", id="bytes"),
        pytest.param(" * ".join(["9" * 2000] * 40), id="product-of-integers"),
        pytest.param("9 ** 9 ** 9", id="power"),
        pytest.param("(2 ** 5000) ** 3", id="power-of-a-power"),
        pytest.param("2 ** -10 ** 9", id="negative-power"),
        pytest.param("0x" + "f" * 5000, id="hexadecimal"),
        pytest.param("1 << 10 ** 9", id="shift"),
        pytest.param("'%1000000000d' % 3", id="formatting"),
        pytest.param("f'{3:1000000000}'", id="f-string"),
        pytest.param("f'{f\"{3:100000}\":1000000}'", id="nested-f-string"),
        pytest.param("'{:1000000000}'.format(3)", id="format"),
        pytest.param("[0 for _ in range(10 ** 9)]", id="comprehension"),
        pytest.param("list(range(10 ** 9))", id="range"),
        pytest.param("list('a' * 400_000)", id="list-of-characters"),
        pytest.param("{" + ", ".join(str(i * PRIME) for i in range(200)) + "}", id="colliding-set"),
        pytest.param("{" + ", ".join(f"{i * PRIME}: 0" for i in range(200)) + "}", id="colliding-dict"),
        pytest.param("frozenset([" + ", ".join(str(i * PRIME) for i in range(200)) + "])", id="colliding-frozenset"),
        pytest.param("dict([" + ", ".join(f"({i * PRIME}, 0)" for i in range(200)) + "])", id="colliding-pairs"),
        pytest.param("-" * 5000 + "1", id="signs"),
        pytest.param("1" + " + 1" * 300, id="long-sum"),
        pytest.param("[" * 300 + "]" * 300, id="brackets"),
        pytest.param("[" + "1, " * 300_000 + "]", id="long-literal"),
        pytest.param("'\ud800'", id="surrogate"),
        pytest.param("'a\0b'", id="null-byte"),
    ],
)
def test_an_expression_beyond_the_budget_is_refused_and_the_other_rows_go_on(tmp_path: Path, text: str) -> None:
    with pytest.raises(NotPlain):
        read_value(text)
    loaded = load(write(tmp_path, expecting(text), GOOD))
    assert [task.id for task in loaded.tasks] == ["double"]
    (problem,) = loaded.problems
    assert (problem.line, problem.field) == (1, "tests[0].expected")
    assert len(str(problem)) < 1000


def write(folder: Path, *rows: object) -> Path:
    path = folder / "tasks.jsonl"
    lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


@pytest.mark.parametrize(
    ("text", "size"),
    [
        pytest.param("'a' * 90_000 + 'b' * 10_000", 100_000, id="text"),
        pytest.param("[0] * 100_000", 100_000, id="list"),
        pytest.param("[" + "7, " * 100_000 + "]", 100_000, id="literal"),
        pytest.param("{" + ", ".join(map(str, range(20_000))) + "}", 20_000, id="set"),
        pytest.param("set('abc' * 1000)", 3, id="set-of-characters"),
    ],
)
def test_what_stays_within_the_budget_is_folded(text: str, size: int) -> None:
    value = read_value(text)
    assert isinstance(value, str | list | set)
    assert len(value) == size


def test_the_budget_is_said_in_the_message() -> None:
    with pytest.raises(OverBudget, match=f"at most {MAX_UNITS:,}"):
        read_value("'a' * 10 ** 9")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        pytest.param({**GOOD, "source": "x = 1\n" * 30_000}, "30,000 lines, and at most 20,000", id="lines"),
        pytest.param({**GOOD, "source": "x = 1;" * 100_000}, "600,000 characters, and at most 500,000", id="long"),
        pytest.param({**GOOD, "source": "def double(x): pass\nx = 1\0"}, "line 2: there is a null byte", id="null"),
        pytest.param({**GOOD, "source": "x = " + "(" * 300}, "does not parse", id="parentheses"),
        pytest.param({**GOOD, "source": "x = 1" + "+1" * 20_000}, "nested too deeply", id="deep"),
        pytest.param({**GOOD, "source": "x = 0x" + "f" * 9000}, "more than 10,000 bits", id="integer"),
        pytest.param({**GOOD, "source": "x = '\ud800'"}, "surrogates", id="surrogate"),
        pytest.param({**GOOD, "id": "a" * 100_000 + "\n"}, "no valid id", id="id"),
        pytest.param({**GOOD, "tier": "\x1b[31m"}, "cannot be printed", id="tier"),
        pytest.param({f"field{number}": 1 for number in range(5000)}, "is missing", id="many-fields"),
        pytest.param(
            {**GOOD, "tests": [{"arguments": "1", "expected": "1", "comparison": {"kind": ["close"]}}]},
            "must be a text",
            id="comparison-kind",
        ),
        pytest.param(
            {**GOOD, "tests": [{"arguments": "1", "expected": "1", "comparison": {"kind": "close", "absolute": 10**400}}]},
            "larger than any float",
            id="tolerance",
        ),
        pytest.param(
            {"kind": "permutation", "id": "p", "start": [*range(5000)], "goal": [*range(5000)], "generators": "swaps",
             "distance": 0},
            "at most 1000",
            id="permutation",
        ),
        pytest.param(b"[" * 100_000, "nested too deeply", id="deep-json"),
        pytest.param(b'{"a":' * 50_000, "nested too deeply", id="deep-objects"),
        pytest.param(b'{"kind": ' + b"1" * 1_000_000 + b"}", "digits", id="digits"),
        pytest.param(b'{"kind": "repair", "kind": "trace"}', "the key 'kind' occurs twice", id="key-twice"),
        pytest.param(b'{"kind": NaN}', "NaN is no JSON number", id="nan"),
        pytest.param(b'{"kind": -Infinity}', "-Infinity is no JSON number", id="infinity"),
        pytest.param(b"null", "must hold one object", id="no-object"),
        pytest.param(b'"text"', "must hold one object", id="text"),
        pytest.param(b'{"kind": "\xff"}', "no JSON row", id="no-utf8"),
        pytest.param("{}".encode("utf-16"), "no JSON row", id="utf-16"),
        pytest.param(b"\0\0\0", "no JSON row", id="null-bytes"),
    ],
)  # fmt: skip
def test_a_hostile_row_is_named_and_the_others_go_on(tmp_path: Path, row: object, words: str) -> None:
    path = write(tmp_path, {**GOOD, "id": "first"}, row, {**GOOD, "id": "last"})
    loaded = load(path)
    assert [task.id for task in loaded.tasks] == ["first", "last"]
    (problem,) = loaded.problems
    assert str(problem).startswith(f"{path}:2: ")
    assert words in str(problem)
    assert len(str(problem)) < 1000


def test_a_line_over_the_limit_is_passed_over_without_being_held(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\n" + b"x" * 100 + b"\ntwo\n" + b"y" * 100)
    with path.open("rb") as file:
        assert list(numbered_lines(file, 10)) == [(1, b"one\n"), (2, None), (3, b"two\n"), (4, None)]


HUMANEVAL = {
    "task_id": "Python/1",
    "declaration": "def f(x):\n",
    "buggy_solution": "    return x\n",
    "canonical_solution": "    return x\n",
    "entry_point": "f",
}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("".join(f" x{i} = g({i})\n assert h(x{i})\n" for i in range(300)), id="statements-repeated"),
        pytest.param(" r = c(1)\n" + "".join(f" x{i} = {i}\n assert x{i}\n" for i in range(300)), id="substitution"),
    ],
)
def test_a_suite_that_would_repeat_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    monkeypatch.setattr(suites, "MAX_UNITS", 20_000)
    loaded = load(write(tmp_path, {**HUMANEVAL, "test": "def check(c):\n" + body}, GOOD))
    assert [task.id for task in loaded.tasks] == ["double"]
    assert "a test suite (at most 20,000" in str(loaded.problems[0])


def test_names_that_double_the_one_before_are_not_written_out(tmp_path: Path) -> None:
    """Sixty assignments, each of the last name twice: written out they would have 2**60 items."""
    laughs = "def check(c):\n a0 = (1, 1)\n" + "".join(f" a{i + 1} = (a{i}, a{i})\n" for i in range(60))
    (task,) = load(write(tmp_path, {**HUMANEVAL, "test": laughs + " r = c(1)\n assert r == a60\n"})).tasks
    assert isinstance(task, RepairTask)
    assert isinstance(task.tests[0], FunctionTest)


def test_a_text_that_is_named_often_is_not_written_out(tmp_path: Path) -> None:
    often = "def check(c):\n a = '" + "x" * 5000 + "'\n b = [" + "a, " * 500 + "]\n assert c(1) == b\n"
    (task,) = load(write(tmp_path, {**HUMANEVAL, "test": often})).tasks
    assert isinstance(task, RepairTask)
    assert isinstance(task.tests[0], FunctionTest)


def program(folder: Path, source: bytes, tests: bytes) -> Path:
    (folder / "prog.py").write_bytes(source)
    (folder / "test_prog.py").write_bytes(tests)
    return folder / "prog.py"


SOURCE = b"def f(x):\n    return x\n"


@pytest.mark.parametrize(
    ("source", "tests"),
    [
        pytest.param(b"\xef\xbb\xbf" + SOURCE, b"\xef\xbb\xbfassert f(1) == 1\n", id="BOM"),
        pytest.param(SOURCE.replace(b"\n", b"\r\n"), b"def test():\r\n    assert f(1) == 1\r\n", id="CRLF"),
        pytest.param(b"# coding: latin-1\n# \xe9\n" + SOURCE, b"# coding: cp1252\n# \x80\nassert f(1) == 1\n", id="cookie"),
    ],
)  # fmt: skip
def test_a_program_in_its_own_encoding_is_read(tmp_path: Path, source: bytes, tests: bytes) -> None:
    loaded = load(program(tmp_path, source, tests))
    (task,) = loaded.tasks
    assert isinstance(task, RepairTask)
    assert task.tests == (CallTest("1", "1"),)
    assert loaded.problems == ()
    assert task.source.endswith("def f(x):\n    return x\n")


def test_a_bom_is_accepted_in_rows_in_their_programs_and_in_json_cases(tmp_path: Path) -> None:
    rows = b"\xef\xbb\xbf" + json.dumps({**GOOD, "source": "\ufeff" + str(GOOD["source"])}).encode()
    assert load(write(tmp_path, rows)).problems == ()
    files = {"python_programs/f.py": SOURCE, "correct_python_programs/f.py": SOURCE, "json_testcases/f.json": b"[1, 1]"}
    for name, data in files.items():
        (tmp_path / "quix" / name).parent.mkdir(parents=True)
        (tmp_path / "quix" / name).write_bytes(b"\xef\xbb\xbf" + data)
    assert load(tmp_path / "quix").problems == ()


@pytest.mark.parametrize(
    ("source", "tests", "place"),
    [
        pytest.param(b"x = 1\ny = '\xff'\n", b"", "prog.py:2: is not in utf-8", id="no-utf8"),
        pytest.param(b"# coding: foo\n", b"", "prog.py:1: unknown encoding: foo", id="no-encoding"),
        pytest.param(SOURCE, b"assert f(1) == 1\nassert f(\0)\n", "test_prog.py:2: field 'tests'", id="null-in-tests"),
        pytest.param(
            SOURCE,
            b"x = '\xff'\n",
            "test_prog.py:1: field 'tests': does not parse: line 1: is not in utf-8",
            id="tests-no-utf8",
        ),
        pytest.param(SOURCE, b"assert f(1) == 0x" + b"f" * 9000, "test_prog.py:1: field 'tests'", id="integer"),
        pytest.param(
            SOURCE,
            b"def test_deep():\n    x = f(1)\n    y = 1" + b" + 1" * 700 + b"\n    assert x == y\n",
            "test_prog.py:1: field 'test_deep'",
            id="deep",
        ),
    ],
)
def test_a_hostile_program_is_named_with_its_line(tmp_path: Path, source: bytes, tests: bytes, place: str) -> None:
    path = program(tmp_path, source, tests)
    write(tmp_path, GOOD)
    problems = load(path).problems
    assert any(place in str(problem) for problem in problems), problems
    assert len(load(tmp_path).tasks) == 1


def test_tables_of_parameters_are_not_multiplied_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine tables of ten rows are 10**9 cases; the other functions of the file are read."""
    monkeypatch.setattr(suites, "MAX_UNITS", 20_000)
    table = "".join(f"@pytest.mark.parametrize('a{i}', [{'1, ' * 10}])\n" for i in range(9))
    names = ", ".join(f"a{i}" for i in range(9))
    tests = f"def test_one():\n    assert f(1) == 1\n{table}def test_many({names}):\n    assert f(a0) == 1\n"
    loaded = load(program(tmp_path, SOURCE, b"import pytest\n" + tests.encode()))
    assert len(loaded.tasks) == 1
    assert "test_many" in str(loaded.problems[0])


def test_a_large_parameter_that_is_used_often_is_not_written_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suites, "MAX_UNITS", 20_000)
    tests = f"@pytest.mark.parametrize('a', [[{'1, ' * 2000}]])\ndef test_a(a):\n    assert f([{'a, ' * 2000}]) == 1\n"
    assert "test_a" in str(load(program(tmp_path, SOURCE, tests.encode())).problems[0])


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        before = Path.cwd()
        os.chdir(path.parent)  # the name of a socket is short
        try:
            server.bind(path.name)
        finally:
            os.chdir(before)


SPECIAL: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "socket": _socket,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "loop": lambda path: path.symlink_to(path.name),
    "dangling": lambda path: path.symlink_to("nothing"),
    "sparse": lambda path: (path.touch(), os.truncate(path, 2**41)),
}


@pytest.mark.parametrize("suffix", ["jsonl", "py"])
@pytest.mark.parametrize("kind", SPECIAL)
def test_what_is_no_file_is_named_without_waiting_and_the_others_go_on(tmp_path: Path, kind: str, suffix: str) -> None:
    program(tmp_path, SOURCE, b"assert f(1) == 1\n")
    if suffix == "jsonl":
        write(tmp_path, GOOD)
    SPECIAL[kind](tmp_path / f"special.{suffix}")
    loaded = load(tmp_path)
    assert len(loaded.tasks) == 1
    (problem,) = loaded.problems
    assert f"special.{suffix}: " in str(problem)


def test_a_folder_with_the_name_of_a_file_is_no_task_file(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "folder.py").mkdir()
    loaded = load(tmp_path)
    assert (len(loaded.tasks), loaded.problems) == (1, ())
