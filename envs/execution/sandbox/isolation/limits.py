"""How much one program may use before it is stopped; knows nothing of how it is stopped."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """What one request to a program may use; a test is one request, and so is a whole trace."""

    cpu_s: float = 2.0
    """CPU seconds, read from the kernel's clock of the process: the same verdict on a busy machine."""
    wall_s: float = 30.0
    """Seconds on the wall: a wide backstop for programs that sleep."""
    steps: int | None = None
    """Lines of the program that may run, or None for no count; counting slows a program about fourfold."""
    memory_bytes: int = 512 * MIB
    """Address space of the process, the interpreter's own 40 MiB or so included."""
    output_bytes: int = 4 * MIB
    """Bytes that may leave the process in one job, or for one request of a session: printed text and results."""
    load_s: float = 2.0
    """CPU seconds for loading a program before its first test or request, if more than `cpu_s`: imports are slow."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value is None and name == "steps":
                continue
            if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
                raise ValueError(f"SandboxLimits({name}={value!r}): give a number above zero.")
        if self.memory_bytes < 64 * MIB:
            raise ValueError(f"SandboxLimits(memory_bytes={self.memory_bytes}): the interpreter itself needs 64 MiB.")

    def scaled_to(self, needed_s: float, *, factor: float = 20.0, floor_s: float = 0.05) -> SandboxLimits:
        """These limits with the CPU time that a program 20 times slower than `needed_s` would use.

        A candidate that loops forever costs the whole limit, so it should follow what passing tests need. The floor
        absorbs noise; it can be low because it is CPU time, which other work on the machine does not use up.
        """
        cpu_s = max(floor_s, factor * needed_s)
        return replace(self, cpu_s=cpu_s, wall_s=max(self.wall_s, 5 * cpu_s))
