"""Adapts a trained network to new examples by a low-rank update, while generated examples keep what it knew.

`low_rank.py` has the adapter and merges it into weights, `replay_examples.py` draws generated examples, `update.py`
makes one small update and checks it, `adapter_file.py` writes the adapter. Knows no task and no oracle. Open
`update.py` first.
"""
