"""Models behind OpenAI-compatible servers as history oracles and as writers of edits.

Knows nothing of search. Open `server_history.py` first.
"""
