"""The figure of `benchmarks.noise`."""
