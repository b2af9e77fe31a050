"""Claims about the repair tasks of this project, as stated in docs/tasks.md; no program runs here."""

import ast
from collections import Counter

import pytest

from tasks import CallTest, CodeTest, RepairTask, load, read_value

COUNTS = {
    "one-edit-short": 20,
    "one-edit-long": 12,
    "two-edits": 12,
    "three-edits": 8,
    "missing-logic": 12,
    "strings": 10,
    "recursion": 10,
    "objects": 20,
    "containers": 20,
}
FURTHER = {  # dev, test
    "one-edit-short": (6, 6),
    "one-edit-long": (9, 8),
    "two-edits": (10, 9),
    "three-edits": (5, 4),
    "missing-logic": (9, 8),
    "strings": (5, 4),
    "recursion": (7, 6),
    "objects": (7, 6),
    "containers": (6, 5),
}
WITH_LIBRARY = ("objects", "containers")  # tiers whose programs may import from the standard library
LOADED, LATER = load("repair"), load("repair_further")
FIRST = [task for task in LOADED.tasks if isinstance(task, RepairTask)]
TASKS = FIRST + [task for task in LATER.tasks if isinstance(task, RepairTask)]


def test_every_row_loads() -> None:
    assert LOADED.problems == LATER.problems == ()
    assert len(FIRST) == len(LOADED.tasks) == sum(COUNTS.values())
    assert len(TASKS) - len(FIRST) == len(LATER.tasks) == sum(map(sum, FURTHER.values()))


def test_each_tier_has_its_number_of_tasks_half_dev_and_half_test() -> None:
    found = Counter((task.tier, task.split) for task in FIRST)
    assert found == {(tier, split): count // 2 for tier, count in COUNTS.items() for split in ("dev", "test")}
    found = Counter((task.tier, task.split) for task in TASKS[len(FIRST) :])
    assert found == {
        (tier, split): count
        for tier, counts in FURTHER.items()
        for split, count in zip(("dev", "test"), counts, strict=True)
    }


def test_ids_sources_and_references_are_unique() -> None:
    for values in zip(*((task.id, task.source, task.reference) for task in TASKS), strict=True):
        assert len(set(values)) == len(TASKS)


def functions(source: str | None) -> dict[str, ast.FunctionDef]:
    assert source is not None
    body = ast.parse(source).body
    return {statement.name: statement for statement in body if isinstance(statement, ast.FunctionDef)}


def entries(source: str | None) -> set[str]:
    """The functions and classes of a program by name, and its methods as `Class.method`."""
    classes = [statement for statement in ast.parse(source or "").body if isinstance(statement, ast.ClassDef)]
    methods = {f"{each.name}.{m.name}" for each in classes for m in each.body if isinstance(m, ast.FunctionDef)}
    return {*functions(source), *(each.name for each in classes), *methods}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_source_and_reference_parse_define_the_entry_and_differ(task: RepairTask) -> None:
    assert task.entry in entries(task.source) & entries(task.reference)
    assert ast.dump(ast.parse(task.source)) != ast.dump(ast.parse(task.reference or ""))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_an_oracle_can_imagine_every_test_and_none_is_both_visible_and_hidden(task: RepairTask) -> None:
    tests = task.tests + task.hidden
    assert not [test for test in tests if isinstance(test, CodeTest)]
    texts = [test.arguments if isinstance(test, CallTest) else test.code for test in tests if hasattr(test, "expected")]
    assert len(texts) == len(tests) == len(set(texts))
    assert len(task.tests) >= 6
    assert len(task.hidden) >= 4
    for test in tests:
        assert not isinstance(test, CallTest) or isinstance(read_value(f"[{test.arguments}]"), list)


@pytest.mark.parametrize("task", FIRST, ids=lambda task: task.id)
def test_tests_are_calls_where_the_entry_is_a_function_and_code_where_it_belongs_to_a_class(task: RepairTask) -> None:
    assert {isinstance(test, CallTest) for test in task.tests + task.hidden} == {task.entry in functions(task.source)}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_programs_are_plain_python_of_known_origin(task: RepairTask) -> None:
    """No input and no output, and the first tasks import in two tiers only."""
    assert (task.origin, task.licence) == ("written for cwm-agent", "MIT")
    for source in (task.source, task.reference or ""):
        nodes = list(ast.walk(ast.parse(source)))
        imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        assert not imports or task.tier in WITH_LIBRARY or task not in FIRST
        assert not [node for node in nodes if isinstance(node, ast.Await | ast.Global)]
        assert not {node.id for node in nodes if isinstance(node, ast.Name)} & {
            "print",
            "input",
            "open",
            "eval",
            "exec",
        }


@pytest.mark.parametrize("task", [task for task in TASKS if task.tier == "recursion"], ids=lambda task: task.id)
def test_recursion_tasks_call_themselves(task: RepairTask) -> None:
    recursive = []
    for name, function in functions(task.reference).items():
        inner = {name, *(node.name for node in ast.walk(function) if isinstance(node, ast.FunctionDef))}
        calls = {
            node.func.id
            for node in ast.walk(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        if inner & calls:
            recursive.append(name)
    assert recursive
