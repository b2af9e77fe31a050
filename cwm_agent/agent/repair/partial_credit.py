"""How close a wrong result is to the expected one: part credit for candidates that fix a test in part."""

from difflib import SequenceMatcher

from envs.bounded_cache import MIB, bounded_cache

NEARLY = 0.9
"""A wrong result is never closer than this."""
_LONGEST = 300
"""Characters that are compared; the rest of a result seldom adds anything."""


def closeness(expected: str, found: str) -> float:
    """A number from 0 to 1: 1 for equal texts, at most `NEARLY` for near numbers and similar texts."""
    return 1.0 if expected == found else _likeness(expected[:_LONGEST], found[:_LONGEST])


@bounded_cache(8 * MIB)
def _likeness(expected: str, found: str) -> float:
    try:
        return NEARLY / (1 + abs(float(expected) - float(found)))
    except (ValueError, OverflowError):
        pass
    return NEARLY * SequenceMatcher(None, expected, found, autojunk=False).ratio()
