"""Claims about `benchmarks.training_round`: what it counts, and that its recipe draws from sources that exist."""

import re
from pathlib import Path

import pytest
from random_networks import random_model

from benchmarks.training_round import SHARES, TracedProgram, half_of, measured, parser, recipe_of, table, traced
from cwm_agent.engine import weights
from cwm_agent.training.example import Example, resolve
from tasks import TraceTask, load


def task(number: int, source: str, arguments: str) -> TraceTask:
    return TraceTask(f"row/{number}", source, "f", arguments)


def example(query: bytes) -> Example:
    return Example(b"", query, b"v0=1", "kind")


def test_shares_are_parts_of_one_and_their_sources_exist() -> None:
    assert sum(share.weight for share in SHARES) == pytest.approx(1)
    assert all(callable(resolve(share.target)) for share in SHARES)


def test_every_step_that_a_model_is_asked_about_has_its_real_answer() -> None:
    found = traced(task(1, "def f(x):\n    y = x + 2\n    return y * y\n", "3"), 100)
    assert found is not None
    assert [each.answer for each in found.examples] == [b"v0=5", b"v0=25"]
    assert found.unasked == 0


@pytest.mark.parametrize("body", ["while x:\n        x += 1", "raise ValueError(x)"], ids=["no end", "raises"])
def test_a_run_that_does_not_return_is_not_traced(body: str) -> None:
    assert traced(task(1, f"def f(x):\n    {body}\n", "3"), 100) is None


def test_a_program_is_whole_only_if_every_step_is_right_and_asked() -> None:
    tasks = [task(number, "def f(x):\n    return x\n", "1") for number in range(4)]
    programs = [
        TracedProgram("right", (example(b"a"), example(b"b")), 0),
        TracedProgram("one wrong", (example(b"a"), example(b"c")), 0),
        TracedProgram("one unasked", (example(b"a"),), 1),
    ]
    half = half_of("even", tasks, programs, {b"c"})
    assert (half.programs, half.whole, half.untraced) == (4, 1, 1)
    assert (half.steps, half.right, half.unasked) == (6, 4, 1)
    assert "| x | even | 4 | 1 | 6 | 4 | 0.6667 | 1 | 1 |" in table([("x", half)])


def test_weights_are_measured_on_even_and_odd_rows(tmp_path: Path) -> None:
    weights.save(random_model(1, "tiny").network, tmp_path, {})
    tasks = [each for each in load("trace/real_python").tasks if isinstance(each, TraceTask)][6:9]
    even, odd = measured(tmp_path, tasks, "cpu")
    assert (even.name, even.programs, odd.name, odd.programs) == ("even", 1, "odd", 2)
    assert (even.untraced, odd.untraced) == (0, 0)
    assert even.steps
    assert even.right < even.steps


def test_the_commands_of_the_log_are_accepted() -> None:
    text = Path("docs/log.md").read_text()
    commands = re.findall(r"^python -m benchmarks.training_round (.*)$", text, re.M)
    assert len(commands) >= 2
    for command in commands:
        options = parser().parse_args(command.split())
        for size in options.sizes.split(","):
            assert recipe_of(options, size, 60).size == size
