"""Oracle implementations: Python itself, the embedded model, transformers models, OpenAI-compatible servers.

Knows nothing of search. Open `exact.py` first: it is the shortest complete oracle.
"""
