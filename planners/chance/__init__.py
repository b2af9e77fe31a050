"""Search in worlds where an action has several outcomes; knows no world.

Open `simulation_search.py` first: it drives simulations that ask several questions one after the other;
`chance_mcts.py` is a tree with chance nodes.
"""
