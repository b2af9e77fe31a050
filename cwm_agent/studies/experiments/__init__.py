"""The seven experiments of the study, one module each, and the programs and problems they measure on.

Knows nothing of processes or files: `studies/` runs the cells. Open `state_tracking.py` first.
"""
