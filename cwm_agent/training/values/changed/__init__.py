"""Operands that are changed a little, and what programs with changed inputs showed to be weak.

Knows nothing of the lines that use them. Open `disturbed_values.py` first: its changes are what the other draws on.
"""
