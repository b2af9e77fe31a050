"""What runs fuzzers: the protocol of a fuzzer, its process, its corpus, mutations of kept inputs, a meter of work.

Open `fuzzer.py` first. Knows no reader that is fuzzed.
"""
