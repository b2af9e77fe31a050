"""The truth: traces and histories of real runs by `sys.settrace`, taken inside the sandbox.

Knows nothing of oracles. Open `tracer.py` first; `reality.py` is what other packages call.
"""
