"""Monte-Carlo tree search: the tree, selection and backup, plans read out of it, correction by reality, storage.

Knows no world. Open `mcts.py` first for the options, `tree_search.py` for ask and tell.
"""
