"""Decorated functions, methods and classes written as plain ones: by functions of the program, or by `functools`.

Open `decorator_rewrites.py` first. Knows only syntax.
"""
