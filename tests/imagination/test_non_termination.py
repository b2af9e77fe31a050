"""Non-termination is proved from the frames, and a run that ends is never taken for one that does not."""

import pytest
from local_worlds import exact, traced
from markov_programs import PROGRAMS

from cwm_agent.imagination.non_termination import NonTermination
from cwm_agent.imagination.rollout_loop import NON_TERMINATION, RolloutSettings, RolloutStart, imagine

NEVER = {
    "a loop that changes nothing": ("def f(n):\n    while n > 0:\n        n = n + 0\n    return n", "3"),
    "a loop that goes back and forth": ("def f(n):\n    while n:\n        n = 3 - n\n    return n", "1"),
    "a function that calls itself as it was called": (
        "def f(n):\n    if n == 0:\n        return 0\n    return f(n)",
        "2",
    ),
    "two functions that call each other": ("def f(n):\n    return g(n + 1)\ndef g(n):\n    return f(n - 1)", "2"),
    "a copy of the same list": ("def f(xs):\n    out = []\n    out.append(f(xs[:]))\n    return out", "[1, 2]"),
}
ENDS = {
    "equal calls one after the other": ("def f(n):\n    return g(n) + g(n)\ndef g(n):\n    return n", "2"),
    "equal calls on other levels": (
        "def f(xs):\n    if len(xs) < 2:\n        return xs\n    return f(xs[:1]) + f(xs[1:])",
        "[1, 1, 1]",
    ),
    "a list that shrinks under the same name": (
        "def f(xs):\n    if not xs:\n        return 0\n    xs.pop()\n    return f(xs)",
        "[1, 1]",
    ),
}


@pytest.mark.parametrize("name", NEVER)
def test_what_never_ends_is_stopped_as_soon_as_that_is_certain(name: str) -> None:
    source, arguments = NEVER[name]
    program, real = traced(source, arguments)
    [rollout] = imagine([RolloutStart(program, real.frames[0])], exact(), RolloutSettings(detects_non_termination=True))
    assert (rollout.end, rollout.reason) == ("truncated", NON_TERMINATION)
    assert rollout.steps < 40


@pytest.mark.parametrize("name", [*PROGRAMS, *ENDS])
def test_what_ends_is_not_taken_for_endless(name: str) -> None:
    _, real = traced(*{**PROGRAMS, **ENDS}[name])
    watch = NonTermination()
    if real.outcome.ending != "truncated":
        assert not any(watch.is_certain_at(frame) for frame in real.frames)
