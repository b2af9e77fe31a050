"""Problems as data: frozen task types, their loaders, and the tasks of this project.

Imports only the standard library and no other package of the project; parses programs and never runs them. Open
`task.py` first for the types, then `load.py` for the loaders. `output/` writes files and prints, for all packages.
"""

from tasks.comparison import Comparison
from tasks.errors import BadTask, NotPlain, Problem, TaskError, UnknownFormat, UnknownTasks
from tasks.load import Loaded, collections, load
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
