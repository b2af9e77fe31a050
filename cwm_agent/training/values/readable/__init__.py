"""Recipes of readable texts: their lines, the expressions that take them apart, their numbers and words.

Knows nothing of the lines of programs that use them. Open `readable_lines.py` first: its texts are the parts of the
others.
"""
