"""The one pool of the project: many independent jobs, in this process, in local processes or on a Ray cluster.

`run_jobs` takes work and batches of items, and yields each result as soon as it is there. A worker that dies is
replaced, and its unfinished items go to another worker. Knows no task, no study, no environment and no oracle.
Open `protocol.py` first, then `job_loop.py`; `processes.py` and `ray_crew.py` are the two kinds of workers.
"""
