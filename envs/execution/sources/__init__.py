"""What a program reads from outside itself, as objects with a position: random numbers, input, clock, text files.

Nothing of the machine is opened or read: a world (`tasks/scripted_world.py`) says what each source gives. Knows no
frame and no text of values. Open `source_set.py` first.
"""
