"""What no frame can hold is unsupported, by its reason, at the line that makes it; lines before it are steps."""

from collections.abc import Sequence

import pytest

from envs.execution.decompose.program import decomposed
from envs.execution.state.frames import Frame
from envs.execution.state.value_grammar import Unsupported
from envs.execution.stepper.stepper import Stepper
from envs.execution.tracer.tracer import trace

CASES = {
    "a metaclass": (
        "class Meta(type):\n    pass\nclass A(metaclass=Meta):\n    pass\ndef f(n):\n    m = n + 1\n    a = A()\n    return m",
        "a metaclass (line 3)",
        7,
    ),
    "__getattribute__": (
        "class Odd:\n    def __getattribute__(self, name):\n        return name\ndef f(n):\n    m = n + 1\n    o = Odd()\n    return m",
        "a class with __getattribute__ (line 2)",
        6,
    ),
    "an array of C": (
        "import array\ndef f(n):\n    m = n + 1\n    a = array.array('i', [m])\n    return m",
        "`array` is unsupported",
        4,
    ),
    "a lock": (
        "from threading import Lock\ndef f(n):\n    m = n + 1\n    lock = Lock()\n    return m",
        "`threading` is unsupported",
        4,
    ),
    "a module of the function": (
        "def f(n):\n    import sched\n    m = n + 1\n    s = sched.scheduler()\n    return m",
        "`sched` is unsupported",
        4,
    ),
    "an exception thrown into a generator": (
        "def g(n):\n    try:\n        yield n\n    except ValueError:\n        yield 0\ndef f(n):\n    it = g(n)\n"
        "    m = next(it)\n    t = it.throw\n    return t(ValueError('x'))",
        "an exception that is thrown into a generator",
        9,
    ),
    "a class that derives from set": (
        "class Stack(set):\n    pass\ndef f(n):\n    m = n + 1\n    s = Stack()\n    return m",
        "a class that derives from set (line 1)",
        5,
    ),
    "a package of others": (
        "try:\n    import some_package\nexcept ImportError:\n    some_package = None\ndef f(n):\n    m = n + 1\n"
        "    a = some_package.zeros(m)\n    return m",
        "`some_package` is unsupported",
        7,
    ),
}  # fmt: skip


def _ask(stepper: Stepper, frames: Sequence[Frame]) -> None:
    for frame in frames:
        stepper.ask(frame)


@pytest.mark.parametrize("name", CASES)
def test_a_line_with_such_an_object_is_unsupported_by_its_reason(name: str) -> None:
    source, reason, line = CASES[name]
    program = decomposed(source, "f")
    stepper = Stepper(program)
    frames = trace(program, "1").frames
    at = next(frame for frame in frames if frame.event == "line" and program.origin[frame.line - 1] == line)
    _ask(stepper, frames[: frames.index(at)])
    with pytest.raises(Unsupported) as refused:
        _ask(stepper, frames[frames.index(at) :])
    assert reason in str(refused.value)


def test_a_variable_of_the_name_of_such_a_module_is_a_variable() -> None:
    program = decomposed("import queue\ndef f(n):\n    queue = [n]\n    queue.append(2)\n    return queue", "f")
    frames = trace(program, "1").frames
    assert len(frames) > 3
    _ask(Stepper(program), frames)  # raises Unsupported where the module were meant
