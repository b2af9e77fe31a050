"""Source rewritten to one operation per line, with the same behaviour and order of evaluation.

Knows nothing of frames. Open `decomposition.py` first; `rewrites/` changes whole programs first,
`rules/` has one file per construct.
"""
