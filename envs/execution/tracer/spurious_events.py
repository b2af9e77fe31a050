"""Trace events that report something that does not happen; exists so that no trace shows a step Python did not take.

When an exception leaves a `finally` that an exception had entered, CPython 3.11 reports the last line of that `finally`
once more. Nothing of the line runs: the instruction there only restores the interpreter's exception state. A `return`
event is reported too where an exception leaves a function. A comprehension runs inside the line that holds it. Knows
bytecode and nothing else; what differs between versions of Python is in `syntax/python_version.py`.
"""

import dis
from functools import lru_cache
from types import CodeType

from envs.execution.syntax.python_version import is_yield, misreported_lines

_COPY, _RERAISE = dis.opmap["COPY"], dis.opmap["RERAISE"]
_RETURNS = frozenset(code for name, code in dis.opmap.items() if name.startswith("RETURN_") and "GENERATOR" not in name)


@lru_cache(maxsize=1024)
def spurious_lines(code: CodeType) -> frozenset[int]:
    """All instructions whose line events (at `frame.f_lasti`) announce a line that does not run.

    >>> spurious_lines(compile("x = 1", "<doc>", "exec"))
    frozenset()
    """
    code_bytes = code.co_code
    # Unwinding begins by copying what lies three deep on the stack; no statement of a program does.
    restoring = frozenset(
        at
        for at in range(0, len(code_bytes), 2)
        if code_bytes[at] == _RERAISE or (code_bytes[at] == _COPY and code_bytes[at + 1] == 3)
    )
    return restoring | misreported_lines(code)


def is_real_return(code: CodeType, instruction: int) -> bool:
    """Whether a return event at this instruction is a return; elsewhere an exception leaves, or a generator yields."""
    return code.co_code[instruction] in _RETURNS


def is_real_exit(code: CodeType, instruction: int) -> bool:
    """Whether a return event at this instruction is a return or a `yield`; elsewhere an exception leaves."""
    return is_yield(code, instruction) or is_real_return(code, instruction)
