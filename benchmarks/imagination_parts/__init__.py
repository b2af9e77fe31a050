"""Workloads, measures and the peer of `benchmarks.imagination`."""
