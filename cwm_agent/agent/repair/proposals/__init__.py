"""Candidates that come from elsewhere than the planner's search: joined edits, added edits, unlikely edits, a model's.

Each module proposes, and runs nothing for real; `candidate_stream.py` imagines what they propose. Open `proposal.py`
first, then `combination.py`. `real_verdicts.py` puts real verdicts where they read beliefs, for a search that imagines
nothing.
"""
