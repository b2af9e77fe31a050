"""Reality from inside the sandbox says what a run in this process says: traces, answers, and what is wrong."""

from collections.abc import Iterator

import pytest
from local_worlds import LocalReality, queries_of, small
from markov_programs import PROGRAMS

from envs.execution.decompose.program import decomposed
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.effects import Question
from envs.execution.state.value_grammar import BadProgram, Unsupported
from envs.execution.tracer.reality import Reality
from envs.execution.tracer.tracer import TraceLimits


@pytest.fixture(scope="module")
def reality() -> Iterator[Reality]:
    with Sandbox() as sandbox:
        made = Reality(sandbox)
        yield made
        made.close()


NAMES = [
    "recursion",
    "closure over a counter",
    "module variable",
    "uncaught",
    "strings that look like labels",
    "set iteration",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_trace_from_the_sandbox_is_the_trace(reality: Reality, name: str) -> None:
    program, real = small(name)
    assert reality.trace(program, PROGRAMS[name][1]) == real


def test_every_answer_from_the_sandbox_is_the_answer(reality: Reality) -> None:
    for name in PROGRAMS:
        program, real = small(name)
        asked: list[tuple[Question, int]] = [
            (query.question, max((label for label, _ in query.frame.heap), default=0))
            for query in queries_of(program, real)
            if query.question
        ]
        assert reality.effects(program, asked) == LocalReality().effects(program, asked)


def test_runs_are_counted_and_questions_are_not(reality: Reality) -> None:
    before = reality.runs
    program, _ = small("swap")
    reality.trace(program, PROGRAMS["swap"][1])
    reality.effects(program, [])
    assert reality.runs == before + 1


def test_limits_hold_inside_the_sandbox(reality: Reality) -> None:
    program, _ = small("recursion")
    found = reality.trace(program, PROGRAMS["recursion"][1], TraceLimits(steps=5))
    assert (len(found), found.outcome.ending) == (5, "truncated")


@pytest.mark.parametrize(("top", "arguments", "message"), [("", "1 +", "arguments"), ("1 // 0", "1", "module raises")])
def test_what_cannot_be_run_is_told_from_inside(reality: Reality, top: str, arguments: str, message: str) -> None:
    with pytest.raises(BadProgram, match=message):
        reality.trace(decomposed(f"{top}\ndef f(x):\n    return x", "f"), arguments)


def test_a_line_that_ends_its_process_is_unsupported_and_the_next_is_answered(reality: Reality) -> None:
    program = decomposed("import os\ndef f(x):\n    os._exit(x)\n    y = x + 1\n    return y", "f")
    number = {line.strip(): index for index, line in enumerate(program.lines, start=1)}
    deadly = next(line for line in number if "_exit" in line and "(" in line)
    reads = (("x", "1"), ("_1", "posix._exit")) if "_1" in deadly else (("x", "1"), ("os", "os"))
    questions = [
        (Question(deadly, number[deadly], "f", reads, ()), 0),
        (Question("y = x + 1", number["y = x + 1"], "f", (("x", "1"),), ()), 0),
    ]
    first, second = reality.effects(program, questions)
    assert isinstance(first, Unsupported)
    assert not isinstance(second, Unsupported)
    assert second.bound == (("y", "2"),)


def test_frames_arrive_while_the_program_is_still_running() -> None:
    """A run that its limit ends has given every frame before; nothing is kept in the sandbox until the end."""
    program = decomposed("def f(n):\n    while n:\n        n = n + 1\n    return n\n", "f")
    with Sandbox() as sandbox:
        frames = Reality(sandbox).frames(program, "1", TraceLimits(steps=10**9, characters=10**12))
        first = [next(frames) for _ in range(500)]
        frames.close()
    assert [frame.event for frame in first[:2]] == ["call", "line"]
    assert dict(first[-1].locals)["n"] > "1"
