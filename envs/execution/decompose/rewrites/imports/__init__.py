"""Imports, written where and under the names by which the other rewritings know what they bring.

Knows only syntax. Open `import_aliases.py` first.
"""
