"""What a fuzzer is, and how one input is examined.

A check returns a word for what came out ("a value", "MalformedAnswer"), and raises where the reader breaks its promise:
an error that it does not declare, a round trip that changes the value, more work than the input is worth.
"""

import json
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis.strategies import SearchStrategy

from benchmarks.fuzzers.harness.work_meter import WorkExceeded, WorkMeter

FUZZERS_FOLDER = Path(__file__).resolve().parents[1]
ROOT = FUZZERS_FOLDER.parents[1]
Data = Any
"""A JSON value, so that every input can be kept as a file; every text in it may be changed, the shape stays."""


@dataclass(frozen=True, slots=True)
class Fuzzer:
    """One reader under attack."""

    name: str
    claim: str
    """What the reader promises for every input."""
    inputs: Callable[[], SearchStrategy[Data]]
    check: Callable[[Data], str]
    calls_per_character: int = 500
    """Function calls, of C and of Python, that one character of the input may cost on top of `BASE_CALLS`."""
    changes: bool = True
    """Whether inputs of the corpus are changed to make new ones; if not, all come from the strategy."""


BASE_CALLS = 100_000


@dataclass(frozen=True, slots=True)
class Examined:
    """What came of one input."""

    word: str
    sites: frozenset[int]
    """Call sites of this project that ran: an input with a new one is worth keeping."""


def examine(fuzzer: Fuzzer, data: Data) -> Examined:
    """Check one input; raises whatever the reader should not have raised.

    A first call may fill caches and import modules, so work is too much only where it is too much twice.
    """
    budget = BASE_CALLS + fuzzer.calls_per_character * len(written(data))
    try:
        return _metered(fuzzer, data, budget)
    except WorkExceeded:
        return _metered(fuzzer, data, budget)


def _metered(fuzzer: Fuzzer, data: Data, budget: int) -> Examined:
    with WorkMeter(budget, str(ROOT)) as meter:
        word = fuzzer.check(data)
    return Examined(word, frozenset(meter.sites))


def written(data: Data) -> str:
    """An input as the text of its file."""
    return json.dumps(data)


def signature(error: BaseException) -> str:
    """The kind of a failure: its type and the innermost line of this project that it came from."""
    steps = [step for step in traceback.extract_tb(error.__traceback__) if step.filename.startswith(str(ROOT))]
    readers = [step for step in steps if not step.filename.startswith(str(FUZZERS_FOLDER))]
    found = (readers or steps)[-1:]
    where = [f"{Path(step.filename).relative_to(ROOT)}:{step.lineno}" for step in found] or ["nowhere"]
    return f"{type(error).__name__} at {where[0]}"
