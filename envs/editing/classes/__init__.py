"""Edits of programs with classes: attributes, statements that update them, calls of a base class.

A program without classes gets none of them. Knows no ranking, no tests and no search. Open `attribute_reads.py` first.
"""
