"""Repair of programs that draw, read input and open files: their tests are run and imagined in their own worlds."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cwm_agent.agent.repair.beliefs import program_of
from cwm_agent.imagination.rollout_loop import RolloutSettings, RolloutStart, imagine
from cwm_agent.oracles.backends.exact import ExactOracle
from envs.domains.evaluation import Evaluator
from envs.domains.fault_localisation import coverage
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.frames import Frame
from envs.execution.stepper.first_frame import first_frame
from envs.execution.tracer.reality import Reality
from tasks import load
from tasks.rows import read_row
from tasks.task import RepairTask
from tasks.traced_calls import traced_call


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as made:
        yield made


DIE = "import random\n\n\ndef roll(n):\n    return random.randint({low}, n)\n"
ASK = "def greet():\n    name = input('who? ')\n    with open('greetings.txt') as file:\n        return {what} + name\n"
DIE_TESTS = [
    {"arguments": "6", "runs": 60, "holds": "3.0 < sum(results) / len(results) < 4.0"},
    {"arguments": "6", "runs": 60, "holds": "min(results) >= 1"},
    {"arguments": "6", "expected": "2", "world": {"seed": 3}},
]
ASK_TESTS = [
    {"arguments": "", "expected": "'hello Ada'", "world": {"inputs": ["Ada"], "files": {"greetings.txt": "hello \nx"}}},
    {"arguments": "", "expected": "'bye Bob'", "world": {"inputs": ["Bob"], "files": {"greetings.txt": "bye \nx"}}},
]


def task(source: str, entry: str, tests: list[dict[str, object]]) -> RepairTask:
    made = read_row({"kind": "repair", "id": entry, "source": source, "entry": entry, "tests": tests})
    assert isinstance(made, RepairTask)
    return made


CASES = [
    pytest.param(task(DIE.format(low=1), "roll", [*DIE_TESTS]), (True, True, True), id="a fair die"),
    pytest.param(task(DIE.format(low=0), "roll", [*DIE_TESTS]), (False, False, False), id="a die with a zero"),
    pytest.param(
        task(ASK.format(what="file.readline().rstrip('\\n')"), "greet", [*ASK_TESTS]), (True, True), id="asks"
    ),
    pytest.param(task(ASK.format(what="file.read()"), "greet", [*ASK_TESTS]), (False, False), id="reads too much"),
]


@pytest.mark.parametrize(("problem", "marks"), CASES)
def test_imagined_verdicts_are_the_real_ones(problem: RepairTask, marks: tuple[bool, ...], sandbox: Sandbox) -> None:
    """With an exact oracle every test that the sandbox runs in its world is imagined to the same end."""
    found = Evaluator(problem, sandbox).original
    assert found.marks == marks
    oracle, imagined = ExactOracle(Reality(sandbox)), []
    for test in problem.tests:
        call = traced_call(problem.source, problem.entry, test, problem.tests)
        assert call is not None
        program = program_of(call)
        frame = first_frame(program, call.arguments, world=call.world.record())
        assert isinstance(frame, Frame)
        (rollout,) = imagine([RolloutStart(program, frame)], oracle, RolloutSettings(steps=20_000, whole=False))
        assert rollout.outcome is not None, rollout.reason
        imagined.append(test.accepts_text(rollout.outcome.value))  # type: ignore[union-attr]  # no test is only code
    assert tuple(imagined) == found.marks


def test_each_test_runs_in_a_world_of_its_own(sandbox: Sandbox) -> None:
    """Two equal tests give equal results: the draws of the first do not move the second."""
    twice = task(DIE.format(low=1), "roll", [DIE_TESTS[2], DIE_TESTS[2]])
    first, second = Evaluator(twice, sandbox).original.values
    assert first == second


def test_lines_are_covered_in_the_test_s_world(sandbox: Sandbox) -> None:
    problem = task(ASK.format(what="file.read()"), "greet", [*ASK_TESTS])
    covered = coverage(sandbox, problem.source, problem.tests, entry=problem.entry)
    assert all(lines is not None and 4 in lines for lines in covered)


def test_the_example_of_the_page_fails_and_its_repair_passes(sandbox: Sandbox) -> None:
    (problem,) = load(Path(__file__).parents[3] / "docs" / "examples" / "dice.jsonl").tasks
    assert isinstance(problem, RepairTask)
    assert Evaluator(problem, sandbox).original.marks == (False, False, False, False)
    repaired = replace(problem, source=problem.source.replace("randint(0", "randint(1"))
    assert Evaluator(repaired, sandbox).original.marks == (True, True, True, True)
