"""Parts of `benchmarks.ladder_figures`: files of the ladder as data, the survival law, tables and figures.

Open `ladder_points.py` first. Nothing here trains, asks or loads a model.
"""
