"""Search in games of one, two or more players, with chance and hidden information; knows no game.

Open `game.py` first for the protocol of a game. `game_mcts.py` searches games whose state all players see,
`information_sets.py` games with hidden information; `game_check.py` has `check_game`; `exact_games.py` solves small
games, which tests and benchmarks compare with.
"""
