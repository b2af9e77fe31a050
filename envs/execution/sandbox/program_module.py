"""The module that a program is run in: registered by its name, with its source text, as if Python had imported it.

Dataclasses, `typing.get_type_hints` and `pickle` look a class's module up in `sys.modules`, and `inspect.getsource`
reads lines through `linecache`. The entries are replaced by each program, so nothing of one is seen by the next.
"""

from __future__ import annotations

import linecache
import sys
from types import ModuleType
from typing import Any

NAME = "program"
"""The name of every program's module."""
FILENAME = "<program>"
"""The file name that a program's own code carries, by which tracing tells it from everything else."""


def program_namespace(source: str) -> dict[str, Any]:
    """The namespace of a new module for this source, registered in place of the last program's; nothing has run."""
    module = ModuleType(NAME)
    sys.modules[NAME] = module
    linecache.cache[FILENAME] = (len(source), None, source.splitlines(keepends=True), FILENAME)
    namespace: dict[str, Any] = module.__dict__
    namespace["__file__"] = FILENAME
    namespace["__builtins__"] = __builtins__
    return namespace
