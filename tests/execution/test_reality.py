"""Reality from inside the sandbox says what a run in this process says: traces, answers, and what is wrong."""

from collections.abc import Iterator

import pytest
from local_worlds import LocalReality, queries_of, small
from markov_programs import PROGRAMS

from envs.execution.decompose.program import decomposed
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.effects import Effect, Question
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
        (Question(deadly, number[deadly], "f", reads, heap=()), 0),
        (Question("y = x + 1", number["y = x + 1"], "f", (("x", "1"),), heap=()), 0),
    ]
    first, second = reality.effects(program, questions)
    assert isinstance(first, Unsupported)
    assert not isinstance(second, Unsupported)
    assert second.bound == (("y", "2"),)


def test_frames_leave_the_sandbox_while_the_program_is_still_running() -> None:
    """A run that ends its process has given frames before; they are not kept in the sandbox until the end."""
    source = "import os\ndef f(n):\n    while n < 500:\n        n = n + 1\n    os._exit(0)\n"
    with Sandbox() as sandbox:
        found = Reality(sandbox).trace(decomposed(source, "f"), "1")
    assert found.outcome.ending == "truncated"
    assert [frame.event for frame in found.frames[:2]] == ["call", "line"]
    assert len(found) > 500


PATCHES = {
    "builtins": "import builtins\nbuiltins.len = lambda value: 99",
    "print": "import builtins\nbuiltins.print = None",
    "module": "import math\nmath.sqrt = lambda value: 99",
    "modules": "import sys\nsys.modules['math'] = None\nsys.modules['envs.execution.stepper.exact_effects'] = None",
    "environment": "import os\nos.environ['X'] = '99'",
    "recursion": "import sys\nsys.setrecursionlimit(90)",
    "garbage": "import gc\ngc.disable()",
    "warnings": "import warnings\nwarnings.simplefilter('error')",
    "random": "import random\nrandom.seed(99)\nrandom.random = lambda: 99",
    "trace": "import sys\nsys.settrace(lambda *given: None)",
    "class": "import collections\ncollections.Counter.__init__ = lambda self, *given: None",
    "our-own-code": "import envs.execution.text.value_writers as text\ntext.VALUES.clear()\ntext.CONTENTS.clear()",
    "output": "import sys\nsys.stdout = None\nsys.stderr = None",
    "signals": "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)",
    "folder": "import os\nos.environ.clear()\nos.closerange(10, 60)",
}
WITNESS = """import collections, gc, math, os, random, sys, warnings
class Witness:
    def __str__(self):
        print('x')
        return str([
            len('abc'), math.sqrt(4), os.environ.get('X'), sys.getrecursionlimit(), gc.isenabled(), sys.gettrace(),
            [each[0] for each in warnings.filters], dict(collections.Counter('aa')), callable(random.random) and random.random.__name__,
        ])
def f(x):
    witness = Witness()
    y = '%s' % witness
    z = [x, (1, 2)]
    return y
"""
"""Its `__str__` runs in the process that answers, and says what another program may have changed there."""


@pytest.mark.parametrize("patch", PATCHES.values(), ids=PATCHES)
def test_a_program_that_patches_its_process_changes_nothing_for_the_next(reality: Reality, patch: str) -> None:
    """Each program answers from a process of its own; the patching one too, or it is unsupported."""
    before = _effects_of(reality, WITNESS)
    assert "3, 2.0, None, 1000, True, None" in str(before)
    _effects_of(reality, f"{patch}\ndef f(x):\n    y = len(x)\n    return y\n")
    assert _effects_of(reality, WITNESS) == before
    assert _effects_of(reality, WITNESS + f"# after {patch!r}\n") == before


def _effects_of(reality: Reality, source: str) -> list[Effect | Unsupported]:
    """Answers to the questions of a real run; a line that fails early asks no further ones."""
    program = decomposed(source, "f")
    found = reality.trace(program, "'abc'")
    asked = [query.question for query in queries_of(program, found) if query.question]
    return reality.effects(program, [(question, 100) for question in asked])


def test_few_processes_stay_open(reality: Reality, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is asked again after it was closed is answered as before."""
    monkeypatch.setattr("envs.execution.tracer.reality._OPEN_PROGRAMS", 2)
    sources = [f"def f(x):\n    y = x + '{number}'\n    return y\n" for number in range(5)]
    first = [_effects_of(reality, source) for source in sources]
    assert [_effects_of(reality, source) for source in sources] == first
    assert all(isinstance(effect, Effect) for effects in first for effect in effects)


def test_a_lost_worker_is_replaced_and_its_programs_are_answered() -> None:
    source = "def f(x):\n    y = x + 'd'\n    return y\n"
    with Sandbox() as sandbox:
        reality = Reality(sandbox)
        before = _effects_of(reality, source)
        assert reality._group is not None
        reality._group._worker.acquire().kill()
        assert _effects_of(reality, source) == before
        reality.close()
