"""Compares imagined runs with real ones: the first difference, its kind, and how many steps rollouts stay right.

`view_verification.py` (open it first) verifies task files in any view; `verifier.py` and `history_comparison.py`
compare one rollout with its real run. `chance/` verifies programs that draw, `statistics/` sums up. Knows nothing of
search.
"""
