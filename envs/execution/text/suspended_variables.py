"""Which variables of a suspended generator a frame shows: all but temporaries that are no longer needed."""

import types
from collections.abc import Mapping

from envs.execution.decompose.program import Program
from envs.execution.syntax.suspensions import is_steppable


class SuspendedVariables:
    """Answers for one program; None for a generator whose lines are no steps, or whose own variables others share."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._steppable: dict[types.CodeType, bool] = {}

    def __call__(self, code: types.CodeType, line: int, values: Mapping[str, object]) -> Mapping[str, object] | None:
        if code not in self._steppable:
            node = self._program.layout.functions.get((code.co_name, code.co_firstlineno))
            self._steppable[code] = node is not None and not code.co_cellvars and is_steppable(node)
        if not self._steppable[code]:
            return None
        hidden = self._program.temporaries
        needed = self._program.live[line - 1] if line and self._program.live else frozenset[str]()
        return {n: v for n, v in values.items() if (n not in hidden or n in needed) and n != "__class__"}
