"""The choice among programs that pass all tests: smaller patches, naturalness, generated inputs, confidence.

Knows no planner and no budget: `repair_domain.py` runs what is proposed here and charges it. Open
`second_look.py` first.
"""
