"""Histories in the text formats that models were trained on: Meta's special tokens, and plain few-shot text.

Knows no backend. Open `meta_tokens.py` first.
"""
