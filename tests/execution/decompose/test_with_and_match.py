"""`with` and `match` written out: same behaviour, methods and tests as steps of their own, and what stays whole."""

import contextlib
import io

import pytest
from test_stepper import first_difference

from envs.execution.decompose.decomposition import decompose
from envs.execution.decompose.program import decomposed
from envs.execution.tracer.tracer import trace

GUARD = """
class Guard:
    def __init__(self, swallow):
        self.swallow = swallow
    def __enter__(self):
        print('enter')
        return self.swallow, 1
    def __exit__(self, kind, error, where):
        print('exit', kind and kind.__name__)
        return self.swallow
"""
POINT = """
class Point:
    __match_args__ = ('x', 'y')
    def __init__(self, x, y):
        self.x = x
        self.y = y
"""


def behaviour(source: str, arguments: str) -> tuple[str, str]:
    """What the call gives or raises, and what it prints."""
    space: dict[str, object] = {"__name__": "program"}
    exec(source, space)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            value = repr(eval(f"f({arguments})", space))
        except Exception as error:
            value = repr(error)
    return value, printed.getvalue()


def check(source: str, arguments: str) -> None:
    program = decomposed(source, "f")
    assert program.atomic == ()
    assert behaviour(program.source, arguments) == behaviour(source, arguments)
    real = trace(program, arguments)
    assert real.unsupported is None
    assert first_difference(program, real) is None


MANAGED = {
    "plain": "def f(a):\n    with Guard(a):\n        a += 1\n    return a",
    "target": "def f(a):\n    with Guard(a) as (b, c):\n        return b, c",
    "raises": "def f(a):\n    with Guard(a) as g:\n        1 // 0\n    return g",
    "unpacking fails": "def f(a):\n    with Guard(a) as (b,):\n        b = 1\n    return a",
    "return": "def f(a):\n    with Guard(a):\n        return [a]",
    "break": "def f(a):\n    for x in [1, 2]:\n        with Guard(a):\n            break\n    return x",
    "continue": "def f(a):\n    for x in [1, 2]:\n        with Guard(a):\n            continue\n    return x",
    "two": "def f(a):\n    with Guard(a) as g, Guard(not a) as h:\n        return g[5]\n    return h",
    "in try": "def f(a):\n    try:\n        with Guard(a):\n            [][1]\n    except IndexError as e:\n        return str(e)",
    "raise again": "def f(a):\n    try:\n        1 // 0\n    except ZeroDivisionError:\n"
    "        with Guard(a):\n            raise\n    return a",
}


@pytest.mark.parametrize("swallow", ["True", "False", "0", "[1]"])
@pytest.mark.parametrize("name", MANAGED)
def test_a_with_over_the_programs_own_manager_is_written_out(name: str, swallow: str) -> None:
    """Entering and leaving are calls that a trace shows, whichever way the block is left."""
    check(GUARD + MANAGED[name], swallow)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def f(m):\n    with m:\n        pass", id="a manager from elsewhere"),
        pytest.param("def f():\n    with memoryview(b'x'):\n        pass", id="a builtin"),
        pytest.param(GUARD.replace("print('exit'", "print(where"), id="looks at the traceback"),
        pytest.param(GUARD.replace("class Guard:", "class Guard(dict):"), id="has bases"),
        pytest.param(GUARD + "    def __getattr__(self, name):\n        return 1\n", id="finds attributes its own way"),
        pytest.param(GUARD + "Guard = Guard\n", id="bound twice"),
    ],
)
def test_a_with_whose_manager_is_not_plain_keeps_its_line_and_is_reported(source: str) -> None:
    program = source if "def f" in source else source + "def f():\n    with Guard(1):\n        pass"
    rewritten = decompose(program, "f")
    assert any(line.strip().startswith("with ") for line in rewritten.source.splitlines())
    assert [reason for _, reason in rewritten.atomic] == ["a context manager that is not the program's own"]


CASES = """
def f(v):
    match v:
        case 0 | -1:
            return 'low'
        case None | True:
            return 'single'
        case [1, *ys, 2] | [3, ys] if ys:
            return 'ends', ys
        case [] | {}:
            return 'empty'
        case [a, [b, *_], *_]:
            return a, b
        case [_, _]:
            return 'pair'
        case {'k': int(n) | [n], **rest}:
            return n, rest
        case {'a': 1}:
            return 'one'
        case Point(x, y=0) | Point(0, x):
            return 'axis', x
        case Point():
            return 'point'
        case str() as s if s > 'm':
            return s
        case float(x):
            return x
        case w:
            return [w]
"""
VALUES = """0|-1|True|False|None|1.0|[1, 5, 2]|[1, 2]|[3, []]|[3, 4]|(1, [2, 3], 4)|[]|{}|[7, 8]|range(2)|'ab'|'zz'|{'k': 3, 'm': 4}
{'k': [5]}|{'k': [5, 6]}|{'a': 1, 'k': 's'}|{'a': True}|Point(1, 0)|Point(0, 2)|Point(3, 4)|b'x'|2.5|{1, 2}|[1, [], 2]"""


@pytest.mark.parametrize("value", VALUES.replace("\n", "|").split("|"))
def test_every_kind_of_pattern_is_written_out_as_tests(value: str) -> None:
    check(POINT + CASES, value)


def test_names_are_bound_once_the_pattern_has_matched_and_before_the_guard() -> None:
    source = "def f(a, v):\n    match v:\n        case [a, 0]:\n            pass\n        case [a, _] if a > 5:\n            pass\n"
    source += "    return a"
    for value in ("[1, 1]", "[1, 0]", "[9, 1]", "[1]"):
        check(source, f"7, {value}")


def test_the_subject_stays_what_it_was_while_cases_are_tried() -> None:
    source = "def f(v):\n    match v:\n        case [v, 1] if v > 2:\n            return 'a', v\n        case [x, _]:\n            return x, v"
    check(source, "[2, 1]")
    check(source, "[3, 1]")


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("from m import K\ndef f(v):\n    match v:\n        case K(a):\n            return a", id="class"),
        pytest.param(
            "import collections\nQueue = collections.deque\ndef f(v):\n    match v:\n        case [a]:\n            return a",
            id="deque",
        ),
        pytest.param(
            "from collections import UserList\nclass L(UserList): pass\ndef f(v):\n    match v:\n        case [a]:\n            return a",
            id="own list",
        ),
    ],
)
def test_a_match_whose_patterns_are_not_plain_keeps_its_lines_and_is_reported(source: str) -> None:
    rewritten = decompose(source, "f")
    assert "    match v:" in rewritten.source.splitlines()
    assert {reason for _, reason in rewritten.atomic} == {"match pattern"}
