"""Oracles around oracles: an answer cache, a meter with a budget, noise at known rates.

Knows nothing of what answers in the end. Open `meter.py` first.
"""
