"""Untrusted programs run in isolation, and their tests judged from outside.

Knows nothing of frames or decomposition. Open `sandbox.py` first; `isolation/` has workers, limits and system-call
filters.
"""
