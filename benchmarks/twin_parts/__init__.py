"""Parts of `benchmarks.model_twins`: chains of operations as text, tokens of two kinds, networks of two kinds.

Open `operation_chains.py` first. Nothing here knows the models that come with the package.
"""
