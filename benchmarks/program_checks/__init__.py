"""Independent observers of programs for `benchmarks.decompose`; they share no code with decompose.

`behaviour.py` records what a call does, `operation_counts.py` counts the operations of each line.
"""
