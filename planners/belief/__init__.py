"""Search over histories, where the state is hidden or not looked at: beliefs as particles, POMCP, open-loop MCTS.

Knows no world. Open `pomcp.py` first for the options, `history_search.py` for the search, `particles.py` for beliefs.
"""
