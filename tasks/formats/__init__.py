"""Readers of other task formats, one module per format; they parse programs and never run them.

A reader knows its format only; `tasks.load` chooses the reader. Open `cruxeval.py` first: it is the shortest.
"""
