"""Workloads of `benchmarks.imagination`: calls of the shipped repair tasks, candidates of a repair, a long loop.

Needs no sandbox and runs no program: first frames come from the text of a call, and the oracle decides the lines.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from cwm_agent.imagination.rollout_loop import RolloutStart
from cwm_agent.oracles.protocol import Prediction, Query
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from envs.editing.edit_generation import edits
from envs.execution.decompose.decomposition import DecomposeError
from envs.execution.decompose.program import decomposed
from envs.execution.state.frames import Frame
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.stepper.first_frame import first_frame
from tasks import CallTest, RepairTask, load


def dev_tasks() -> list[RepairTask]:
    """The shipped repair tasks of the dev split, in order."""
    return [task for task in load("repair").tasks if isinstance(task, RepairTask) and task.split == "dev"]


def calls(count: int, seed: int) -> list[RolloutStart]:
    """Calls of different programs: the first visible test of each task in random order, then the second ones."""
    tasks = dev_tasks()
    Random(seed).shuffle(tasks)
    found: list[RolloutStart] = []
    for place in range(max(len(task.tests) for task in tasks)):
        for task in tasks:
            found += starts(task, task.source, place, place + 1)
            if len(found) >= count:
                return found[:count]
    return found


def repair(name: str, count: int, seed: int) -> list[RolloutStart]:
    """The visible tests of random one-edit candidates of a task, one candidate after another."""
    task = next(task for task in dev_tasks() if task.id == name)
    sources = [edit.apply(task.source) for edit in edits(task.source)]
    Random(seed).shuffle(sources)
    return [start for source in sources[:count] for start in starts(task, source)]


def starts(task: RepairTask, source: str, first: int = 0, end: int | None = None) -> list[RolloutStart]:
    """First frames of the calls of some tests; calls whose first frame needs a real run are left out."""
    found = []
    for test in task.tests[first:end]:
        try:
            if isinstance(test, CallTest):
                program = decomposed(source, task.entry)
                frame = first_frame(program, test.arguments)
                found += [RolloutStart(program, frame)] if isinstance(frame, Frame) else []
        except (ExecutionError, DecomposeError):
            continue
    return found


def loops(rollouts: int, steps: int) -> Iterator[RolloutStart]:
    """Calls of a counting loop of about `steps` steps, with few repeated questions."""
    body = "        if a > b:\n            b = b + 9\n        else:\n            a = a + i\n"
    program = decomposed(f"def f(a, b):\n    for i in range({steps}):\n{body}    return a\n", "f")
    for number in range(rollouts):
        frame = first_frame(program, f"{1000 * number}, 0")
        assert isinstance(frame, Frame)
        yield RolloutStart(program, frame)


@dataclass(slots=True)
class Listening:
    """An oracle that calls a function with each batch of queries before it answers."""

    inner: CachedOracle
    heard: Callable[[Sequence[Query]], None]

    @property
    def name(self) -> str:
        return self.inner.name

    def cached(self, queries: Sequence[Query]) -> list[Prediction] | None:
        return self.inner.cached(queries)

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        self.heard(queries)
        return self.inner.imagine(queries)
