"""First frames that are cached from program to program, and layouts of programs."""

import ast
import random
import re

import pytest

from envs.editing.edit_generation import uncompiled_edits
from envs.execution.decompose.program import Program, decomposed
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.stepper import first_frame
from envs.execution.syntax.line_map import LineMap
from tasks import CallTest, RepairTask, load

DEV = [task for task in load("repair").tasks if isinstance(task, RepairTask) and task.split == "dev"]


def changed(source: str, rng: random.Random) -> str:
    """The program after one to three random edits."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        try:
            source = rng.choice(uncompiled_edits(source)).apply(source)
            ast.parse(source)
        except (SyntaxError, ValueError, IndexError):
            break
    return source


@pytest.mark.parametrize("task", DEV[2::3], ids=lambda task: task.id)
def test_a_first_frame_that_is_remembered_is_the_one_made_anew(task: RepairTask) -> None:
    rng = random.Random(2)
    calls = [test.arguments for test in task.tests if isinstance(test, CallTest)][:2]
    programs = [made_program(changed(task.source, rng), task.entry) for _ in range(6)]
    asked = [(program, call) for program in programs if program for call in calls]
    warm = [begun(program, call) for program, call in asked]
    for (program, call), remembered in zip(asked, warm, strict=True):
        for cache in (first_frame._begun, first_frame._given, first_frame._entrance, first_frame._module_variables):
            cache.cache_clear()
        assert begun(program, call) == remembered


def made_program(source: str, entry: str) -> Program | None:
    try:
        return decomposed(source, entry)
    except ExecutionError:
        return None


def begun(program: Program, arguments: str) -> object:
    try:
        return first_frame.first_frame(program, arguments)
    except ExecutionError as error:
        return str(error)


def test_a_layout_knows_functions_wherever_they_stand() -> None:
    source = re.sub(
        r"^\|",
        "",
        """|class C:
|    def m(self):
|        match self:
|            case 1:
|                def inner(): pass
|        try:
|            pass
|        except E:
|            def other(): global g
|if True:
|    async def late(): pass
""",
        flags=re.MULTILINE,
    )
    layout = LineMap.of(source)
    assert set(layout.functions) == {("m", 2), ("inner", 5), ("other", 9), ("late", 11)}
    assert layout.declared_global(("m", 2)) == {"g"}
    assert not layout.declared_global(("inner", 5))
