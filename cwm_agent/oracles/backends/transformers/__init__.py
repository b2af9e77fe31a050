"""Causal language models of the transformers library as history oracles and as writers of edits.

Knows nothing of search. Open `cwm_history.py` first.
"""
