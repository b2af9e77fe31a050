"""Classes of the program brought into a form that rules know: plain ones, and those made in functions and classes.

What Python or a decorator generates for them (order, `__missing__`, `__new__`, `replace`) is written as methods and
functions. Open `class_rewrites.py` first.
"""
