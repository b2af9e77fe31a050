"""Training examples of the world model, made by real execution: single lines, traced programs, whole histories.

Knows nothing of the network or the training loop. Open `program_examples.py` first.
"""
