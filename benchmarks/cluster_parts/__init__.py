"""Parts of `benchmarks.cluster`: timed jobs, load on an oracle, and a model of where a large cluster saturates."""
