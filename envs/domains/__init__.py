"""Pure cores of the environments: permutation, repair and trace, with the real evaluation of candidates.

Knows nothing of Gymnasium, planners or oracles. Open `repair_core.py` first.
"""
