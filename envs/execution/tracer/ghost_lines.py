"""Line events for lines that do not run; exists so that no trace shows a step that Python did not take.

When an exception leaves a `finally` that an exception had entered, CPython 3.11 reports the last line of that `finally`
once more on its way out. Nothing of the line runs: the instruction there only puts the interpreter's exception state
back. Knows bytecode names and nothing else.
"""

import dis
from functools import lru_cache
from types import CodeType

_COPY, _RERAISE = dis.opmap["COPY"], dis.opmap["RERAISE"]
_RETURNS = frozenset(code for name, code in dis.opmap.items() if name.startswith("RETURN_") and "GENERATOR" not in name)


def is_ghost(code: CodeType, instruction: int) -> bool:
    """Whether a line event at this instruction (`frame.f_lasti`) announces a line that will not run.

    >>> is_ghost(compile("x = 1", "<doc>", "exec"), 0)
    False
    """
    return instruction in ghosts_and_returns(code)[0]


@lru_cache(maxsize=4096)
def ghosts_and_returns(code: CodeType) -> tuple[frozenset[int], frozenset[int]]:
    """All instructions whose line events are ghosts, and all at which a function returns."""
    ghosts, returns = set(), set()
    code_bytes = code.co_code
    for at in range(0, len(code_bytes), 2):
        operation, argument = code_bytes[at], code_bytes[at + 1]
        # Unwinding begins by copying what lies three deep on the stack; no statement of a program does.
        if operation == _RERAISE or (operation == _COPY and argument == 3):
            ghosts.add(at)
        elif operation in _RETURNS:
            returns.add(at)
    return frozenset(ghosts), frozenset(returns)
