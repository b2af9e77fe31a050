"""Iterators of the library that a frame has no text for, written as generators of the program.

Open `strict_zips.py`.
"""
