"""What a program takes from the standard library that no frame can hold: caches, patches, modules, contexts.

Knows only syntax. Open `unwritable_modules.py` first.
"""
