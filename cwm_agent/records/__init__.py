"""Files that survive a killed process: rows that are appended, and Python files that get a patch.

Knows no study, no rollout and no agent; they all write through it. Files that are replaced as a whole are written by
`tasks/output/atomic_file.py`. Open `jsonl_file.py` first.
"""
