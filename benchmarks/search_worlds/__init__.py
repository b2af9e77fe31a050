"""Worlds, a reference search and searches of other libraries for `benchmarks.planners`; worlds with hidden state.

Open `search_worlds.py` first.
"""
