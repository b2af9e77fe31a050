"""The repair domain: candidate programs, imagined on the task's tests and run for real when their odds are best.

Knows nothing of permutations. Open `candidate.py` and `repair_model.py` first; `odds.py`
computes a candidate's odds.
"""
