"""Values within values: keys that are almost alike, tuples within tuples, iterators over iterators.

Knows nothing of the lines that use them. Open `kindred_keys.py` first: its words are the parts of the others.
"""
