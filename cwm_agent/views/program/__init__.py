"""The program view: a model sees the numbered program and the state, and answers with next line and effect.

Knows nothing of models. Open `program_view.py` first.
"""
