"""Worlds and repeated tests: read from rows, written back, and refused with the field that is wrong."""

from typing import Any

import pytest

from tasks.errors import BadTask
from tasks.rows import read_row, write_row
from tasks.scripted_world import NO_WORLD, ScriptedWorld, world_from
from tasks.task import FunctionTest, RepairTask, TraceTask

ROW: dict[str, Any] = {
    "kind": "repair",
    "id": "die",
    "source": "import random\ndef roll(n):\n    return random.randint(1, n)\n",
    "entry": "roll",
}
WORLD = {"seed": 3, "inputs": ["a", "b"], "clock": 10, "tick": 0.5, "files": {"x.txt": "1\n"}}


def test_a_world_is_written_as_it_was_read() -> None:
    world = world_from(WORLD)
    assert world == ScriptedWorld(3, ("a", "b"), 10, 0.5, (("x.txt", "1\n"),))
    assert world.record() == WORLD
    assert (world_from({}), NO_WORLD.record()) == (NO_WORLD, {})


@pytest.mark.parametrize(
    ("record", "field"),
    [
        ([], "world"),
        ({"sed": 1}, "world"),
        ({"seed": 1.5}, "seed"),
        ({"seed": True}, "seed"),
        ({"inputs": "abc"}, "inputs"),
        ({"inputs": ["a\nb"]}, "inputs"),
        ({"inputs": ["x" * 30_000]}, "inputs"),
        ({"files": {"a": 1}}, "files"),
        ({"files": {"a": "x" * 30_000}}, "files"),
        ({"clock": -1}, "clock"),
        ({"clock": float("nan")}, "clock"),
        ({"tick": "fast"}, "tick"),
    ],
)
def test_a_world_that_makes_no_sense_is_refused_by_its_field(record: object, field: str) -> None:
    with pytest.raises(BadTask) as caught:
        world_from(record)
    assert caught.value.field == field


def test_tests_and_calls_have_worlds() -> None:
    row = {**ROW, "tests": [{"arguments": "6", "expected": "2", "world": WORLD}]}
    task = read_row(row)
    assert isinstance(task, RepairTask)
    assert read_row(write_row(task)) == task
    assert task.traces()[0].world.seed == 3
    call = TraceTask("t", ROW["source"], "roll", "6", world=world_from({"seed": 9}))
    assert read_row(write_row(call)) == call


def test_a_repeated_test_becomes_a_function_over_all_results() -> None:
    holds = "3 < sum(results) / len(results) < 4"
    row = {**ROW, "tests": [{"arguments": "6", "runs": 50, "holds": holds, "first_seed": 7}]}
    task = read_row(row)
    assert isinstance(task, RepairTask)
    (test,) = task.tests
    assert isinstance(test, FunctionTest)
    space: dict[str, Any] = {}
    exec(f"{ROW['source']}\n{test.function}", space)
    assert space["__check__"]() is True
    assert read_row(write_row(task)) == task


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"runs": 1}, "runs"),
        ({"runs": "many"}, "runs"),
        ({"runs": 10_001}, "runs"),
        ({"holds": None}, "holds"),
        ({"holds": "1 <"}, "holds"),
        ({"holds": "True"}, "holds"),
        ({"first_seed": -1}, "first_seed"),
        ({"arguments": "1) + (2"}, "arguments"),
        ({"expected": "3"}, "expected"),
    ],
)
def test_a_repeated_test_that_makes_no_sense_is_refused_by_its_field(changed: dict[str, Any], field: str) -> None:
    test = {"arguments": "6", "runs": 50, "holds": "max(results) < 7", **changed}
    with pytest.raises(BadTask) as caught:
        read_row({**ROW, "tests": [test]})
    assert caught.value.field == f"tests[0].{field}"
