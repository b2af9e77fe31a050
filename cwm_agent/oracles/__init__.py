"""Models of execution: they answer, in batches, what a line does or which line follows.

`protocol.py` (open it first) has the protocol and its capabilities, `history_protocol.py` that of models that continue
histories, `check.py` the conformance check, `registry.py` and `history_registry.py` the oracles by name, `backends/`
the oracles, `wrappers/` a cache, a meter and noise. Knows nothing of search.
"""
