"""Studies of imagination: how far it follows reality, how deep a planner can plan in it, and what extends the depth.

A study is a list of cells. `study_runner.py` measures the missing cells and writes figures and tables, `ledger.py` is
the file of raw results, `workbench.py` holds the sandbox and the oracles of one process, `parallel_cells.py` measures
in several processes, `experiments/` holds the studies. Open `study_protocol.py` first.
"""
