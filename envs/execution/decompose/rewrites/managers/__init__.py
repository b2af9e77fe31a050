"""`with` over what `contextlib` makes: generator functions, methods, `suppress`, `closing`, `ExitStack`.

Open `context_managers.py` first. Knows only syntax.
"""
