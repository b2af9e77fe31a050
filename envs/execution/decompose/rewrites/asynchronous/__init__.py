"""Coroutines of the program's own, written as plain calls where nothing can tell: awaited, paused, started, gathered.

Open `coroutines.py` first.
"""
