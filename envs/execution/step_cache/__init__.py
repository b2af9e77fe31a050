"""Compiled steps and cached effects: the fast path of `stepper/`, held equal to it by `tests/imagination`.

A rollout goes through thousands of programs that are nearly the same. Each line is compiled once: what it reads, what
it binds and where control goes next. The effect that an oracle gave for a line is cached by what the line read, for
all programs that have the line. Knows no oracle and runs no program. Open `step_cache.py` first.
"""
