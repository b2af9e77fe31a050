"""Execution as data: frames, traces, effects, history frames, and the grammar of value text.

Knows nothing of how they are produced. Open `frames.py` first.
"""
