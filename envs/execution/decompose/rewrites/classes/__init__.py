"""Classes of the program brought into a form that rules know: plain ones, and those made in functions and classes.

Open `class_rewrites.py` first.
"""
