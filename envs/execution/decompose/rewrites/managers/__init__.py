"""`with` over what `contextlib` makes: generator functions, methods, `suppress`.

Open `context_managers.py` first. Knows only syntax.
"""
