"""Texts and items that C code asks of the program's objects, written out where surely such an object is meant.

Open `text_rewrites.py` first. Knows only syntax: nothing is run.
"""
