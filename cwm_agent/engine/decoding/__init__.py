"""Decoding of many rows: which tokens a step computes, drafts that a step checks, and rows that come and go.

Knows no prompt text and no view. Open `scheduler.py` first; `continuous_batching.py` is what `Engine` calls.
"""
