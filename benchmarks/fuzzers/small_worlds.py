"""Small programs with their real runs, to ask hostile answers about; they run in this process, since they are ours."""

from functools import cache

import networkx  # noqa: F401 - readers import it when they first need it, which is no work for an input

from cwm_agent.oracles.protocol import MarkovView, Query
from envs.execution.decompose.program import Program, decomposed, plain
from envs.execution.state.effects import Question
from envs.execution.state.frames import Trace
from envs.execution.state.history_frames import History
from envs.execution.stepper.stepper import Stepper
from envs.execution.tracer.history_recorder import record
from envs.execution.tracer.tracer import trace

PROGRAMS = (
    ("def f(xs):\n    t = 0\n    for x in xs:\n        t += x\n    xs.append(t)\n    return xs", "[3, 4]"),
    ("def f(d):\n    d['b'] = [1]\n    row = d['a']\n    row[0] = 'it''s'\n    return d", "{'a': [0, 1]}"),
    ("def f(s):\n    out = set()\n    for c in s:\n        out.add(c + '#1')\n    return sorted(out)", "'ab'"),
    (
        "def g(n):\n    if n < 0:\n        raise ValueError('no')\n    return n * 2\n"
        "def f(n):\n    try:\n        return g(n) + g(-1)\n    except ValueError as error:\n        return str(error)\n"
        "    finally:\n        n = 0",
        "3",
    ),
    (
        "class Box:\n    def __init__(self, n):\n        self.n = n\n"
        "def f(n):\n    a = Box(n)\n    c = 0\n    def up():\n        nonlocal c\n        c += a.n\n        return c\n"
        "    up()\n    pairs = zip([1, 2], 'ab')\n    return [up(), list(pairs), a.n]",
        "2",
    ),
)


@cache
def traces() -> tuple[tuple[Program, Trace], ...]:
    """Each program decomposed, with its real run."""
    programs = [(decomposed(source, "f"), arguments) for source, arguments in PROGRAMS]
    return tuple((program, trace(program, arguments)) for program, arguments in programs)


@cache
def histories() -> tuple[tuple[Program, History], ...]:
    """Each program as written, with its real history."""
    programs = [(plain(source, "f"), arguments) for source, arguments in PROGRAMS]
    return tuple((program, record(program, arguments)) for program, arguments in programs)


@cache
def queries(view: MarkovView) -> tuple[tuple[Query, Stepper], ...]:
    """Every question that the real runs raise, from their real states."""
    found = []
    for program, real in traces():
        stepper = Stepper(program)
        steps = [(frame, stepper.ask(frame)) for frame in real.frames if frame.event == "line"]
        found += [(Query(program, frame, step, view), stepper) for frame, step in steps if isinstance(step, Question)]
    return tuple(found)
