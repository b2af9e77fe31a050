"""What isolates an untrusted program: limits, system-call filters, and the worker that forks once per program.

`kernel/` has what the kernel refuses. Knows no test and no verdict. Open `worker_pool.py` first.
"""
