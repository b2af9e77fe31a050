"""Planners that extend paths and keep no tree: beam, best-first, random shooting, exhaustive.

Knows no world. Open `beam.py` first; `path_search.py` has the base class for a new planner.
"""
