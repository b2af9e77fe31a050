"""Parts of `benchmarks.model_twins` and `benchmarks.line_twins`: texts, tokens of two kinds, networks of two kinds.

Open `operation_chains.py` first for chains, `line_rows.py` for lines of code; `network_training.py` trains both.
Nothing here knows the models that come with the package.
"""
