"""Facts about a program's syntax: structure, line map, control-flow graph, scopes, liveness.

Runs nothing and knows nothing of frames. Open `program_structure.py` first.
"""
