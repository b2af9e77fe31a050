"""Problems as data: frozen task types, their loaders, and the tasks of this project.

Imports only the standard library and no other package of the project; parses programs and never runs them. Open
`task.py` first for the types, then `loading.py` for the loaders. `output/` writes files and prints, for all packages;
`reading/` reads texts of unknown origin within limits.
Everything in `__all__` is loaded when it is first used, so that a command that only prints its help loads no reader.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tasks.comparison import Comparison
    from tasks.errors import BadTask, NotPlain, Problem, TaskError, UnknownFormat, UnknownTasks
    from tasks.loading import Loaded, collections, load
    from tasks.rows import write_tasks
    from tasks.task import CallTest, CodeTest, FunctionTest, PermutationTask, RepairTask, Task, Test, TraceTask
    from tasks.value import read_value, write_value

__all__ = [
    "BadTask",
    "CallTest",
    "CodeTest",
    "Comparison",
    "FunctionTest",
    "Loaded",
    "NotPlain",
    "PermutationTask",
    "Problem",
    "RepairTask",
    "Task",
    "TaskError",
    "Test",
    "TraceTask",
    "UnknownFormat",
    "UnknownTasks",
    "collections",
    "load",
    "read_value",
    "write_tasks",
    "write_value",
]
_HOMES = {
    "comparison": ("Comparison",),
    "errors": ("BadTask", "NotPlain", "Problem", "TaskError", "UnknownFormat", "UnknownTasks"),
    "loading": ("Loaded", "collections", "load"),
    "rows": ("write_tasks",),
    "task": ("CallTest", "CodeTest", "FunctionTest", "PermutationTask", "RepairTask", "Task", "Test", "TraceTask"),
    "value": ("read_value", "write_value"),
}
"""The module that defines each public name."""


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(f"tasks.{module}"), name)
    raise AttributeError(f"module 'tasks' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
