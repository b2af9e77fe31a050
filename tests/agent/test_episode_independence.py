"""An episode does not depend on the tasks that its process solved before, so a resumed run equals a whole one."""

from dataclasses import replace

from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from tasks import RepairTask, load

SPENT = ("executions", "tokens", "queries", "remembered", "steps", "imagined")


def test_an_episode_does_not_depend_on_the_one_before_it() -> None:
    """The order of answers depends on the engine's prefix cache, so the engine starts each task with an empty one."""
    settings = Settings()
    settings = replace(settings, budget=replace(settings.budget, executions=3, tokens=12_000, steps=20_000))
    first, second = (_task(name) for name in ("overlap", "seat-row"))
    workplace, kind = Workplace(settings), RepairKind()
    alone = workplace.solve(kind, second)
    workplace.solve(kind, first)
    again = workplace.solve(kind, second)
    assert alone.solved
    assert (again.patch, again.runs) == (alone.patch, alone.runs)
    assert {name: again.spent[name] for name in SPENT} == {name: alone.spent[name] for name in SPENT}


def _task(name: str) -> RepairTask:
    [task] = [each for each in load("repair").tasks if each.id == name]
    assert isinstance(task, RepairTask)
    return task
