"""Figures and tables: SVG and Markdown written from finished numbers.

`svg_figures.py` draws panels of curves, `markdown_tables.py` writes tables. Computes nothing. Open `svg_figures.py`
first.
"""
