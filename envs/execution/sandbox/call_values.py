"""Values of many calls of one program, run in one fork; knows no test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from envs.execution.sandbox.call_results import CallResult, read_call_result
from envs.execution.sandbox.isolation import wire_format
from envs.execution.sandbox.isolation.limits import SandboxLimits

if TYPE_CHECKING:
    from envs.execution.sandbox.sandbox import Sandbox

_RUN = "envs.execution.sandbox.call_runner:run"


def call_values(
    sandbox: Sandbox, source: str, calls: Sequence[str], limits: SandboxLimits | None = None
) -> list[CallResult]:
    """Return what each call came to, in order; calls after one that ends the process have a problem that says so."""
    limits = limits or sandbox.limits
    payload = {"source": source, "steps": [{"call": call} for call in calls], "limit": limits.steps}
    with sandbox.stream(_RUN, payload, limits=limits, renewals=len(calls) + 1) as stream:
        results = [read_call_result(message) for message in stream]
        end = stream.stop()
    if results and results[0].raised is not None:
        return [results[0]] * len(calls)
    found = results[1:]
    missing = CallResult(problem=f"the program did not answer ({end})")
    return found + [missing] * (len(calls) - len(found))


def value_of(result: CallResult) -> Any:
    """Return the value of a call as a Python object; ValueError if the call gave none."""
    if result.raised is not None or result.problem is not None:
        raise ValueError(result.raised or result.problem)
    return wire_format.value(result.tree)
