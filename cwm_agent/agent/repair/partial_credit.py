"""How close a wrong result comes to the one that was wanted: what tells half a repair from none."""

from difflib import SequenceMatcher
from functools import lru_cache

NEARLY = 0.9
"""A wrong result is never closer than this."""
_LONGEST = 300
"""Characters that are compared; the rest of a result seldom tells more."""


@lru_cache(maxsize=65_536)
def closeness(wanted: str, found: str) -> float:
    """A number from 0 to 1: 1 for equal texts, near numbers and like texts below."""
    if wanted == found:
        return 1.0
    try:
        return NEARLY / (1 + abs(float(wanted) - float(found)))
    except (ValueError, OverflowError):
        pass
    return NEARLY * SequenceMatcher(None, wanted[:_LONGEST], found[:_LONGEST], autojunk=False).ratio()
