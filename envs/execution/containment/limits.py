"""How much one program may use before it is stopped; knows nothing of how it is stopped."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
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
    """Bytes that may leave the process in one job, printed text and results together."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value is None and name == "steps":
                continue
            if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
                raise ValueError(f"Limits({name}={value!r}): give a number above zero.")
        if self.memory_bytes < 64 * MIB:
            raise ValueError(
                f"Limits(memory_bytes={self.memory_bytes}): the interpreter itself needs 64 MiB."
            )

    def scaled_to(self, needed_s: float, *, factor: float = 20.0, floor_s: float = 0.2) -> Limits:
        """These limits with the CPU time that a program 20 times slower than `needed_s` would use.

        Candidates that loop forever cost the whole limit, so it should follow what passing tests need; a floor
        of 0.2 s absorbs noise.
        """
        cpu_s = max(floor_s, factor * needed_s)
        return Limits(cpu_s, max(self.wall_s, 5 * cpu_s), self.steps, self.memory_bytes, self.output_bytes)
