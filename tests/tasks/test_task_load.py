"""Claims about loading: formats are recognised, errors name file, line and field, and the other tasks load."""

import json
from pathlib import Path
from typing import Any

import pytest

from tasks import (
    BadTask,
    CallTest,
    CodeTest,
    Comparison,
    FunctionTest,
    PermutationTask,
    RepairTask,
    TraceTask,
    UnknownFormat,
    UnknownTasks,
    load,
    write_tasks,
)
from tasks.formats.quixbugs import FROM_JSON
from tasks.task import CHECK, Task
from tasks.traced_calls import traced_call

GOOD: dict[str, object] = {
    "kind": "repair",
    "id": "double",
    "source": "def double(x):\n    return x + x + x\n",
    "entry": "double",
    "tests": [{"arguments": "2", "expected": "4"}],
}
TASKS: list[Task] = [
    RepairTask(
        "double",
        "def double(x):\n    return x\n",
        "double",
        (
            CallTest("2", "4"),
            CallTest("0.1", "0.2", Comparison("close", 1e-9)),
            CodeTest("assert double(3) == 6"),
        ),
        hidden=(CallTest("'é'", "'éé'"),),
        reference="def double(x):\n    return x + x\n",
        known_patch=("replace x by x + x",),
        tier="strings",
        split="dev",
    ),
    TraceTask("call", "def f(x):\n    return x", "f", "3", expected="3"),
    PermutationTask("sort", (1, 0, 2), (0, 1, 2), "adjacent", distance=1, style="branching"),
    PermutationTask("own", (1, 2, 0), (0, 1, 2), ((1, 2, 0), (2, 0, 1)), distance=1),
]


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def test_tasks_written_are_read_back_equal(tmp_path: Path) -> None:
    write_tasks(tmp_path / "tasks.jsonl", TASKS)
    loaded = load(tmp_path)
    assert loaded.tasks == tuple(TASKS)
    assert loaded.problems == ()


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        pytest.param({"id": None}, "id", "must be a text", id="null-id"),
        pytest.param({"entry": "dubble"}, "entry", "Did you mean 'double'?", id="entry-not-defined"),
        pytest.param({"source": "def double(x:\n"}, "source", "line 1", id="source-does-not-parse"),
        pytest.param({"tests": []}, "tests", "at least one", id="no-tests"),
        pytest.param({"tests": "f(1)"}, "tests", "must be a list", id="tests-no-list"),
        pytest.param({"tests": [{"arguments": "1"}]}, "tests[0].expected", "is missing", id="no-expected"),
        pytest.param(
            {"tests": [{"arguments": "1,", "expected": "f(2)"}]},
            "tests[0].expected",
            "no plain",
            id="not-plain",
        ),
        pytest.param(
            {"tests": [{"arguments": "1) + f(2", "expected": "2"}]},
            "tests[0].arguments",
            "closes",
            id="two-calls",
        ),
        pytest.param({"tests": [{"code": "assert ("}]}, "tests[0].code", "does not parse", id="code"),
        pytest.param({"hiden": []}, "hiden", "Did you mean 'hidden'?", id="unknown-field"),
        pytest.param({"kind": "repare"}, "kind", "Did you mean 'repair'?", id="unknown-kind"),
        pytest.param({"split": "train"}, "split", "dev, test", id="unknown-split"),
        pytest.param({"reference": "x = 1"}, "entry", "not defined in reference", id="reference-without-entry"),
    ],
)
def test_a_bad_row_is_reported_with_file_line_and_field(
    tmp_path: Path, change: dict[str, object], field: str, words: str
) -> None:
    path = write(tmp_path / "tasks.jsonl", {**GOOD, "id": "first"}, {**GOOD, **change}, {**GOOD, "id": "last"})
    loaded = load(path)
    assert [task.id for task in loaded.tasks] == ["first", "last"]
    (problem,) = loaded.problems
    assert (problem.path, problem.line, problem.field) == (path, 2, field)
    assert words in str(problem)


def test_a_missing_field_is_named(tmp_path: Path) -> None:
    row = {name: value for name, value in GOOD.items() if name != "entry"}
    (problem,) = load(write(tmp_path / "tasks.jsonl", row)).problems
    assert problem.field == "entry"
    assert "is missing" in problem.message


@pytest.mark.parametrize("line", ["{", "[1]", '{"a": 1}', "\x00"])
def test_a_line_that_is_no_row_is_reported(tmp_path: Path, line: str) -> None:
    loaded = load(write(tmp_path / "tasks.jsonl", line, GOOD))
    assert len(loaded.tasks) == 1
    assert loaded.problems[0].line == 1


