"""The repair domain: candidate programs, imagined on the task's tests and run for real when their odds are best.

Knows nothing of permutations. Open `repair_domain.py` first: it has the five methods of a domain. `candidate.py` has
what is believed of a program, `odds.py` computes a candidate's odds, `proposals/` makes
candidates beside the planner's search.
"""
