"""The local view: a model sees one line and the values it reads, and answers with the line's effect.

Knows nothing of models or of control flow. Open `local_view.py` first.
"""
