"""Statistics of verified runs: how many steps rollouts stay right, intervals of counts, calibration.

Open `survival.py` first. Knows no oracle and no program.
"""
