"""Verifies programs that draw: many imagined runs of a call beside many real ones, as distributions.

Open `chance_runs.py` first; `chance_files.py` takes the calls from task files. Knows nothing of search.
"""
