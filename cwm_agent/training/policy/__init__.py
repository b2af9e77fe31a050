"""Training data of the edit policy: bugs injected into functions of published packages.

`corpus.py` collects the functions, `bug_injection.py` changes them, `policy_examples.py` writes the examples. Knows
nothing of search, oracles or the network. Open `policy_examples.py` first.
"""
