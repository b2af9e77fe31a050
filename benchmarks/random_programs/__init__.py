"""Random programs that benchmarks and tests run."""
