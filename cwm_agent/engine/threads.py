"""How many threads compute, and how torch's wait for each other; does not import torch, because that counts before.

A step is hundreds of small operations, and the threads synchronise after each. Threads that spin while they wait are
fast on idle cores. On busy cores a spinning thread takes the core from the thread it waits for: two spinning threads
cost three times as much as one (docs/engine.md). Threads that sleep cost about as much as one thread on busy cores and
are faster than one on idle cores.
"""

import os
import sys
from collections.abc import MutableMapping

_SETTING = "OMP_WAIT_POLICY"


def use_passive_wait(environment: MutableMapping[str, str] = os.environ, loaded: bool | None = None) -> bool:
    """Make threads sleep while they wait; False if torch is loaded already, because the setting then has no effect.

    A value that the user has set stays as it is.
    """
    if loaded is None:
        loaded = "torch" in sys.modules
    if not loaded:
        environment.setdefault(_SETTING, "PASSIVE")
    return not loaded


def thread_count() -> int:
    """Threads that compute: as torch has them where it is imported, else as its setting says, else one per core."""
    if (torch := sys.modules.get("torch")) is not None:
        return int(torch.get_num_threads())
    given = os.environ.get("OMP_NUM_THREADS", "")
    return int(given) if given.isdecimal() and int(given) else len(os.sched_getaffinity(0))
