"""Slow sweeps and speed, each run as `python -m benchmarks.NAME [--json OUT]`; results are kept in docs/."""
