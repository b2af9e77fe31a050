"""Planners that lengthen paths and keep no tree: beam, best-first, random shooting, exhaustive.

Knows no world. Open `beam.py` first; `path_search.py` is what a planner of one's own derives from.
"""
