"""Games as pure Python: states are tuples, and five functions say all (`planners.players.game` has the protocol).

Knows no planner. Open `tic_tac_toe.py` first, then `kuhn_poker.py` for chance and hidden cards; `game_registry.py`
lists all by name, `spiel_games.py` takes games from OpenSpiel and `spiel_export.py` gives ours to it.
"""
