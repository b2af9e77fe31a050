"""Fuzzers of everything that reads hostile text: one module per reader, and one table of them all.

A fuzzer is a Hypothesis strategy of inputs and a check of what the reader makes of one. Knows no command line. Open
`table.py` first; `harness/` runs them.
"""
