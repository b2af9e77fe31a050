"""Repair tasks as a `verifiers` taskset: the model answers with a whole program, and real tests reward it.

    import verifiers.v1 as vf
    from cwm_agent.rollouts.exchange.verifiers_taskset import RepairTaskset, RepairTasksetConfig
    taskset = RepairTaskset(RepairTasksetConfig(tasks="repair"))

The prompt shows the program and its visible tests. Rewards: `passes`, 1 if all visible and hidden tests pass in the
sandbox, and `visible`, the share of visible tests that pass, with weight 0 unless the config says otherwise.
`docs/examples/cwm_repair.py` makes it an environment that `verifiers` loads by the id `cwm-repair`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from cwm_agent.plugins import missing_extra
from envs.domains.evaluation import Evaluator
from envs.execution.sandbox.sandbox import Sandbox
from tasks import CallTest, RepairTask, load
from tasks.task import FunctionTest, Test

try:
    import verifiers.v1 as vf
except ModuleNotFoundError as missing:
    raise missing_extra("verifiers", "learners") from missing

__all__ = ["ProgramRepair", "RepairTaskset", "RepairTasksetConfig", "program_in"]
_FENCE = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)```", re.DOTALL)
_PROMPT = """This Python program has a bug. Repair it, and answer with the whole program in one ```python block.

```python
{source}```

These must hold:
{tests}
"""


class RepairTasksetConfig(vf.TasksetConfig):
    """Which tasks are loaded: a name such as `repair` or a path, as `cwm-agent solve` takes them."""

    tasks: str = "repair"


class RepairData(vf.TaskData):
    """What a task needs to be judged anywhere: where it was loaded from; the tests stay out of the trace."""

    source: str
    tasks: str


class ProgramRepair(vf.Task):
    """One program to repair."""

    @vf.reward(weight=1.0)
    async def passes(self, task: Any, trace: Any) -> float:
        """1 if the program passes all visible and hidden tests."""
        return float((await _judged(task, trace.last_reply))[1])

    @vf.metric
    async def visible(self, task: Any, trace: Any) -> float:
        """Share of visible tests that pass."""
        return (await _judged(task, trace.last_reply))[0]


class RepairTaskset(vf.Taskset[ProgramRepair, RepairTasksetConfig]):
    """Repair tasks from a path, or the shipped ones."""

    def load(self) -> Iterable[Any]:
        """A task for each repair task."""
        for task in _tasks(self.config.tasks).values():
            tests = "\n".join(_shown(task.entry, test) for test in task.tests)
            prompt = _PROMPT.format(source=task.source, tests=tests)
            data = RepairData(id=task.id, name=task.id, prompt=prompt, source=task.source, tasks=self.config.tasks)
            yield ProgramRepair(data, self.config.task)


def _shown(entry: str, test: Test) -> str:
    if isinstance(test, CallTest):
        return f"{entry}({test.arguments}) == {test.expected}"
    return f"{test.code}  # {test.expected}" if isinstance(test, FunctionTest) else test.code


@cache
def _tasks(path: str) -> dict[str, RepairTask]:
    return {task.id: task for task in load(path).tasks if isinstance(task, RepairTask)}


@cache
def _sandbox() -> Sandbox:
    import atexit

    opened = Sandbox()
    atexit.register(opened.close)
    return opened


async def _judged(data: Any, reply: str) -> tuple[float, bool]:
    """Share of visible tests that the program of a reply passes, and whether it passes all and the hidden ones."""
    return await asyncio.to_thread(_judge, data.tasks, data.id, reply)


def _judge(path: str, name: str, reply: str) -> tuple[float, bool]:
    program = program_in(reply)
    if program is None:
        return 0.0, False
    evaluator = Evaluator(_tasks(path)[name], _sandbox())
    found = evaluator.run(program)
    return found.share, found.solved and evaluator.passes_hidden(program) is not False


def program_in(reply: str) -> str | None:
    """The last fenced block of a reply; None where there is none."""
    found = _FENCE.findall(reply)
    return found[-1] if found else None
