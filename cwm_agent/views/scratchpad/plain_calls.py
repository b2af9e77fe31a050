"""Writes a call of a held function as the plain line it stands for, so that one form of workings is enough.

v0 = v1(v2, v3)  with v1=math.gcd           v0 = math.gcd(v2, v3)
v0 = v1(v2)      with v1=statistics.mean    v0 = statistics.mean(v2)
v0 = operator.truediv(v1, v2)               v0 = v1 / v2
"""

import re
from collections.abc import Mapping

_NAME = r"[^\W\d]\w*"
_ATOM = rf"(?:{_NAME}|-?\d+(?:\.\d+)?)"
_CALL = re.compile(rf"((?:{_NAME} = )?)({_NAME})(\(.*\))$", re.DOTALL)
_FUNCTION = re.compile(r"_?((?:[a-z]+\.)?[a-z]\w*)$")
_OPERATOR = re.compile(rf"({_NAME} = )operator\.(\w+)\(({_ATOM}), ({_ATOM})\)$")
_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "and_": "&",
    "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>", "lt": "<", "gt": ">", "le": "<=", "ge": ">=",
}  # fmt: skip


def plain_call(statement: str, values: Mapping[str, str]) -> str:
    """Return the line with the function that a name holds, or an operator, written out; other lines as they are."""
    call = _CALL.match(statement)
    if call is not None and (function := _FUNCTION.match(values.get(call[2], ""))):
        statement = f"{call[1]}{function[1]}{call[3]}"
    operation = _OPERATOR.match(statement)
    if operation is not None and operation[2] in _SIGNS:
        return f"{operation[1]}{operation[3]} {_SIGNS[operation[2]]} {operation[4]}"
    return statement
