"""The record of one solve: its row, its details for the report, the growth of its search, the digest of its task.

Open `episode.py` first. Knows no loop and no domain.
"""
