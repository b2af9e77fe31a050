"""Worlds, a reference search and other libraries' searches for `benchmarks.planners`."""
