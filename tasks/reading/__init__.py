"""Reading texts of unknown origin within limits: files, JSON, program texts, constant expressions.

Runs nothing and knows no task. Open `program_text.py` first.
"""
