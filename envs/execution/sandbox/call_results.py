"""Results of calls as the parent reads them from messages of a fork, which a program can forge.

`read_call_result` never raises: a message that no honest run sends is a result with a problem. Knows no test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from envs.execution.sandbox.isolation import message_fields, wire_format
from envs.execution.sandbox.isolation.message_fields import MalformedMessage

_NAME, _MESSAGE = 200, 1000
"""Characters kept of an exception's name and message."""
_MOST_CPU_S = 1e9


@dataclass(frozen=True, slots=True)
class CallResult:
    """What one call came to."""

    tree: wire_format.Tree = None
    """The value returned, checked; meaningless where `raised` or `problem` is given."""
    raised: str | None = None
    """The exception as Python's last traceback line would have it, if there was one."""
    exception: str | None = None
    """The exception's class name."""
    cpu_s: float = 0.0
    """CPU seconds that the fork claims; nothing is decided by them."""
    problem: str | None = None
    """Why the message says nothing; None for every honest one."""


def read_call_result(message: Any) -> CallResult:
    """The result that a message stands for."""
    if not isinstance(message, dict):
        return CallResult(problem="an answer that is no answer")
    cpu_s = _claimed_cpu(message.get("cpu_s"))
    try:
        if "raised" in message:
            name = message_fields.text(message["raised"])[:_NAME]
            detail = message_fields.text(message.get("message", ""))[:_MESSAGE]
            return CallResult(raised=f"{name}: {detail}" if detail else name, exception=name, cpu_s=cpu_s)
        tree = message.get("returned")
        wire_format.check(tree)
    except MalformedMessage as error:
        return CallResult(problem=f"an answer that is no value: {error}", cpu_s=cpu_s)
    return CallResult(tree, cpu_s=cpu_s)


def _claimed_cpu(claim: object) -> float:
    return float(claim) if isinstance(claim, int | float) and 0 <= claim < _MOST_CPU_S else 0.0
