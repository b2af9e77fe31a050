"""Whether the buggy program can be worked on at all: a module that cannot be run fails every candidate alike.

The reason is found in the first real run. A package that is missing is named together with the option that lets
programs import it. Knows no search.
"""

import re
from collections.abc import Sequence

from envs.domains.evaluation import Evaluation
from envs.execution.sandbox.isolation.packages import is_installed
from envs.execution.state.value_grammar import ExecutionError

_MISSING = re.compile(r"^(?:while loading: )?ModuleNotFoundError: No module named '(\w+)")


class CannotLoad(ExecutionError):
    """A program whose module cannot be run, or which imports what the sandbox does not have."""


def check_loads(original: Evaluation, allowed: Sequence[str] = ()) -> None:
    """Raise CannotLoad where no edit can help: the first run of the buggy program could not load it or its imports."""
    for value in original.values:
        missing = _MISSING.match(value)
        if missing and is_installed(missing[1]) and missing[1] not in allowed:
            raise CannotLoad(
                f"the program or a test imports {missing[1]}, which programs may not read in the sandbox; "
                f"allow it with --allow-package {missing[1]}"
            )
    if not original.loaded:
        raise CannotLoad(f"the program cannot be loaded; {original.values[0]}")