def test_a_duplicate_id_is_reported_with_the_place_of_the_first_task(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", GOOD)
    write(tmp_path / "b.jsonl", GOOD)
    loaded = load(tmp_path)
    assert len(loaded.tasks) == 1
    assert "a.jsonl:1" in str(loaded.problems[0])


def test_rows_of_other_tasks_are_left_out_unread(tmp_path: Path) -> None:
    """A run of one task neither waits for the others nor reports their problems."""
    path = write(
        tmp_path / "t.jsonl",
        {**GOOD, "id": "wanted"},
        {**GOOD, "id": "other", "source": "def ("},
        {**GOOD, "id": "third"},
    )
    loaded = load(path, only=["wanted", "missing"])
    assert [task.id for task in loaded.tasks] == ["wanted"]
    assert loaded.problems == ()
    assert len(load(path).tasks) == 2


def test_a_file_that_is_not_utf8_is_reported(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_bytes(b'\xff\xfe{"kind"\n' + json.dumps(GOOD).encode())
    (tmp_path / "program.py").write_bytes(b"\xff\xfe")
    assert len(load(tmp_path / "tasks.jsonl").tasks) == 1
    assert len(load(tmp_path / "program.py").problems) == 1


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        pytest.param({"distance": 2}, "distance", id="wrong-distance"),
        pytest.param({"goal": [0, 1, 3]}, "goal", id="other-items"),
        pytest.param({"start": [1, 1, 2]}, "start", id="twice-the-same"),
        pytest.param({"generators": "adjacant"}, "generators", id="unknown-generators"),
        pytest.param({"generators": [[0, 0, 1]]}, "generators", id="no-permutation"),
        pytest.param({"start": ["a"]}, "start", id="no-integers"),
        pytest.param({"style": "curly"}, "style", id="unknown-style"),
    ],
)
def test_an_invalid_permutation_task_is_refused(tmp_path: Path, fields: dict[str, object], field: str) -> None:
    row = {"id": "p", "start": [1, 0, 2], "goal": [0, 1, 2], "generators": "adjacent", "distance": 1}
    (problem,) = load(write(tmp_path / "p.jsonl", {"kind": "permutation", **row, **fields})).problems
    assert problem.field == field


HUMANEVAL = {
    "task_id": "Python/900",
    "declaration": "import math\n\ndef half(x):\n",
    "buggy_solution": "    return x // 2\n",
    "canonical_solution": "    return x / 2\n",
    "entry_point": "half",
    "bug_type": "operator misuse",
    "test": "def check(candidate):\n    assert candidate(3) == 1.5, 'no'\n    assert True\n"
    "    for x in range(3):\n        assert candidate(2 * x) == x\n\ncheck(half)\n",
    "example_test": "def check(half):\n    assert half(3) == 1.5\ncheck(half)\n",
}


def test_humanevalpack_gives_one_test_for_each_assert(tmp_path: Path) -> None:
    (task,) = load(write(tmp_path / "h.jsonl", HUMANEVAL)).tasks
    assert isinstance(task, RepairTask)
    assert task.tests[0] == CallTest("3", "1.5")
    assert isinstance(task.tests[1], FunctionTest)
    assert "half(2 * x)" in task.tests[1].code
    assert len(task.tests) == 2
    assert task.source.endswith("def half(x):\n    return x // 2\n")
    assert task.reference is not None


def test_humanevalpack_can_show_its_examples_and_hide_its_tests(tmp_path: Path) -> None:
    path = write(tmp_path / "h.jsonl", HUMANEVAL, {**HUMANEVAL, "task_id": "Python/901", "example_test": ""})
    loaded = load(path, visible="example")
    (task,) = loaded.tasks
    assert isinstance(task, RepairTask)
    assert (len(task.tests), len(task.hidden)) == (1, 2)
    assert loaded.problems[0].field == "example_test"


def test_cruxeval_rows_are_traces(tmp_path: Path) -> None:
    row = {"code": "def f(a, b):\n    return a + b", "input": "1, b=2", "output": "3", "id": "sample_0"}
    (task,) = load(write(tmp_path / "c.jsonl", row)).tasks
    assert isinstance(task, TraceTask)
    assert (task.entry, task.arguments, task.expected) == ("f", "1, b=2", "3")


