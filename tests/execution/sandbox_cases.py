"""What the tests of the sandbox share: short limits and the smallest honest program."""

from envs.execution.sandbox.sandbox import SandboxLimits

QUICK = SandboxLimits(cpu_s=0.3, wall_s=5.0, load_s=0.3)
ADD = "def add(a, b):\n    return a + b\n"
