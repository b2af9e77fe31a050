"""What leaves the process: files that are replaced as a whole, and text for a terminal. Every package may use it.

Knows no task. Open `atomic_file.py` for files, `terminal_text.py` for what is printed.
"""
