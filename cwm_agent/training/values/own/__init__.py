"""Values of classes that programs define themselves: enums, records, data classes, their methods, lists and dicts.

Frames write such values by the name of their class, so every class that a recipe uses is one of the `KINDS` that its
module lists. Open `own_kinds.py` first.
"""
