"""Generators of random programs for benchmarks and tests. Open `program_generator.py` first.

The generators write source text and run nothing.
"""
