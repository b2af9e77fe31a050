"""Monte-Carlo tree search: tree, selection, backup, readout of plans, correction by real steps, snapshots.

Knows no world. Open `mcts.py` first for the options, `tree_search.py` for ask and tell.
"""
