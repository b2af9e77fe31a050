"""Facts about the classes of a program, from its syntax: lineage, members, dataclass fields, named tuples and enums.

Runs nothing and knows nothing of objects. Open `own_classes.py` first.
"""
