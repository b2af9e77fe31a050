"""Worlds, a reference search and searches of other libraries for `benchmarks.planners`.

Open `search_worlds.py` first.
"""
