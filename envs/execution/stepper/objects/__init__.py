"""Rules about the program's own objects and generators: attributes, new objects, methods that a line enters.

Knows no line's place and no frame's event; `call_steps.py` beside it asks. Open `object_steps.py` first.
"""
