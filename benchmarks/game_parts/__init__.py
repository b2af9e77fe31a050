"""Parts of `benchmarks.games`: matches and costs beside OpenSpiel, values of hidden worlds, synthesised models.

Open `spiel_peers.py` first for what OpenSpiel is given.
"""
