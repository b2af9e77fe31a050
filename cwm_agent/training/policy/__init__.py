"""Training data for the edit policy: bugs injected into functions of published packages.

Knows nothing of search or oracles. Open `policy_examples.py` first.
"""
