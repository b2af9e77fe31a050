"""What the stepper knows of a value by its text: truth, size, type, and where an iterator stands.

Knows no frame and takes no step. Open `value_rules.py` first.
"""
