"""Likely edits that add what was forgotten: a copy, a record, the order of ties, the difference of zero and None.

Knows no ranking, no tests and no search. Open `records.py` first.
"""
