"""World models as synthesised code: a game's Python from trajectories of it, repaired until it reproduces them.

Open `synthesiser.py` first. `trajectories.py` records games, `game_source.py` makes drafts, `rule_tests.py` makes unit
tests of transitions, `expression_search.py` fills a missing body, `code_game.py` runs the result in the sandbox, and
`model_accuracy.py` measures it where it was not made from. Knows nothing of Gymnasium.
"""
