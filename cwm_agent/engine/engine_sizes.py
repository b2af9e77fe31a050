"""How much the engine computes and keeps at once: fast on the device, and within its free memory."""

import warnings
from dataclasses import dataclass, replace
from pathlib import Path

from cwm_agent.engine.precision import ValueType

MEMORY_SHARE = 8
"""The KV cache may take one in so many bytes of the free memory, and the prefix cache as much at its largest: several
processes may start at once, and a cache that grows is held twice for a moment."""
LITTLE = 512 * 2**20
"""Bytes of a KV cache below which it is said that it was cut for want of memory."""
CONTEXT_GROWTH = 16
"""The prefix cache may grow to so many times its usual size while a batch has many long contexts."""


@dataclass(frozen=True, slots=True)
class EngineSizes:
    """How much the engine computes and keeps at once."""

    rows: int
    """Rows of a batch, at most."""
    step_tokens: int
    """Tokens of one forward pass over prompts: enough for full speed, and on a CPU few enough for its cache."""
    kv_columns: int
    """KV cache columns of all rows of a batch together; 32,768 are 1 GB at the main size in fp32, 65,536 in 16 bits."""
    pass_tokens: int
    """Tokens that take as long to compute as the fixed part of a pass; many make longer drafts worthwhile."""
    row_tokens: float = 0.0
    """Tokens that take as long to compute as the fixed part of a row, which loads its keys and values."""
    prefix_bytes: int = 128 * 2**20
    """Size of the prefix cache."""
    most_prefix_bytes: int = CONTEXT_GROWTH * 128 * 2**20
    """Its size while a batch has many long contexts."""

    def __post_init__(self) -> None:
        if min(self.rows, self.step_tokens, self.kv_columns, self.pass_tokens, self.prefix_bytes) < 1:
            raise ValueError(f"An engine needs sizes of at least one, not {self}; give each as a number from 1.")


ON_CPU = EngineSizes(rows=256, step_tokens=512, kv_columns=32_768, pass_tokens=24)
ON_CPU_BY_LIBRARY = replace(ON_CPU, pass_tokens=4, row_tokens=0.7)
ON_CPU_BY_TILES = replace(ON_CPU, pass_tokens=20, row_tokens=3.0)
ON_CPU_IN_BF16 = replace(ON_CPU, kv_columns=65_536, pass_tokens=100, row_tokens=3.0)
ON_ACCELERATOR = EngineSizes(
    rows=4_096,
    step_tokens=131_072,
    kv_columns=1_048_576,
    pass_tokens=2_000,
    prefix_bytes=2**30,
    most_prefix_bytes=CONTEXT_GROWTH * 2**30,
)


def default_sizes(device: str, values: ValueType, *, native: bool = False, tiles: bool = False) -> EngineSizes:
    """Sizes that are fast on the device; `native` says that a library computes passes, `tiles` that it has AMX."""
    if device != "cpu":
        return ON_ACCELERATOR
    if native:
        return ON_CPU_BY_TILES if tiles else ON_CPU_BY_LIBRARY
    return ON_CPU_IN_BF16 if values == "bfloat16" else ON_CPU


def within_memory(sizes: EngineSizes, column_bytes: int, free: int | None) -> EngineSizes:
    """The sizes, or smaller ones where their caches would take too much of the free memory; little memory is said."""
    if free is None:
        return sizes
    share = max(1, free // MEMORY_SHARE)
    found = replace(
        sizes,
        kv_columns=max(1, min(sizes.kv_columns, share // column_bytes)),
        prefix_bytes=min(sizes.prefix_bytes, share),
        most_prefix_bytes=min(sizes.most_prefix_bytes, share),
    )
    if found.kv_columns < sizes.kv_columns and found.kv_columns * column_bytes < LITTLE:
        warnings.warn(f"{free >> 20:,} MiB of memory are free, so batches are smaller and slower.", stacklevel=3)
    return found


def free_memory(device: str) -> int | None:
    """Bytes that are free on the device; None where that is not known."""
    if device != "cpu":
        import torch

        return torch.cuda.mem_get_info(device)[0]
    known = [found for found in (_available_to_system(), _left_in_group()) if found is not None]
    return min(known, default=None)


def _available_to_system() -> int | None:
    """Memory that Linux can give to a new process."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return None


def _left_in_group() -> int | None:
    """What the limit of a container leaves; None where there is no limit."""
    try:
        group = Path("/sys/fs/cgroup")
        return max(0, int((group / "memory.max").read_text()) - int((group / "memory.current").read_text()))
    except (OSError, ValueError):  # "max" is no number
        return None
