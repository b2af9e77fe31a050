"""Families of unlikely edits, and edits under a condition, for a search that has tried the likely edits.

Knows no ranking, no tests and no search. Open `place_conditions.py` first: the other modules build on it.
"""
