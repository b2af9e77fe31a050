"""Line events for lines that do not run; exists so that no trace shows a step that Python did not take.

When an exception leaves a `finally` that an exception had entered, CPython 3.11 reports the last line of that `finally`
once more on its way out. Nothing of the line runs: the instruction there only puts the interpreter's exception state
back. Knows bytecode names and nothing else.
"""

import dis
from types import CodeType

_COPY, _RERAISE = dis.opmap["COPY"], dis.opmap["RERAISE"]


def is_ghost(code: CodeType, instruction: int) -> bool:
    """Whether a line event at this instruction (`frame.f_lasti`) announces a line that will not run.

    >>> is_ghost(compile("x = 1", "<doc>", "exec"), 0)
    False
    """
    operation, argument = code.co_code[instruction : instruction + 2]
    # Unwinding begins by copying what lies three deep on the stack; no statement of a program does.
    return operation == _RERAISE or (operation == _COPY and argument == 3)
