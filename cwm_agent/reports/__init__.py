"""Figures and tables: SVG and Markdown written from finished numbers.

Computes nothing. Open `svg_figures.py` first.
"""
