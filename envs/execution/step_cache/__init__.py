"""Compiled steps and cached effects: the fast path of `stepper/`, held equal to it by tests.

Knows nothing of oracles. Open `step_cache.py` first.
"""
