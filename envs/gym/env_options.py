"""Checks that all environments share: the render mode, the options of `reset`, and the name of a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from envs.errors import BadEnvOption
from tasks import RepairTask, TraceTask
from tasks.errors import did_you_mean

T = TypeVar("T", RepairTask, TraceTask)


def check_render_mode(mode: str | None, metadata: Mapping[str, Any]) -> str | None:
    """Returns the mode; BadEnvOption if the environment does not support it."""
    known = metadata["render_modes"]
    if mode is not None and mode not in known:
        raise BadEnvOption(f"No render mode {mode!r}. Choose one of: {', '.join(known)}, or None.")
    return mode


def check_reset_options(options: Mapping[str, Any] | None, known: Sequence[str]) -> dict[str, Any]:
    """Returns the options; BadEnvOption for an unknown one."""
    given = dict(options or {})
    for name in given:
        if name not in known:
            raise BadEnvOption(f"reset() has no option {name!r}. {did_you_mean(name, known)}")
    return given


def task_named(name: str, tasks: Sequence[T]) -> T:
    """The task with this id; BadEnvOption with the nearest id if there is none."""
    for task in tasks:
        if task.id == name:
            return task
    example = f"It has {len(tasks)} tasks, such as {tasks[0].id!r}."
    hint = did_you_mean(name, [task.id for task in tasks], otherwise=example)
    raise BadEnvOption(f"This environment has no task {name!r}. {hint}")
