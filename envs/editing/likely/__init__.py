"""Edits that often repair a program, one family per module: operators, constants, names, conditions, statements.

Knows no ranking, no tests and no search. Open `comparisons.py` first: it is the shortest family.
"""
