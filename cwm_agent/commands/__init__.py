"""What the commands share: their table and parser, the options of `solve`, the display of progress, a usage error.

The commands themselves stand one folder up, so that `python -m cwm_agent.solve` runs them. Knows no loop and no
oracle. Open `command_line.py` first.
"""
