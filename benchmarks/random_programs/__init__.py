"""Generators of random programs and of tasks with injected bugs. Open `program_generator.py` first.

The generators write source text and run nothing.
"""