def quixbugs(folder: Path) -> Path:
    """A folder in the layout of QuixBugs: a generator, a graph program and a program without tests."""
    files = {
        "python_programs/count_up.py": "def count_up(n):\n    for i in range(n):\n        yield i\n",
        "correct_python_programs/count_up.py": "def count_up(n):\n    yield from range(n + 1)\n",
        "json_testcases/count_up.json": "[[2], [0, 1, 2]]\n[0, [0]]\n",
        "python_programs/last_node.py": "def last_node(node):\n    return node\n",
        "correct_python_programs/last_node.py": "def last_node(node):\n    return node.successor or node\n",
        "python_testcases/node.py": "class Node:\n    def __init__(self, successor=None):\n"
        "        self.successor = successor\n",
        "python_testcases/test_last_node.py": "import pytest\nfrom node import Node\n"
        "if pytest.use_correct:\n    from correct_python_programs.last_node import last_node\n"
        "else:\n    from python_programs.last_node import last_node\n\n"
        "def test1():\n    b = Node()\n    a = Node(b)\n    assert last_node(a) is b\n",
        "python_programs/node.py": "class Node: pass\n",
        "python_programs/orphan.py": "def orphan(): pass\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_a_quixbugs_checkout_is_recognised(tmp_path: Path) -> None:
    loaded = load(quixbugs(tmp_path))
    generator, graph = loaded.tasks
    assert isinstance(generator, RepairTask)
    assert isinstance(graph, RepairTask)
    assert generator.tests == (CallTest("2", "[0, 1, 2]", FROM_JSON), CallTest("0", "[0]", FROM_JSON))
    assert [problem.path.name for problem in loaded.problems] == ["orphan.py"]


def test_a_graph_program_has_functions_as_tests_with_the_source_of_node(tmp_path: Path) -> None:
    task = load(quixbugs(tmp_path)).named("quixbugs/last_node")
    assert isinstance(task, RepairTask)
    (test,) = task.tests
    assert isinstance(test, FunctionTest)
    assert task.reference is not None
    assert [_result(program, test) for program in (task.reference, task.source)] == [True, False]


def _result(program: str, test: FunctionTest) -> object:
    namespace: dict[str, Any] = {}
    exec(f"{program}\n{test.function}", namespace)
    return namespace[CHECK]()


def test_unknown_names_get_the_nearest_known_one(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", GOOD)
    with pytest.raises(UnknownTasks, match="Did you mean 'permutation'"):
        load("permutatoin")
    with pytest.raises(UnknownTasks, match=r"Did you mean .*mine\.jsonl"):
        load(tmp_path / "mien.jsonl")
    with pytest.raises(UnknownTasks, match="Did you mean 'double'"):
        load(path).named("duoble")


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(UnknownFormat):
        load(tmp_path)
    with pytest.raises(UnknownFormat):
        load(tmp_path / "notes.txt")


def test_an_option_without_effect_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", GOOD)
    with pytest.raises(BadTask, match="Did you mean 'example'"):
        load(path, visible="exmaple")  # type: ignore[arg-type]
    with pytest.raises(BadTask, match="Python file only"):
        load(path, entry="double")
    (tmp_path / "m.py").write_text("def one(): return 1\n")
    with pytest.raises(UnknownTasks, match="nowhere"):
        load(tmp_path / "m.py", tests=tmp_path / "nowhere.py")


def test_functions_as_tests_are_written_and_read_as_rows(tmp_path: Path) -> None:
    tests = (FunctionTest("return A(1).x", "1", Comparison("exact"), "import math"), FunctionTest("return A(2)", "2"))
    task = RepairTask("t", "class A:\n    def take(self): pass\n", "A.take", tests)
    write_tasks(tmp_path / "rows.jsonl", [task])
    assert load(tmp_path / "rows.jsonl").tasks == (task,)


@pytest.mark.parametrize("code", ["x = 1", "return ("])
def test_a_function_that_returns_nothing_or_does_not_parse_is_refused(code: str) -> None:
    with pytest.raises(BadTask, match="code"):
        FunctionTest(code, "1")


def test_functions_of_all_tests_stand_behind_one_program() -> None:
    """One program serves all tests of a task; a test with a set-up of its own gets a program of its own."""
    one, two = FunctionTest("return A(1).x", "1"), FunctionTest("return A(2).x", "2")
    other = FunctionTest("return helper(A(3))", "3", setup="def helper(a):\n    return a.x")
    strange = FunctionTest("return helper(A(4))", "4", setup="def helper(a):\n    return -a.x")
    source = "class A:\n    def __init__(self, x):\n        self.x = x\n"
    tests = (one, CallTest("1", "1"), two, other, strange)
    results = []
    calls = [
        call for test in tests if (call := traced_call(source, "A", test, tests)) and isinstance(test, FunctionTest)
    ]
    for call in calls:
        namespace: dict[str, Any] = {}
        exec(call.source, namespace)
        results.append(namespace[call.entry]())
    assert results == [1, 2, 3, -4]
    assert len({call.source for call in calls}) == 2
    assert len({call.first for call in calls[:3]}) == 1
