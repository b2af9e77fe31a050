"""One oracle for many workers of a cluster: a few actors hold its weights and answer all workers in common batches.

Knows no search and no task. Open `oracle_replica.py` first; `served_oracle.py` is the worker's end.
"""
