"""Files of results that survive a killed process: `jsonl_file.py` is the only module.

Knows no study, no rollout and no agent; they all write their rows through it.
"""
