"""Anything that imagines execution: asked what a line does or which line follows, it answers or errs, in batches."""
