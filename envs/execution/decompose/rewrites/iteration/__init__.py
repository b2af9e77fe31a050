"""Iterators that a frame has no text for, and what is thrown into generators, written as code of the program.

Open `strict_zips.py` first. Knows only syntax.
"""
