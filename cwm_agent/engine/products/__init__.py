"""Products with fixed matrices, as fast as the machine computes them. It knows no network and no token.

`matrix_products.py` is all there is; products in int8 are part of the pass in C (`engine/native`).
"""
