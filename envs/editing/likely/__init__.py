"""Edits that often repair a program, one family per module: operators, constants, names, conditions, statements.

Knows nothing of how edits are ranked. Open `comparisons.py` first: it is the shortest family.
"""
