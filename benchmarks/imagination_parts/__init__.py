"""Workloads, measures and the peer of `benchmarks.imagination`. Open `imagination_measures.py` first."""
