"""The seven experiments of the study, one module each, and the programs and problems they measure on.

Knows no process and no file: `studies/` runs the cells. Open `state_tracking.py` first.
"""
