"""Scratchpads: intermediate arithmetic and sorting steps that an answer may contain before its result.

Knows nothing of programs or models. Open `scratchpad.py` first.
"""
