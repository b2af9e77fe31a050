"""The text that a model reads and the parsing of its answer: local, program and history view, and the scratchpad.

Knows no model and no oracle. Open `local/local_view.py` first.
"""
