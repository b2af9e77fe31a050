"""Claims about `tasks/trace`: what the programs use, and that their stated results are true."""

import ast

import pytest

from envs.execution.sandbox.program_tests import Check
from envs.execution.sandbox.sandbox import Sandbox
from tasks import TraceTask, load

LOADED = load("trace/real_python")
TASKS = [task for task in LOADED.tasks if isinstance(task, TraceTask)]
SHORT = load("trace/short_functions")
SHORT_TASKS = [task for task in SHORT.tasks if isinstance(task, TraceTask)]
MODULES = (
    "bisect collections copy dataclasses datetime decimal enum fractions functools heapq itertools math operator re"
)


def test_a_hundred_programs_load_with_a_number_in_each_id() -> None:
    assert LOADED.problems == ()
    assert [task.id for task in TASKS] == [f"real-python/{number:03d}" for number in range(1, 101)]
    assert len({task.source for task in TASKS}) == 100


def imported(source: str) -> set[str]:
    nodes = list(ast.walk(ast.parse(source)))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}


@pytest.mark.parametrize("half", [0, 1], ids=["even", "odd"])
def test_each_half_uses_every_module_and_classes_and_generators(half: int) -> None:
    sources = [task.source for task in TASKS if int(task.id[-3:]) % 2 == half]
    assert set(MODULES.split()) <= set().union(*map(imported, sources))
    assert sum("class " in source for source in sources) >= 15
    assert sum("yield" in source for source in sources) >= 3


def test_a_hundred_and_fifty_short_functions_have_two_calls_each() -> None:
    assert SHORT.problems == ()
    assert [task.id for task in SHORT_TASKS] == [
        f"short-functions/{number:03d}{call}" for number in range(1, 151) for call in "ab"
    ]
    assert len({task.source for task in SHORT_TASKS}) == 150


def test_stated_results_are_true() -> None:
    with Sandbox() as sandbox:
        for task in (*TASKS, *SHORT_TASKS):
            check = Check(f"{task.entry}({task.arguments})", str(task.expected))
            [verdict] = sandbox.run_tests(task.source, [check], entry=task.entry)
            assert verdict.passed, (task.id, verdict)
