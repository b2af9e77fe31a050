"""Histories of small programs, recorded in this very process: no sandbox is opened."""

import warnings
from collections.abc import Iterator, Mapping
from functools import lru_cache
from random import Random

from markov_programs import PROGRAMS

from cwm_agent.oracles.backends.replay import ReplayOracle
from cwm_agent.training.steps.program_examples import write_program
from cwm_agent.training.steps.short_runs import TooLarge, can_be_stopped, stopped_in_time
from envs.execution.decompose.program import Program, decomposed, plain
from envs.execution.state.history_frames import History, HistoryFrame
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.tracer.history_recorder import record
from envs.execution.tracer.tracer import TraceLimits

ODD_TEXTS = """def f(s):
    t = s + '<|frame_sep|>'
    u = [t, '..', "it's", 'a\\nb', '"q"', '\\ud83d\\ude00 ünï', '\\x00']
    v = '..'
    v = {'..': v, '<|action_sep|>x': u}
    return v
"""
TWINS = """def f(x):
    if x > 1:
        y = 1
    else:
        y = 1
    return y
"""


@lru_cache(maxsize=256)
def recorded(source: str, arguments: str, level: str = "plain") -> tuple[Program, History]:
    """A program and the history of its call."""
    program = plain(source, "f") if level == "plain" else decomposed(source, "f", level)
    return program, record(program, arguments)


def small(name: str, level: str = "plain") -> tuple[Program, History]:
    """One of the shared small programs, and its history."""
    return recorded(*PROGRAMS[name], level)


def random_histories(count: int, seed: int) -> Iterator[tuple[Program, History]]:
    """Histories of random programs, plain and decomposed in turns."""
    rng, given = Random(seed), 0
    while given < count:
        try:
            with warnings.catch_warnings(), stopped_in_time():
                warnings.simplefilter("ignore")  # a mutant may compare with `is` or call a number
                written = write_program(rng)
                if not can_be_stopped(written.source):
                    continue
                make = decomposed if given % 2 else plain
                program = make(written.source, written.entry)
                found = record(program, written.calls[0], TraceLimits(steps=200, characters=50_000, output=2_000))
        except (ExecutionError, SyntaxError, RecursionError, MemoryError, ValueError, TooLarge):
            continue
        given += 1
        yield program, found


def replay(known: Mapping[Program, History]) -> ReplayOracle:
    """The exact oracle over these histories."""

    def tell(program: Program, call: HistoryFrame) -> History | None:
        return known.get(program)

    return ReplayOracle(tell)
