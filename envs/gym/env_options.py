"""Checks that all environments share: numbers, the render mode, the options of `reset`, actions, names of tasks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from envs.errors import BadEnvOption
from envs.execution.sandbox.sandbox import Sandbox
from tasks import RepairTask, TraceTask, load
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
    if options is not None and not isinstance(options, Mapping):
        raise BadEnvOption(f"options={options!r:.80}: give {_example(known)}.")
    given = dict(options or {})
    for name in given:
        if name not in known:
            raise BadEnvOption(f"reset() has no option {name!r}. {did_you_mean(str(name), known)}")
    return given


def _example(known: Sequence[str]) -> str:
    return f"a dict such as {{{known[0]!r}: ...}}" if known else "None, since reset() has no options here"


def task_named(name: Any, tasks: Sequence[T]) -> T:
    """The task with this id; BadEnvOption with the nearest id if there is none."""
    for task in tasks:
        if task.id == name:
            return task
    example = f"It has {len(tasks)} tasks, such as {tasks[0].id!r}."
    hint = did_you_mean(str(name), [task.id for task in tasks], otherwise=example)
    raise BadEnvOption(f"This environment has no task {name!r}. {hint}")


def loaded_tasks(given: Any) -> Sequence[Any]:
    """The tasks of a name or path, or the sequence itself; BadEnvOption where it is neither."""
    if isinstance(given, str | Path):
        return load(str(given)).tasks
    if not isinstance(given, Sequence):
        raise BadEnvOption(f"tasks={given!r:.80}: give a list of tasks, or a name such as 'repair'.")
    return given


def check_sandbox(given: Any) -> None:
    """BadEnvOption where this is neither a sandbox nor None."""
    if given is not None and not isinstance(given, Sandbox):
        raise BadEnvOption(f"sandbox={given!r:.80}: give an open Sandbox, or None.")


def check_whole(name: str, value: Any, least: int) -> int:
    """Returns the value as an int; BadEnvOption where it is no whole number or too small."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise BadEnvOption(f"{name}={value!r}: give a whole number, {least} or more.")
    return int(value)


def check_between(name: str, value: Any, least: int, most: int) -> int:
    """Returns the value as an int; BadEnvOption where it is no whole number of this range."""
    if check_whole(name, value, least) > most:
        raise BadEnvOption(f"{name}={value!r}: give {most:,} at most.")
    return int(value)


def check_share(name: str, value: Any) -> float:
    """Returns a probability below 1; BadEnvOption where it is none."""
    if not 0 <= check_number(name, value) < 1:
        raise BadEnvOption(f"{name}={value}: give a probability from 0 to below 1.")
    return float(value)


def check_number(name: str, value: Any) -> float:
    """Returns the value as a float; BadEnvOption where it is no finite number."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise BadEnvOption(f"{name}={value!r}: give a finite number.")
    return float(value)


def check_action(action: Any, count: int) -> int:
    """Returns the action as an int; BadEnvOption where it is none of 0 to count - 1."""
    found = action.item() if isinstance(action, np.ndarray) and action.size == 1 else action
    if isinstance(found, bool | np.bool_) or not isinstance(found, Integral) or not 0 <= int(found) < count:
        raise BadEnvOption(f"action {action!r:.80}: choose a whole number from 0 to {count - 1}.")
    return int(found)
