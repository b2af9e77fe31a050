"""Facts about a program's syntax: structure, line map, control-flow graph, scopes, liveness.

`classes/` has those about classes. Runs nothing and knows nothing of frames. Open `program_structure.py` first.
"""
