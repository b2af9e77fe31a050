"""How the engine's threads wait for one another; knows no torch, since it has to speak before torch is loaded.

A pass is hundreds of small operations, and threads meet after each. Threads that spin while they wait are quick on idle
cores, but where something else wants a core too they keep it from the very thread they wait for: two were measured at
three times the cost of one (docs/engine.md). Threads that sleep instead cost about what one does on busy cores and gain
on idle ones.
"""

import os
import sys
from collections.abc import MutableMapping

_SETTING = "OMP_WAIT_POLICY"


def wait_asleep(environment: MutableMapping[str, str] = os.environ, loaded: bool | None = None) -> bool:
    """Have threads sleep while they wait; False where torch was loaded before and has made up its mind.

    What the user has set stays as it is.
    """
    if loaded is None:
        loaded = "torch" in sys.modules
    if not loaded:
        environment.setdefault(_SETTING, "PASSIVE")
    return not loaded
