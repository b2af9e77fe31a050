"""What the tests of the sandbox share: short limits and the smallest honest program."""

from typing import Any

from envs.execution.sandbox.sandbox import SandboxLimits

QUICK = SandboxLimits(cpu_s=0.3, wall_s=5.0, load_s=0.3)
ADD = "def add(a, b):\n    return a + b\n"

RUN = "envs.execution.sandbox.call_runner:run"
"""The trusted function that loads a program and makes calls; yields one result for the load and one for each call."""


def run_payload(source: str, *calls: str) -> dict[str, Any]:
    """What `RUN` is given."""
    return {"source": source, "steps": [{"call": call} for call in calls], "limit": None}
