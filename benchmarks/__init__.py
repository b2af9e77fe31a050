"""Measurements that are too slow for tests: each module here is a command, `python -m benchmarks.NAME [--json OUT]`.

Folders hold what the commands use: programs, worlds, peers and independent checks. Results are kept in `docs/`.
"""
