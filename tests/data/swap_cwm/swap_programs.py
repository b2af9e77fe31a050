"""Straight swap programs over three variables, no swap twice: what the tiny CWM beside this file has learnt."""

from itertools import permutations
from random import Random

from envs.execution.decompose.program import Program, plain
from envs.execution.state.history_frames import History
from envs.execution.tracer.history_recorder import record

NAMES = ("a", "b", "c")


def swap_program(rng: Random, swaps: int) -> tuple[str, str]:
    """The source of a straight swap program, and the arguments of a call."""
    lines = ["    {0}, {1} = {1}, {0}".format(*pair) for pair in rng.sample(list(permutations(NAMES, 2)), swaps)]
    shown = ", ".join(NAMES)
    source = "\n".join([f"def f({shown}):", *lines, f"    return [{shown}]"]) + "\n"
    return source, ", ".join(map(str, rng.sample(range(1, 10), len(NAMES))))


def told(rng: Random) -> tuple[Program, History]:
    """A random swap program and its real run."""
    source, arguments = swap_program(rng, rng.randint(3, 5))
    program = plain(source, "f")
    return program, record(program, arguments)


def swaps(count: int, seed: int = 1_000) -> list[tuple[Program, History]]:
    """So many random programs and their real runs; not those that the recipe drew."""
    rng = Random(seed)
    return [told(rng) for _ in range(count)]
