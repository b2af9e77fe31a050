"""Small programs to be found out: machines whose state is hidden, and functions of one number; knows no Gymnasium.

Both are Python source that any oracle can imagine. The table of all their calls is computed by running the source in
the sandbox.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from envs.execution.sandbox.call_values import call_values, value_of
from envs.execution.sandbox.sandbox import Sandbox

MACHINE = """\
def step(state, command):
    if command == 0:
        state = ({a} * state + {b}) % {size}
    elif command == 1:
        state = state // {divisor}
    else:
        state = (state + {c}) % {size} if state % 2 else state
    return state, state % {outputs}
"""
FUNCTIONS = (
    "def f(x):\n    return ({a} * x + {b}) % {size}\n",
    "def f(x):\n    if x % {divisor} == 0:\n        return x // {divisor}\n    return ({a} * x + {b}) % {size}\n",
    "def f(x):\n    total = {b}\n    while x > 0:\n        total = total + x % {divisor}\n        x = x // {divisor}\n"
    "    return total % {size}\n",
    "def f(x):\n    return max(x, {b}) - min(x, {b})\n",
    "def f(x):\n    return x ^ {b} if x > {a} else x * {divisor} % {size}\n",
)


@dataclass(frozen=True, slots=True)
class HiddenMachine:
    """A machine with hidden state: its source, and for each state and command what follows and what is shown."""

    source: str
    size: int
    outputs: int
    table: tuple[tuple[tuple[int, int], ...], ...]
    """`table[state][command]` is (state after it, output)."""

    @property
    def commands(self) -> int:
        return len(self.table[0])


@dataclass(frozen=True, slots=True)
class ProbedFunction:
    """A function of one number from 0 to below `size`, with all its values."""

    source: str
    values: tuple[int, ...]


def draw_machine(rng: Random, sandbox: Sandbox, *, size: int = 8, outputs: int = 3) -> HiddenMachine:
    """Return a random machine whose outputs differ; its table is what the sandbox computes."""
    while True:
        source = MACHINE.format(
            a=rng.randrange(1, size), b=rng.randrange(size), c=rng.randrange(1, size), size=size,
            divisor=rng.choice((2, 3)), outputs=outputs,
        )  # fmt: skip
        calls = [f"step({state}, {command})" for state in range(size) for command in range(3)]
        values = [value_of(result) for result in call_values(sandbox, source, calls)]
        rows = tuple(tuple(values[3 * state : 3 * state + 3]) for state in range(size))
        if len({shown for _, shown in values}) > 1:
            return HiddenMachine(source, size, outputs, rows)


def draw_function(rng: Random, sandbox: Sandbox, *, size: int = 16) -> ProbedFunction:
    """Return a random function with at least two values, all from 0 to below `size`."""
    while True:
        source = rng.choice(FUNCTIONS).format(
            a=rng.randrange(1, size), b=rng.randrange(size), divisor=rng.choice((2, 3)), size=size
        )
        results = call_values(sandbox, source, [f"f({number})" for number in range(size)])
        values = tuple(value_of(result) for result in results)
        if len(set(values)) > 1 and all(0 <= value < size for value in values):
            return ProbedFunction(source, values)
