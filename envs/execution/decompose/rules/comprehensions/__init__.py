"""Comprehensions and generator expressions rewritten as plain loops.

Knows nothing of other constructs. Open `comprehension_rules.py` first.
"""
