"""The first frame of a call by text alone equals the first frame of the real run, or is refused; it is never wrong."""

import pytest
from local_worlds import small, traced
from markov_programs import PROGRAMS

from envs.execution.decompose.program import decomposed
from envs.execution.state.frames import Outcome
from envs.execution.state.value_grammar import BadProgram, Unsupported
from envs.execution.stepper.first_frame import first_frame, module_bindings


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_first_frame_is_the_real_one(name: str) -> None:
    program, real = small(name)
    assert first_frame(program, PROGRAMS[name][1]) == real.frames[0]


CALLS = [
    ("def f(a, b=2, *c, d=4, **e):\n    return a", "1"),
    ("def f(a, b=2, *c, d=4, **e):\n    return a", "1, 2, 3, 4, d=5, z=6"),
    ("def f(a, /, b):\n    return a", "1, b=[2]"),
    ("def f(*xs):\n    return xs", "[1], [2], {'a': (3,)}"),
    ("def f(**k):\n    return k", "**{'a': [1]}, b=2"),
    ("def f(b, a):\n    return a", "[1], [2]"),
    ("def f(a, b, c, d, e, g, h, i, j, k, l):\n    return a", "[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10]"),
    ("def f(a=[]):\n    return a", ""),
    ("def f(a):\n    return a", "-1.5"),
    ("def f(a):\n    return a", "{1, 3, 2}"),
    ("def f(a):\n    return a", "'#1 [\\n'"),
    ("N = 3\nL = [1, [2]]\ndef f(a):\n    return N, L", "1"),
    ("N: int = 3\ndef f(a):\n    return N", "1"),
    ("UNUSED = object()\ndef f(a):\n    return a", "1"),
    ("import math\nfrom collections import Counter\ndef f(a):\n    return math.pi, Counter(a)", "'x'"),
    ("def h(x=[1]):\n    return x\ndef f(a):\n    return h()", "1"),
    ('"""A module."""\ndef f(n):\n    return n if n < 1 else f(n - 1)\nif __name__ == "__main__":\n    f(3)', "1"),
]


@pytest.mark.parametrize(("source", "arguments"), CALLS)
def test_the_first_frame_of_a_call_is_the_real_one(source: str, arguments: str) -> None:
    program, real = traced(source, arguments)
    assert first_frame(program, arguments) == real.frames[0]


@pytest.mark.parametrize(
    ("source", "arguments"),
    [
        ("def f(a):\n    return a", ""),
        ("def f(a):\n    return a", "1, 2"),
        ("def f(a):\n    return a", "b=1"),
        ("def f(*, a):\n    return a", "1"),
    ],
)
def test_a_call_that_python_refuses_is_its_outcome(source: str, arguments: str) -> None:
    program, real = traced(source, arguments)
    assert real.outcome.ending == "raised"
    assert first_frame(program, arguments) == real.outcome


ONLY_A_RUN_CAN_TELL = {
    "changed after it was bound": "N = 1\nN += 1\ndef f(a):\n    return N",
    "filled by a loop": "L = []\nfor i in range(3):\n    L.append(i)\ndef f(a):\n    return L",
    "bound in a branch": "if True:\n    N = 1\nelse:\n    N = 2\ndef f(a):\n    return N",
    "filled by item": "D = {}\nD['a'] = 1\ndef f(a):\n    return D",
    "computed": "N = sum([1, 2])\ndef f(a):\n    return N",
}


@pytest.mark.parametrize("why", ONLY_A_RUN_CAN_TELL)
def test_a_module_variable_that_only_a_run_can_tell_is_never_guessed(why: str) -> None:
    with pytest.raises(Unsupported, match="module variable"):
        first_frame(decomposed(ONLY_A_RUN_CAN_TELL[why], "f"), "1")


@pytest.mark.parametrize("why", ONLY_A_RUN_CAN_TELL)
def test_a_real_frame_may_lend_its_module_variables(why: str) -> None:
    program, real = traced(ONLY_A_RUN_CAN_TELL[why], "1")
    assert first_frame(program, "1", module_bindings(real.frames[0])) == real.frames[0]


HELD_BY_THE_MODULE = {
    "an object of a class": "class R:\n    def __init__(self):\n        self.xs = [1]\nREG = R()\n",
    "two names for one object": "class R:\n    pass\nREG = R()\nALIAS = [REG, REG]\n",
    "a literal that an object shares": "class R:\n    pass\nXS = [1]\nREG = R()\nREG.xs = XS\n",
    "an object that holds itself": "class R:\n    pass\nREG = R()\nREG.me = REG\n",
}


@pytest.mark.parametrize("what", HELD_BY_THE_MODULE)
def test_lent_objects_of_the_module_stand_on_the_heap(what: str) -> None:
    source = HELD_BY_THE_MODULE[what]
    used = ", ".join(name for name in ("REG", "ALIAS", "XS") if f"{name} =" in source)
    program, real = traced(f"{source}def f(a):\n    return a, {used}", "[1]")
    found = first_frame(program, "[1]", module_bindings(real.frames[0]))
    assert found == real.frames[0]
    assert "REG" in dict(real.frames[0].globals)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [("open('x')", Unsupported), ("[x for x in y]", Unsupported), ("*[1]", Unsupported), ("1 +", BadProgram),
     (")", BadProgram), ("1) + g(2", BadProgram), ("1)(2", BadProgram), ("a=1, a=2", BadProgram)],
)  # fmt: skip
def test_arguments_that_are_no_literals_are_refused(arguments: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        first_frame(decomposed("def f(*a):\n    return a", "f"), arguments)


def test_an_entry_with_a_decorator_is_refused() -> None:
    with pytest.raises(Unsupported, match="decorators"):
        first_frame(decomposed("def d(g):\n    return g\n@d\ndef f(a):\n    return a", "f"), "1")


def test_the_outcome_of_a_refused_call_names_the_function() -> None:
    found = first_frame(decomposed("def f(a):\n    return a", "f"), "")
    assert isinstance(found, Outcome)
    assert "f() missing 1 required positional argument: 'a'" in found.value


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "class A:\n    def g(self, x=[]):\n        return x\n",
            "class A:\n    def g(self, x=None):\n        return x\n",
        ),
        ("def g(x={}):\n    return x\n", "def g(x=0):\n    return x\n"),
        ("def g(x=[1]):\n    return x\n", "def g(x):\n    return x\n"),
    ],
)
def test_a_default_is_not_lent_to_a_program_without_it(before: str, after: str) -> None:
    """A candidate with `x=None` in place of `x=[]` is imagined with its own default."""
    entry = "def f(a):\n    return a\n"
    _, buggy = traced(before + entry, "1")
    program, real = traced(after + entry, "1")
    assert first_frame(program, "1", module_bindings(buggy.frames[0])) == real.frames[0]
